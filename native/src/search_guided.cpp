// Search guided by an evaluation: no random games. A leaf is looked at with all its children at once, which costs
// little since each takes one lane; a child at first has the value that the evaluation tells. Which edge is followed
// is told by PUCT (Rosin, "Multi-armed bandits with episode context", 2011), with a softmax of the first values in
// place of the predictor:
//
//     (1 - share) mean + share minimax + 100 exploration prior sqrt(N) / (1 + n)
//
// over unfinished visits as well (Liu et al., "Watch the unobserved", 2020). Means are of the leaves below;
// minimax values are backed up beside them (Lanctot et al., "Monte Carlo tree search with heuristic evaluations
// using implicit minimax backups", 2014). Ends that are met are proven and so is what follows from them (Winands,
// Bjornsson and Saito, "Monte-Carlo tree search solver", 2008); proven edges are not followed.
//
// States that are images of each other under a symmetry of the game share a node.
//
// The visits of a batch go down side by side, a node at a time, so that the tree, which is larger than any cache, is
// waited for once a batch and not once a visit. Each counts for those that choose after it as soon as it has chosen.
//
// One thread keeps the tree, and others look at leaves for it, a batch each, where that is faster: how many is found out
// again and again (guided_crew.hpp), for in narrow games the tree is much of the work.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "expansion.hpp"
#include "guided_choice.hpp"
#include "guided_crew.hpp"
#include "guided_relay.hpp"
#include "guided_tree.hpp"
#include "search.hpp"
#include "search_threads.hpp"

namespace ludens {

namespace {

using namespace guided;
constexpr float middle_goal = 50;
constexpr int longest = 255;             // steps that are told apart
constexpr std::size_t depth_limit = 500;
constexpr int enough_ends = 256;         // that agree on the sum of the goals, before proofs rest on it

// Leaves of a batch where there is one, and where there are several: few fill no machine, many are chosen in the dark.
constexpr std::size_t leaves_alone = 32, leaves_shared = 16;

// While the same threads work. It ends with the run, where there is no room left, the root is proven, or what was proven
// does not hold, and where others take over. For one thread only.
class Stint {
public:
    // `settled`: how many leaves are.
    Stint(Limit& all, Crew& crew, const std::int64_t& settled)
        : run(all), crew_(crew), threads_(crew.size()), settled_(settled) {
        begin_shift();
    }

    Limit& run;
    bool full = false, solved = false, refuted = false;

    std::size_t threads() const { return threads_; }
    bool over() { return full || solved || refuted || run.reached() || relieved(); }
    // Tells the crew what has been done since it was told last.
    void report() {
        if (crew_.alone() || relieved_) return;
        const std::chrono::duration<double> lasted = SearchClock::now() - began_;
        crew_.note(settled_ - before_, lasted.count());
        relieved_ = crew_.size() != threads_;
        begin_shift();
    }

private:
    bool relieved() {
        if (shift_.passed()) report();
        return relieved_;
    }
    void begin_shift() {
        if (crew_.alone()) return;
        began_ = SearchClock::now();
        before_ = settled_;
        shift_ = Deadline(crew_.seconds_left());
    }

    Crew& crew_;
    const std::size_t threads_;
    const std::int64_t& settled_;
    bool relieved_ = false;
    std::int64_t before_ = 0;
    SearchClock::time_point began_;
    Deadline shift_;
};

struct Step {
    Index node;
    std::uint32_t edge;
};

struct Leaf {
    Index at;                 // on its way down: the node it has come to
    bool arrived;
    std::vector<Step> path;
    std::vector<Word> state;  // of the last node on the path
    std::vector<int> moves;   // from there
    std::uint64_t key;        // of the state that these lead to,
    Index found;              // ... and its node, if there is one already
};

// The tree with what it rests on. Whoever wants to know something of it while it grows takes the lock, as does the one
// thread that it grows in; others may look states up.
class GuidedTree {
public:
    GuidedTree(const Game& game, const SearchOptions& options)
        : tree(game, options.memory_bytes, options.symmetries),
          exploration_(static_cast<float>(options.exploration)),
          knowledge_(options.knowledge),
          roles_(game.roles()),
          sum_is_proven_(roles_ == 1 || game.constant_sum()) {}

