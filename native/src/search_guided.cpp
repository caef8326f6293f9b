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
// Threads take turns at the tree: one chooses leaves while others look at theirs.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "expansion.hpp"
#include "guided_tree.hpp"
#include "search.hpp"
#include "search_threads.hpp"

namespace ludens {

namespace {

using namespace guided;
constexpr float top_goal = 100, middle_goal = 50;
constexpr int longest = 255;             // steps that are told apart
constexpr std::size_t depth_limit = 500;
constexpr int enough_ends = 256;         // that agree on the sum of the goals, before proofs rest on it

constexpr float minimax_share = 0.5f;   // of a value; the mean has the rest
constexpr float temperature = 10;       // of the softmax of first values, in goals
constexpr std::size_t batch = 32;       // leaves that a thread looks at at once

float mix_in(float mean, float minimax) { return mean + minimax_share * (minimax - mean); }

// Ends as well when there is no room left, or what was proven does not hold.
struct TreeLimit : Limit {
    std::atomic<bool> full = false, refuted = false;

    bool reached() const { return full || refuted || Limit::reached(); }
};

struct Step {
    Index node;
    std::uint32_t edge;
};

struct Leaf {
    std::vector<Step> path;
    std::vector<Word> state;  // of the last node on the path
    std::vector<int> moves;   // from there
    Index found;              // the node it leads to, if there is one already
};

// What the threads share, under one lock.
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

    // A path from the root to an edge without a child. False where another visit has to end first.
    bool descend(Leaf& leaf);
    // The node of a position that was looked at; `nothing` where there is no room.
    Index insert(const Outlook& outlook, std::size_t position, const float* values);
    // `reached`: the state that the leaf leads to.
    void link(const Leaf& leaf, Index child, const Word* reached);
    void back_up(const std::vector<Step>& path, Index leaf);
    void take_back(const std::vector<Step>& path);

private:
    std::uint32_t choose(Node& node) const;
    bool better(const Edge& a, const Edge& b, std::size_t role) const;
    void refresh(Node& node);
    bool settled(Node& node);
    bool one_goal_tells_all();

    Index insert_known(const Word* state);