    Tree tree;
    Index root = nothing;
    std::mutex lock;
    std::int64_t iterations = 0, state_changes = 0, recycled = 0;
    int depth = 0;

    bool solved() const { return tree.node(root).proven; }
    // Whether proofs rest on equal sums of all ends, and two of them differ.
    bool refuted() const { return assumes_ && !ends_agree_; }
    void clear() { tree.clear(), assumes_ = false; }

    // Paths from the root to edges without a child, each to one of its own; those that found one come first, and it is
    // told how many.
    std::size_t descend(std::span<Leaf> leaves);
    // The node of a position that was looked at; `nothing` where there is no room. `values`: what the evaluation says.
    Index insert(std::uint64_t key, const Outlook& outlook, std::size_t position, const float* values);
    // `reached`: the state that the leaf leads to.
    void link(const Leaf& leaf, Index child, const Word* reached);
    // `values`: what the visit has come to.
    void back_up(const std::vector<Step>& path, const float* values);
    void take_back(const std::vector<Step>& path);

private:
    bool goes_on(Leaf& leaf);
    bool end_visit(const std::vector<Step>& path, const float* values);
    float scale(const Node& node) const;
    bool better(Node& node, std::uint32_t a, std::uint32_t b) const;
    void take_over(Node& node, std::uint32_t changed);
    void find_best(Node& node);
    void tell(Node& node);
    void meet_end(Node& node, std::uint32_t i);
    bool settled(Node& node);
    bool one_goal_tells_all();

    Index insert_known(std::uint64_t key, const Word* state);

    const float exploration_;
    const std::shared_ptr<const Knowledge> knowledge_;
    const int roles_;
    const bool sum_is_proven_;  // of the goals at all ends: 100
    bool ends_agree_ = true;    // those met so far on that sum,
    int ends_met_ = 0;          // ... and how many those are, up to `enough_ends`
    bool assumes_ = false;      // some proof rests on that
    std::vector<float> told_;   // what is backed up
    std::vector<Leaf*> going_;  // down
};

// All of them go down together, a node at a time: what one will need has come from memory when its turn comes again.
std::size_t GuidedTree::descend(std::span<Leaf> leaves) {
    going_.clear();
    for (Leaf& leaf : leaves) {
        leaf.at = root, leaf.arrived = false;
        leaf.path.clear();
        going_.push_back(&leaf);
    }
    while (!going_.empty()) std::erase_if(going_, [&](Leaf* leaf) { return !goes_on(*leaf); });
    const auto rest = std::partition(leaves.begin(), leaves.end(), [](const Leaf& leaf) { return leaf.arrived; });
    return static_cast<std::size_t>(rest - leaves.begin());
}

bool has_met(const std::vector<Step>& path, Index node) {
    return std::ranges::any_of(path, [&](const Step& step) { return step.node == node; });
}

// One step down. Not where the visit ends in the tree, has come to a leaf, or another one has to end first. A proven
// edge, which is chosen where all are, has the values of perfect play, and is gone no further.
bool GuidedTree::goes_on(Leaf& leaf) {
    const Index at = leaf.at;
    Node& node = tree.node(at);
    if (node.edges == 0 || node.proven || leaf.path.size() == depth_limit || (node.in_flight > 0 && has_met(leaf.path, at))) {
        return end_visit(leaf.path, tree.values(node));
    }
    const Rows rows = tree.rows(node);
    const std::uint32_t chosen = choose(rows, node.edges, scale(node), node.best);
    Edge& edge = tree.edge(node, chosen);
    if (edge.child == nothing && edge.in_flight > 0) {
        take_back(leaf.path);
        return false;
    }
    ++node.in_flight;
    ++edge.in_flight;
    depart(rows, chosen);
    leaf.path.push_back({at, chosen});
    if (rows.is_proven(chosen)) return end_visit(leaf.path, edge.values());
    leaf.at = edge.child;
    if (edge.child != nothing) {
        tree.prefetch(edge.child);
        return true;
    }
    leaf.state.assign(tree.state(node), tree.state(node) + static_cast<std::ptrdiff_t>(leaf.state.size()));
    leaf.moves.assign(tree.moves(node), tree.moves(node) + roles_);
    leaf.moves[node.chooser] = edge.move;
    leaf.arrived = true;
    return false;
}

// In the tree: it goes on no more.
bool GuidedTree::end_visit(const std::vector<Step>& path, const float* values) {
    back_up(path, values);
    ++iterations;
    return false;
}

float GuidedTree::scale(const Node& node) const {
    return top_goal * exploration_ * std::sqrt(static_cast<float>(node.visits + node.in_flight) + 1);
}

Index GuidedTree::insert(std::uint64_t key, const Outlook& outlook, std::size_t position, const float* values) {
    const Outlook::Position& p = outlook.positions[position];
    const std::size_t roles = static_cast<std::size_t>(roles_);
    const std::size_t words = outlook.states.size() / outlook.positions.size();
    const Word* state = &outlook.states[position * words];
    if (const Index known = p.over ? nothing : insert_known(key, state); known != nothing) return known;
    const Index index = tree.make(key, state, static_cast<std::uint32_t>(p.count));
    if (index == nothing) return nothing;
    Node& node = tree.node(index);
    node.chooser = static_cast<std::uint8_t>(std::max(p.mover, 0));
    if (p.count == 0) {
        std::copy_n(p.over ? &outlook.goals[position * roles] : values, roles_, tree.values(node));
        node.proven = p.over;
        return index;
    }
    const std::size_t first = static_cast<std::size_t>(p.first);
    std::copy_n(&outlook.moves[first * roles], roles_, tree.moves(node));
    const Rows rows = tree.rows(node);
    for (std::uint32_t i = 0; i < node.edges; ++i) {
        Edge& edge = tree.edge(node, i);
        const float* told = &outlook.values[(first + i) * roles];
        edge.move = outlook.moves[(first + i) * roles + node.chooser];
        std::copy_n(told, roles_, edge.values());
        rows.values[i] = rows.means[i] = told[node.chooser];
    }
    share_out(rows.values, node.edges, rows.priors);
    for (std::uint32_t i = 0; i < node.edges; ++i)
        if (outlook.ends[first + i]) meet_end(node, i);
    find_best(node);
    tell(node);
    node.proven = settled(node);
    return index;
}

// The edge leads to where the game is over.
void GuidedTree::meet_end(Node& node, std::uint32_t i) {
    Edge& edge = tree.edge(node, i);
    edge.steps = 1;
    tree.rows(node).priors[i] = Rows::proven;
    --node.open;
    if (roles_ != 2) return;
    ends_agree_ &= edge.values()[0] + edge.values()[1] == top_goal;
    ends_met_ = std::min(ends_met_ + 1, enough_ends);
}

// A node that nothing lies below, if something is known of the state from elsewhere.
Index GuidedTree::insert_known(std::uint64_t key, const Word* state) {
    if (!knowledge_) return nothing;
    std::vector<int> goals(static_cast<std::size_t>(roles_));
    const int steps = knowledge_->find(state, goals.data());
    if (steps == Knowledge::nothing) return nothing;
    const Index index = tree.make(key, state, 0);
    if (index == nothing) return nothing;
    Node& node = tree.node(index);
    std::ranges::copy(goals, tree.values(node));
    node.proven = true;
    node.steps = static_cast<std::uint8_t>(std::min(steps, longest));
    return index;
}

// Whether edge a is better than b for who chooses. A proven win is played the short way, a proven loss the long way.
bool GuidedTree::better(Node& node, std::uint32_t a, std::uint32_t b) const {
    const Rows rows = tree.rows(node);
    if (rows.values[a] != rows.values[b]) return rows.values[a] > rows.values[b];
    if (rows.is_proven(a) != rows.is_proven(b)) return rows.is_proven(a);
    if (!rows.is_proven(a)) return false;
    const int longer = tree.edge(node, a).steps - tree.edge(node, b).steps;
    return rows.values[a] > middle_goal ? longer < 0 : longer > 0;
}

void GuidedTree::find_best(Node& node) {
    for (std::uint32_t i = 0; i < node.edges; ++i)
        if (better(node, i, node.best)) node.best = i;
}

// What the edge expects becomes what its child does now, and the node's own expectation what follows from that: all
// edges are compared only where the best one has become worse.
void GuidedTree::take_over(Node& node, std::uint32_t changed) {
    Edge& edge = tree.edge(node, changed);
    Node& child = tree.node(edge.child);
    const Rows rows = tree.rows(node);
    const float* told = tree.values(child);
    if (!child.proven && std::equal(told, told + roles_, edge.values())) return;
    const float before = rows.values[changed];
    std::copy_n(told, roles_, edge.values());
    rows.values[changed] = told[node.chooser];
    if (child.proven) {
        rows.priors[changed] = Rows::proven;
        edge.steps = static_cast<std::uint8_t>(std::min(child.steps + 1, longest));
        --node.open;
    }
    if (changed != node.best) {
        if (!better(node, changed, node.best)) return;
        node.best = changed;
    } else if (rows.values[changed] < before) {
        find_best(node);
    }
    tell(node);
}

// Takes over what the best edge expects.
void GuidedTree::tell(Node& node) {
    const Edge& best = tree.edge(node, node.best);
    std::copy_n(best.values(), roles_, tree.values(node));
    node.steps = best.steps;
}

// Whether the values of the best edge are those of perfect play.
bool GuidedTree::settled(Node& node) {
    const Rows rows = tree.rows(node);
    if (rows.is_proven(node.best) && rows.values[node.best] >= top_goal && one_goal_tells_all()) return true;
    if (node.open > 0) return false;
    const float* best = tree.edge(node, node.best).values();
    // Which of two moves of the same worth to itself a role takes, nobody knows.
    for (std::uint32_t i = 0; i < node.edges; ++i) {
        const float* values = tree.edge(node, i).values();
        if (rows.values[i] == rows.values[node.best] && !std::equal(values, values + roles_, best)) return false;
    }
    return true;
}

// Whether the goal of one role is taken to say what the others get.
bool GuidedTree::one_goal_tells_all() {
    if (sum_is_proven_) return true;
    const bool assumed = roles_ == 2 && ends_agree_ && ends_met_ == enough_ends;
    assumes_ |= assumed;
    return assumed;
}

void GuidedTree::link(const Leaf& leaf, Index child, const Word* reached) {
    Edge& edge = tree.edge(tree.node(leaf.path.back().node), leaf.path.back().edge);
    edge.child = child;
    edge.turned = !tree.is_of(child, reached);
}

void GuidedTree::back_up(const std::vector<Step>& path, const float* values) {
    told_.assign(values, values + roles_);  // they may be those of a node on the path
    for (std::size_t i = path.size(); i-- > 0;) {
        const auto [at, chosen] = path[i];
        Node& node = tree.node(at);
        Edge& edge = tree.edge(node, chosen);
        const Rows rows = tree.rows(node);
        --node.in_flight, ++node.visits;
        --edge.in_flight;
        if (!rows.is_proven(chosen) && edge.child != nothing) {
            take_over(node, chosen);
            node.proven = settled(node);
        }
        const float value = told_[node.chooser], visits = static_cast<float>(rows.visits[chosen] - edge.in_flight);
        rows.means[chosen] = visits == 1 ? value : rows.means[chosen] + (value - rows.means[chosen]) / visits;
        if (node.proven) told_.assign(tree.values(node), tree.values(node) + roles_);
    }
    depth = std::max(depth, static_cast<int>(path.size()));
}

void GuidedTree::take_back(const std::vector<Step>& path) {
    for (const auto [at, chosen] : path) {
        Node& node = tree.node(at);
        --node.in_flight;
        --tree.edge(node, chosen).in_flight;
        --tree.rows(node).visits[chosen];
    }
}

// Leaves that are looked at at once, and what there is to see.
struct Batch {
    std::vector<Leaf> leaves;  // room for as many as there ever are
    std::size_t count = 0;  // that have been chosen
    Outlook outlook;
    std::vector<float> values;  // [count][roles]: what the evaluation says
    std::int64_t state_changes = 0;
};

// What one thread does. One keeps the tree: it alone chooses leaves and settles what was seen, others would have to wait
// for it to come out of its processor's cache. All look at leaves, the keeper where nothing waits to be settled.
class Worker {
public:
    Worker(const Game& game, const Evaluation& evaluation, GuidedTree& shared, Relay<Batch>& relay, int lanes)
        : shared_(shared),
          relay_(relay),
          evaluation_(evaluation),
          expander_(game, evaluation, lanes),
          roles_(static_cast<std::size_t>(game.roles())),
          words_(static_cast<std::size_t>(game.state_words())) {}