    const float exploration_;
    const std::shared_ptr<const Knowledge> knowledge_;
    const int roles_;
    const bool sum_is_proven_;  // of the goals at all ends: 100
    bool ends_agree_ = true;    // those met so far on that sum,
    int ends_met_ = 0;          // ... and how many those are, up to `enough_ends`
    bool assumes_ = false;      // some proof rests on that
};

bool GuidedTree::descend(Leaf& leaf) {
    leaf.path.clear();
    Index at = root;
    while (true) {
        Node& node = tree.node(at);
        if (node.edges == 0 || node.proven || leaf.path.size() == depth_limit ||
            std::ranges::any_of(leaf.path, [&](const Step& step) { return step.node == at; })) {
            back_up(leaf.path, at);
            ++iterations;
            return true;
        }
        const std::uint32_t chosen = choose(node);
        Edge& edge = tree.edge(node, chosen);
        if (edge.child == nothing && edge.in_flight > 0) {
            take_back(leaf.path);
            return false;
        }
        ++node.in_flight;
        ++edge.in_flight;
        leaf.path.push_back({at, chosen});
        if (edge.child == nothing) {
            leaf.state.assign(tree.state(node), tree.state(node) + static_cast<std::ptrdiff_t>(leaf.state.size()));
            leaf.moves.assign(tree.moves(node), tree.moves(node) + roles_);
            leaf.moves[static_cast<std::size_t>(node.chooser)] = edge.move;
            return true;
        }
        at = edge.child;
        tree.prefetch(at);
    }
}

std::uint32_t GuidedTree::choose(Node& node) const {
    const float root_of_visits = std::sqrt(static_cast<float>(node.visits + node.in_flight) + 1);
    const float scale = top_goal * exploration_ * root_of_visits;
    float top = -std::numeric_limits<float>::infinity();
    std::uint32_t chosen = node.best;
    for (std::uint32_t i = 0; i < node.edges; ++i) {
        const Edge& edge = tree.edge(node, i);
        if (edge.proven) continue;
        const float value = edge.values()[node.chooser];
        const float mean = edge.visits ? edge.mean : value;
        const float score = mix_in(mean, value) +
                            scale * edge.prior / static_cast<float>(1 + edge.visits + edge.in_flight);
        if (score > top) top = score, chosen = i;
    }
    return chosen;
}

Index GuidedTree::insert(const Outlook& outlook, std::size_t position, const float* values) {
    const Outlook::Position& p = outlook.positions[position];
    const std::size_t roles = static_cast<std::size_t>(roles_);
    const std::size_t words = outlook.states.size() / outlook.positions.size();
    if (const Index known = p.over ? nothing : insert_known(&outlook.states[position * words]); known != nothing) return known;
    const Index index = tree.make(&outlook.states[position * words], static_cast<std::uint32_t>(p.count));
    if (index == nothing) return nothing;
    Node& node = tree.node(index);
    node.chooser = std::max(p.mover, 0);
    if (p.count == 0) {
        std::copy_n(values, roles_, tree.values(node));
        node.proven = p.over;
        return index;
    }
    const std::size_t first = static_cast<std::size_t>(p.first);
    std::copy_n(&outlook.moves[first * roles], roles_, tree.moves(node));
    float total = 0;
    const auto chooser = static_cast<std::size_t>(node.chooser);
    for (std::uint32_t i = 0; i < node.edges; ++i) {
        Edge& edge = tree.edge(node, i);
        const float* told = &outlook.values[(first + i) * roles];
        edge.move = outlook.moves[(first + i) * roles + chooser];
        edge.steps = outlook.ends[first + i];
        edge.proven = edge.steps != 0;
        std::copy_n(told, roles_, edge.values());
        edge.prior = std::exp((told[chooser] - top_goal) / temperature);
        total += edge.prior;
        if (!edge.proven || roles_ != 2) continue;
        ends_agree_ &= told[0] + told[1] == top_goal;
        ends_met_ = std::min(ends_met_ + 1, enough_ends);
    }
    for (std::uint32_t i = 0; i < node.edges; ++i) tree.edge(node, i).prior /= total;
    refresh(node);
    return index;
}

// A node that nothing lies below, if something is known of the state from elsewhere.
Index GuidedTree::insert_known(const Word* state) {
    std::vector<int> goals(static_cast<std::size_t>(roles_));
    const int steps = knowledge_ ? knowledge_->find(state, goals.data()) : Knowledge::nothing;
    if (steps == Knowledge::nothing) return nothing;
    const Index index = tree.make(state, 0);
    if (index == nothing) return nothing;
    Node& node = tree.node(index);
    std::ranges::copy(goals, tree.values(node));
    node.proven = true;
    node.steps = static_cast<std::uint8_t>(std::min(steps, longest));
    return index;
}

// A proven win is played the short way, a proven loss the long way.
bool GuidedTree::better(const Edge& a, const Edge& b, std::size_t role) const {
    const float x = a.values()[role], y = b.values()[role];
    if (x != y) return x > y;
    if (a.proven != b.proven) return a.proven != 0;
    return a.proven && (x > middle_goal ? a.steps < b.steps : a.steps > b.steps);
}

void GuidedTree::refresh(Node& node) {
    for (std::uint32_t i = 0; i < node.edges; ++i) {
        if (better(tree.edge(node, i), tree.edge(node, node.best), static_cast<std::size_t>(node.chooser))) node.best = i;
    }
    const Edge& best = tree.edge(node, node.best);
    std::copy_n(best.values(), roles_, tree.values(node));
    node.proven = settled(node);
    node.steps = best.steps;
}

// Whether the values of the best edge are those of perfect play.
bool GuidedTree::settled(Node& node) {
    const Edge& best = tree.edge(node, node.best);
    if (best.proven && best.values()[node.chooser] >= top_goal && one_goal_tells_all()) return true;
    for (std::uint32_t i = 0; i < node.edges; ++i) {
        const Edge& edge = tree.edge(node, i);
        if (!edge.proven) return false;
        // Which of two moves of the same worth to itself a role takes, nobody knows.
        if (edge.values()[node.chooser] == best.values()[node.chooser] &&
            !std::equal(edge.values(), edge.values() + roles_, best.values()))
            return false;
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

void GuidedTree::back_up(const std::vector<Step>& path, Index leaf) {
    const float* told = tree.values(tree.node(leaf));
    std::vector<float> values(told, told + roles_);
    for (std::size_t i = path.size(); i-- > 0;) {
        Node& node = tree.node(path[i].node);
        Edge& edge = tree.edge(node, path[i].edge);
        --node.in_flight, ++node.visits;
        --edge.in_flight, ++edge.visits;
        if (!edge.proven && edge.child != nothing) {
            Node& child = tree.node(edge.child);
            std::copy_n(tree.values(child), roles_, edge.values());
            edge.proven = child.proven != 0;
            edge.steps = static_cast<std::uint8_t>(std::min(child.steps + 1, longest));
            refresh(node);
        }
        edge.mean += (values[static_cast<std::size_t>(node.chooser)] - edge.mean) / static_cast<float>(edge.visits);
        if (node.proven) values.assign(tree.values(node), tree.values(node) + roles_);
    }
    depth = std::max(depth, static_cast<int>(path.size()));
}

void GuidedTree::take_back(const std::vector<Step>& path) {
    for (const Step& step : path) {
        --tree.node(step.node).in_flight;
        --tree.edge(tree.node(step.node), step.edge).in_flight;
    }
}

class Worker {
public:
    Worker(const Game& game, const Evaluation& evaluation, GuidedTree& shared, int lanes)
        : shared_(shared),
          evaluation_(evaluation),
          expander_(game, evaluation, lanes),
          roles_(static_cast<std::size_t>(game.roles())),
          words_(static_cast<std::size_t>(game.state_words())),
          leaves_(batch) {
        for (Leaf& leaf : leaves_) leaf.state.resize(words_);
    }

    void run(TreeLimit& limit) {
        while (!limit.reached()) {
            if (!choose_leaves(limit)) continue;
            look();
            settle(limit);
        }
    }

private:
    bool choose_leaves(TreeLimit& limit) {
        const std::lock_guard guard(shared_.lock);
        count_ = 0;
        for (std::size_t tries = 0; tries < leaves_.size() && !shared_.solved(); ++tries) {
            Leaf& leaf = leaves_[count_];
            if (!shared_.descend(leaf)) break;
            if (is_new(leaf))
                ++count_;
            else
                ++limit.finished;
        }
        if (shared_.solved() && count_ == 0) limit.stopped = true;
        return count_ > 0;
    }

    bool is_new(const Leaf& leaf) const {
        if (leaf.path.empty()) return false;
        Node& node = shared_.tree.node(leaf.path.back().node);
        return shared_.tree.edge(node, leaf.path.back().edge).child == nothing;
    }

    void look() {
        reached_.clear();
        for (std::size_t i = 0; i < count_; ++i)
            reached_.push_back({leaves_[i].state.data(), leaves_[i].moves.data()});
        expander_.look(reached_, outlook_);
        wanted_.assign(count_, 0);
        {
            const std::lock_guard guard(shared_.lock);
            for (std::size_t i = 0; i < count_; ++i) {
                leaves_[i].found = shared_.tree.find(&outlook_.states[i * words_]);
                wanted_[i] = leaves_[i].found == nothing;
            }
        }
        expander_.expand(wanted_, outlook_);
        values_.resize(count_ * roles_);
        evaluation_.values(static_cast<std::int64_t>(count_), outlook_.features.data(), values_.data());
    }

    void settle(TreeLimit& limit) {
        const std::lock_guard guard(shared_.lock);
        for (std::size_t i = 0; i < count_; ++i) {
            Index node = leaves_[i].found;
            if (node == nothing) node = shared_.tree.find(&outlook_.states[i * words_]);
            if (node == nothing) node = shared_.insert(outlook_, i, &values_[i * roles_]);
            if (node == nothing) {
                limit.full = true;
                shared_.take_back(leaves_[i].path);
                continue;
            }
            shared_.link(leaves_[i], node, &outlook_.states[i * words_]);
            shared_.back_up(leaves_[i].path, node);
            ++shared_.iterations;
            ++limit.finished;
        }
        if (shared_.refuted()) limit.refuted = true;
        shared_.state_changes += expander_.state_changes() - told_;
        told_ = expander_.state_changes();
    }

    GuidedTree& shared_;
    const Evaluation& evaluation_;
    Expander expander_;
    const std::size_t roles_, words_;
    std::vector<Leaf> leaves_;
    std::size_t count_ = 0;
    std::vector<Reached> reached_;
    std::vector<std::uint8_t> wanted_;
    std::vector<float> values_;
    Outlook outlook_;
    std::int64_t told_ = 0;
};

class GuidedSearch final : public Search {
public:
    GuidedSearch(const Game& game, const SearchOptions& options)
        : game_(game), evaluation_(options.evaluation), tree_(game, options), reader_(game, *evaluation_, 64) {
        for (int i = 0; i < options.threads; ++i)
            workers_.push_back(std::make_unique<Worker>(game, *evaluation_, tree_, options.lanes));
        set_root(nullptr);
    }

    void set_root(const Word* state) override {
        const std::lock_guard idle(running_), guard(tree_.lock);
        if (!state) state = game_.initial().data();
        tree_.root = tree_.tree.find(state, true);  // the moves of an image are others
        if (tree_.root != nothing) return;
        tree_.root = look_at(state);
        if (tree_.root == nothing) begin_anew(state);
        if (tree_.root == nothing) throw Error("memory_bytes is too small for the moves of this root");
    }

    void run(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        limit_.begin(seconds, playouts);
        while (!tree_.solved() && !limit_.reached()) {
            const std::int64_t before = tree_.iterations;
            run_in_threads(workers_, limit_.stopped, [&](Worker& worker) { worker.run(limit_); });
            if (limit_.refuted) withdraw();
            if (!limit_.full) continue;
            make_room();
            if (tree_.iterations == before) return;  // the children of a leaf need more room than there can be
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
        for (std::uint32_t i = 0; i < root.edges; ++i) {
            const Edge& edge = tree_.tree.edge(root, i);
            const float value = edge.values()[role];
            const float mixed = edge.proven || edge.visits == 0 ? value : mix_in(edge.mean, value);
            moves.moves.push_back({edge.move, edge.visits, mixed, edge.proven ? static_cast<int>(value) : -1});
        }
        moves.best = favourite(moves.moves);
        const bool sure = tree_.tree.edge(root, root.best).proven;
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

    Index look_at(const Word* state) {
        const Reached reached{state, nullptr};
        reader_.look({&reached, 1}, outlook_);
        if (outlook_.positions[0].mover == Outlook::several)
            throw Error("guided search is for positions in which one role chooses");
        reader_.expand({1}, outlook_);
        return tree_.insert(outlook_, 0, outlook_.goals.data());
    }

    void begin_anew(const Word* state) {
        tree_.clear();
        tree_.root = look_at(state);
    }

    // Gives up what was proven of too few ends, with the tree.
    void withdraw() {
        const std::lock_guard guard(tree_.lock);  // someone may be asking for a report
        const Word* state = tree_.tree.state(tree_.tree.node(tree_.root));
        const std::vector<Word> root(state, state + game_.state_words());
        begin_anew(root.data());
        limit_.full = limit_.refuted = false;
    }

    void make_room() {
        const std::lock_guard guard(tree_.lock);  // someone may be asking for a report
        const std::int64_t before = tree_.tree.nodes();
        tree_.root = tree_.tree.compact(tree_.root);
        tree_.recycled += before - tree_.tree.nodes();
        limit_.full = false;
    }

    const Game& game_;
    const std::shared_ptr<const Evaluation> evaluation_;
    mutable GuidedTree tree_;
    Expander reader_;
    Outlook outlook_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::mutex running_;
    TreeLimit limit_;
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