    // In batches of so many leaves.
    void keep(Stint& stint, std::size_t leaves) {
        while (true) {
            for (Batch* batch; !stint.over() && (batch = relay_.idle());) {
                if (!choose_leaves(*batch, leaves, stint)) break;
                relay_.hand_out(batch);
            }
            if (relay_.all_idle()) {
                if (stint.over()) return relay_.close();
                continue;
            }
            bool looked_at;
            Batch* batch = relay_.take_back(looked_at);
            if (!batch) return;  // something has happened to another
            if (!looked_at) look(*batch);
            settle(*batch, stint);
        }
    }

    void help() {
        while (Batch* batch = relay_.next()) {
            look(*batch);
            relay_.give_back(batch);
        }
    }

private:
    bool choose_leaves(Batch& batch, std::size_t leaves, Stint& stint) {
        const std::lock_guard guard(shared_.lock);
        const std::int64_t before = shared_.iterations;
        batch.count = shared_.solved() ? 0 : shared_.descend(std::span(batch.leaves).first(leaves));
        stint.run.finished += shared_.iterations - before;
        stint.solved = shared_.solved();
        return batch.count > 0;
    }

    void look(Batch& batch) {
        Outlook& outlook = batch.outlook;
        const std::int64_t before = expander_.state_changes();
        reached_.clear();
        for (std::size_t i = 0; i < batch.count; ++i)
            reached_.push_back({batch.leaves[i].state.data(), batch.leaves[i].moves.data()});
        expander_.look(reached_, outlook);
        for (std::size_t i = 0; i < batch.count; ++i) {
            batch.leaves[i].key = shared_.tree.key(&outlook.states[i * words_]);
            shared_.tree.prefetch_slot(batch.leaves[i].key);
        }
        wanted_.resize(batch.count);
        for (std::size_t i = 0; i < batch.count; ++i) {
            batch.leaves[i].found = shared_.tree.find(batch.leaves[i].key, &outlook.states[i * words_]);
            wanted_[i] = batch.leaves[i].found == nothing;
        }
        expander_.expand(wanted_, outlook);
        batch.values.resize(batch.count * roles_);
        evaluation_.values(static_cast<std::int64_t>(batch.count), outlook.features.data(), batch.values.data());
        batch.state_changes = expander_.state_changes() - before;
    }

    void settle(Batch& batch, Stint& stint) {
        const std::lock_guard guard(shared_.lock);
        for (std::size_t i = 0; i < batch.count; ++i) {
            const Leaf& leaf = batch.leaves[i];
            const Word* reached = &batch.outlook.states[i * words_];
            Index node = leaf.found;
            if (node == nothing) node = shared_.tree.find(leaf.key, reached);
            if (node == nothing) node = shared_.insert(leaf.key, batch.outlook, i, &batch.values[i * roles_]);
            if (node == nothing) {
                stint.full = true;
                shared_.take_back(leaf.path);
                continue;
            }
            shared_.link(leaf, node, reached);
            shared_.back_up(leaf.path, shared_.tree.values(shared_.tree.node(node)));
            ++shared_.iterations;
            ++stint.run.finished;
        }
        if (shared_.refuted()) stint.refuted = true;
        shared_.state_changes += batch.state_changes;
    }

    GuidedTree& shared_;
    Relay<Batch>& relay_;
    const Evaluation& evaluation_;
    Expander expander_;
    const std::size_t roles_, words_;
    std::vector<Reached> reached_;
    std::vector<std::uint8_t> wanted_;
};

class GuidedSearch final : public Search {
public:
    GuidedSearch(const Game& game, const SearchOptions& options)
        : game_(game),
          evaluation_(options.evaluation),
          tree_(game, options),
          reader_(game, *evaluation_, 64),
          batches_(batches_for(game, options.threads)),
          relay_(batches_),
          crew_(static_cast<std::size_t>(options.threads)) {
        for (int i = 0; i < options.threads; ++i)
            workers_.push_back(std::make_unique<Worker>(game, *evaluation_, tree_, relay_, options.lanes));
        set_root(nullptr);
    }

    void set_root(const Word* state) override {
        const std::lock_guard idle(running_), guard(tree_.lock);
        if (!state) state = game_.initial().data();
        const Index known = tree_.tree.find(tree_.tree.key(state), state, true);  // the moves of an image are others
        if (known != nothing && !is_bare(known)) {
            tree_.root = known;
            return;
        }
        look_at(state);
        const Index root = insert(state);
        tree_.root = root != nothing ? root : begin_anew(state);
    }

    void run(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        limit_.begin(seconds, playouts);
        while (!tree_.solved() && !limit_.reached()) {
            const std::int64_t before = tree_.iterations;
            Stint stint(limit_, crew_, tree_.iterations);
            work(stint);
            if (stint.refuted) withdraw();
            else if (stint.full && !make_room() && tree_.iterations == before)
                return;  // the children of a leaf need more room than there can be
        }
    }

    void stop() override { limit_.stopped = true; }

    SearchStats stats() const override {
        const std::lock_guard guard(tree_.lock);
        SearchStats stats{};
        stats.playouts = stats.iterations = tree_.iterations;
        stats.state_changes = tree_.state_changes;
        stats.root_visits = tree_.tree.node(tree_.root).visits;
        stats.nodes = tree_.tree.nodes();
        stats.recycled = tree_.recycled;
        stats.memory_bytes = tree_.tree.bytes();
        stats.depth = tree_.depth;
        stats.bytes_per_node = tree_.tree.bytes_per_node();
        stats.solved = tree_.solved();
        return stats;
    }

    RootMoves root_moves(int role) const override {
        const std::lock_guard guard(tree_.lock);
        if (role < 0 || role >= game_.roles()) throw Error("there is no such role");
        Node& root = tree_.tree.node(tree_.root);
        RootMoves moves{{}, -1};
        if (root.edges == 0) return moves;
        if (role != root.chooser) {
            const int move = tree_.tree.moves(root)[role];
            const float value = tree_.tree.values(root)[role];
            if (move >= 0) moves = {{{move, root.visits, value, root.proven ? static_cast<int>(value) : -1}}, 0};
            return moves;
        }
        const Rows rows = tree_.tree.rows(root);
        for (std::uint32_t i = 0; i < root.edges; ++i) {
            const Edge& edge = tree_.tree.edge(root, i);
            const float value = rows.values[i], mixed = mix_in(rows.means[i], value);
            const std::uint32_t visits = rows.visits[i] - edge.in_flight;
            if (rows.is_proven(i))
                moves.moves.push_back({edge.move, visits, value, static_cast<int>(value)});
            else
                moves.moves.push_back({edge.move, visits, mixed, -1});
        }
        moves.best = favourite(moves.moves);
        const bool sure = rows.is_proven(root.best);
        const auto value = [&](std::size_t i) { return moves.moves[i].value; };
        if (root.proven || (sure && value(root.best) >= value(static_cast<std::size_t>(moves.best)))) {
            moves.best = static_cast<int>(root.best);
        }
        return moves;
    }

    std::vector<int> expected_line(int room) const override {
        const std::lock_guard guard(tree_.lock);
        std::vector<int> line;
        for (Index at = tree_.root; at != nothing && room > 0; --room) {
            Node& node = tree_.tree.node(at);
            if (node.edges == 0) break;
            const Edge& edge = tree_.tree.edge(node, node.best);
            const int* moves = tree_.tree.moves(node);
            line.insert(line.end(), moves, moves + game_.roles());
            line.end()[node.chooser - game_.roles()] = edge.move;
            at = edge.turned ? nothing : edge.child;
        }
        return line;
    }

private:
    // The most visited, but none that is proven to bring less than that is expected to; those that are proven get no
    // more visits, so one that brings more is taken however few it has.
    static int favourite(const std::vector<RootMove>& moves) {
        const auto visits = [](const RootMove& m) { return std::pair(m.proven < 0 ? m.visits : -1, m.value); };
        int best = static_cast<int>(std::ranges::max_element(moves, {}, visits) - moves.begin());
        for (int i = 0; i < static_cast<int>(moves.size()); ++i)
            if (moves[i].proven >= 0 && moves[i].value > moves[best].value) best = i;
        return best;
    }

    // With several threads one for each, and one that waits for the first that has done with its own.
    static std::size_t batches_of(std::size_t threads) { return threads == 1 ? 1 : threads + 1; }

    static std::vector<Batch> batches_for(const Game& game, int threads) {
        std::vector<Batch> batches(batches_of(static_cast<std::size_t>(threads)));
        for (Batch& batch : batches) {
            batch.leaves.resize(leaves_alone);
            for (Leaf& leaf : batch.leaves) leaf.state.resize(static_cast<std::size_t>(game.state_words()));
        }
        return batches;
    }

    void work(Stint& stint) {
        const std::size_t threads = stint.threads();
        relay_.open(batches_of(threads));
        std::span working = std::span(workers_).first(threads);
        run_in_threads(working, [this] { give_up(); }, [&](Worker& worker) {
            if (&worker == workers_.front().get())
                worker.keep(stint, threads == 1 ? leaves_alone : leaves_shared);
            else
                worker.help();
        });
        stint.report();
    }

    void give_up() {
        limit_.stopped = true;
        relay_.close();
    }

    // Whether nothing follows from it, as from where several roles choose.
    bool is_bare(Index index) const {
        const Node& node = tree_.tree.node(index);
        return node.edges == 0 && !node.proven;
    }

    // Sees whether it can be a root. The tree is as it was: so it stays if this fails.
    void look_at(const Word* state) {
        const Reached reached{state, nullptr};
        reader_.look({&reached, 1}, outlook_);
        reader_.expand({1}, outlook_);
        const Outlook::Position& position = outlook_.positions[0];
        if (!position.over && position.count == 0)
            throw Error("guided search is for positions in which one role chooses");
        if (!tree_.tree.holds(static_cast<std::uint32_t>(position.count)))
            throw Error("memory_bytes is too small for the moves of this root");
    }

    // What was looked at last; `nothing` where there is no room.
    Index insert(const Word* state) { return tree_.insert(tree_.tree.key(state), outlook_, 0, outlook_.goals.data()); }

    Index begin_anew(const Word* state) {
        tree_.clear();
        return insert(state);
    }

    // Gives up what was proven of too few ends, with the tree.
    void withdraw() {
        const std::lock_guard guard(tree_.lock);  // someone may be asking for a report
        const Word* state = tree_.tree.state(tree_.tree.node(tree_.root));
        const std::vector<Word> root(state, state + game_.state_words());
        look_at(root.data());
        tree_.root = begin_anew(root.data());
    }

    // Whether nodes were forgotten.
    bool make_room() {
        const std::lock_guard guard(tree_.lock);  // someone may be asking for a report
        const std::int64_t before = tree_.tree.nodes();
        tree_.root = tree_.tree.compact(tree_.root);
        tree_.recycled += before - tree_.tree.nodes();
        return tree_.tree.nodes() < before;
    }

    const Game& game_;
    const std::shared_ptr<const Evaluation> evaluation_;
    mutable GuidedTree tree_;
    Expander reader_;
    Outlook outlook_;
    std::vector<Batch> batches_;
    Relay<Batch> relay_;
    std::vector<std::unique_ptr<Worker>> workers_;
    Crew crew_;
    std::mutex running_;
    Limit limit_;
};

}  // namespace

std::unique_ptr<Search> make_guided(const Game& game, const SearchOptions& options) {
    if (!options.evaluation) throw Error("guided search needs an evaluation");
    if (options.threads < 1 || options.threads > 1024) throw Error("threads must be between 1 and 1024");
    if (!std::isfinite(options.exploration) || options.exploration < 0)
        throw Error("exploration must be a number that is not negative");
    return std::make_unique<GuidedSearch>(game, options);
}

}  // namespace ludens
