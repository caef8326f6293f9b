#include "mcts/stats_sync.hpp"

#include <algorithm>
#include <unordered_set>

namespace ludens::mcts {

namespace {

constexpr std::uint32_t shared_part = 256;   // of the root's visits, that a node needs to be shared ...
constexpr std::uint32_t shared_visits = 64;  // ... and how many at least
constexpr std::size_t most_shared = 512;

bool alone(const Node& node) { return node.head.kind >= NodeHead::turn_of; }

std::uint64_t key_of(const Word* state, int words) {
    return StatsSnapshot::key({state, static_cast<std::size_t>(words)});
}

bool relies(const std::shared_ptr<const StatsSnapshot>& snapshot) { return snapshot->sums == SumReliance::relied; }

// Calls use(edge, ordinal) for each edge of a node where one role chooses.
template <class Use> void each_edge(const Tree& tree, Index node, Use use) {
    std::size_t ordinal = 0;
    for (Index i = node; is_block(i); i = tree.block(i).next) {
        for (int place = 0; place < EdgeBlock::size; ++place, ++ordinal) {
            if (tree.block(i).move[place] >= 0) use(Edge{i, place}, ordinal);
        }
    }
}

}  // namespace

// ---- What is passed on to and from other searches --------------------------------------------------------------

StatsSnapshot StatsExchange::sum_of_threads(int most) const {
    auto own = snapshots(0, threads_);
    StatsSnapshot sum;
    if (sums_differ) {
        sum.sums = SumReliance::refuted;
        std::erase_if(own, relies);
    } else if (std::ranges::any_of(own, relies)) {
        sum.sums = SumReliance::relied;
    }
    if (own.empty()) return sum;
    const std::span nodes = own[0]->nodes();
    EdgeSums edges;
    for (const std::uint64_t node : nodes.first(std::min(nodes.size(), static_cast<std::size_t>(most)))) {
        edges.collect(own, node);
        std::vector<EdgeStats>& list = sum.begin(node);
        for (const int move : edges.moves()) list.push_back(*edges.of(move));
        sum.end(node);
    }
    return sum;
}

std::vector<EdgeStats> StatsExchange::sum_of_peers(std::uint64_t node) const {
    auto peers = snapshots(threads_, snapshots_.size());
    if (sums_differ) std::erase_if(peers, relies);
    EdgeSums edges;
    edges.collect(peers, node);
    std::vector<EdgeStats> sum;
    for (const int move : edges.moves()) sum.push_back(*edges.of(move));
    return sum;
}

// Those of places `begin` to `end` that there are.
std::vector<std::shared_ptr<const StatsSnapshot>> StatsExchange::snapshots(std::size_t begin, std::size_t end) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<const StatsSnapshot>> found;
    for (std::size_t i = begin; i < end; ++i)
        if (snapshots_[i]) found.push_back(snapshots_[i]);
    return found;
}

// ---- What is shared ------------------------------------------------------------------------------------------

void StatsSync::compare_ends() {
    if (tree_.goal_sums().refuted()) exchange_.sums_differ = true;
    else if (exchange_.sums_differ) tree_.goal_sums().refute();
}

void StatsSync::follow_halving() {
    for (const Index index : tree_.take_halved()) {
        const auto found = imported_.find(index);
        if (found == imported_.end()) continue;
        for (ImportedEdge& edge : found->second.edges) edge = {edge.visits / 2, edge.goals / 2};
    }
}

void StatsSync::exchange(Ref root, LockCosts& costs) {
    find_shared(root);
    return_imports();
    publish(costs);
    import_others(costs);
}

// Breadth first, so that those near the root are among them if there are too many.
void StatsSync::find_shared(Ref root) {
    shared_.clear();
    if (!alone(tree_.node(root.index))) return;
    const std::uint32_t enough = std::max(tree_.node(root.index).head.visits / shared_part, shared_visits);
    std::unordered_set<Index> seen{root.index};
    const auto add = [&](Ref ref) {
        shared_.push_back({ref, key_of(tree_.state(tree_.node(ref.index)), tree_.state_words())});
    };
    add(root);
    for (std::size_t i = 0; i < shared_.size(); ++i) {
        each_edge(tree_, shared_[i].node.index, [&](Edge edge, std::size_t) {
            const EdgeBlock& block = tree_.block(edge.block);
            const Ref child{block.child[edge.place], block.tag[edge.place]};
            if (block.visits[edge.place] < enough || !child || shared_.size() == most_shared) return;
            const Node& node = tree_.node(child.index);
            if (node.head.generation == child.generation && alone(node) && seen.insert(child.index).second) add(child);
        });
    }
}

void StatsSync::return_imports() {
    std::unordered_set<Index> shared;
    for (const SharedNode& node : shared_) shared.insert(node.node.index);
    std::erase_if(imported_, [&](auto& entry) {
        auto& [index, imported] = entry;
        Node& node = tree_.node(index);
        if (node.head.generation != imported.generation) return true;
        if (shared.contains(index)) return false;
        each_edge(tree_, index, [&, &imported = imported](Edge edge, std::size_t ordinal) {
            if (ordinal >= imported.edges.size()) return;
            const ImportedEdge& before = imported.edges[ordinal];
            adjust(node, tree_.block(edge.block), edge.place, {-before.visits, -before.goals});
        });
        return true;
    });
}

// ---- What the tree found out itself --------------------------------------------------------------------------

void StatsSync::publish(LockCosts& costs) const {
    auto snapshot = std::make_shared<StatsSnapshot>();
    if (tree_.assumes()) snapshot->sums = SumReliance::relied;
    for (const SharedNode& shared : shared_) {
        std::vector<EdgeStats>& edges = snapshot->begin(shared.key);
        const ImportedNode* imported = this->imported(shared.node);
        each_edge(tree_, shared.node.index, [&](Edge edge, std::size_t ordinal) {
            const EdgeStats result = own(tree_.block(edge.block), edge.place, imported, ordinal);
            if (result.known()) edges.push_back(result);
        });
        snapshot->end(shared.key);
    }
    exchange_.publish(thread_, std::move(snapshot), costs);
}

const StatsSync::ImportedNode* StatsSync::imported(Ref node) const {
    const auto found = imported_.find(node.index);
    return found == imported_.end() || found->second.generation != node.generation ? nullptr : &found->second;
}

EdgeStats StatsSync::own(Ref node, Edge edge) const {
    const ImportedNode* imported = this->imported(node);
    std::size_t ordinal = static_cast<std::size_t>(edge.place);
    for (Index i = node.index; imported != nullptr && i != edge.block; i = tree_.block(i).next)
        ordinal += EdgeBlock::size;
    return own(tree_.block(edge.block), edge.place, imported, ordinal);
}

EdgeStats StatsSync::own(const EdgeBlock& block, int place, const ImportedNode* imported, std::size_t ordinal) const {
    EdgeStats result{.move = block.move[place], .visits = block.completed(place)};
    result.lower = block.lower[place];
    result.upper = block.upper[place];
    const double mean = block.mean[place] == EdgeBlock::closed ? result.upper : block.mean[place];
    if (result.visits > 0) result.goals = mean * static_cast<double>(result.visits);
    if (result.proven() >= 0) result.distance = static_cast<std::uint16_t>(tree_.distance(block, place));
    if (imported == nullptr || ordinal >= imported->edges.size()) return result;
    const ImportedEdge& of_others = imported->edges[ordinal];
    result.visits = std::max<std::int64_t>(result.visits - of_others.visits, 0);
    result.goals = std::clamp(result.goals - of_others.goals, 0.0, static_cast<double>(best_goal * result.visits));
    return result;
}

std::int64_t StatsSync::own_visits(Ref ref) const {
    Node& node = tree_.node(ref.index);
    std::int64_t visits = node.head.visits - tree_.in_flight(node);
    const ImportedNode* imported = this->imported(ref);
    if (imported == nullptr) return visits;
    for (const ImportedEdge& edge : imported->edges) visits -= edge.visits;
    return visits;
}

// ---- What it takes from others -------------------------------------------------------------------------------

void StatsSync::import_others(LockCosts& costs) {
    auto snapshots = exchange_.snapshots_of_others(thread_, costs);
    if (tree_.goal_sums().refuted()) std::erase_if(snapshots, relies);
    if (std::ranges::any_of(snapshots, relies)) tree_.note_assumption();
    for (const SharedNode& shared : shared_) import_others(shared, snapshots);
}

void StatsSync::import_others(const SharedNode& shared,
                              std::span<const std::shared_ptr<const StatsSnapshot>> snapshots) {
    received_.collect(snapshots, shared.key);
    if (received_.moves().empty()) return;
    Node& node = tree_.node(shared.node.index);
    ImportedNode& imported = imported_[shared.node.index];
    imported.generation = shared.node.generation;  // return_imports() has removed what was another node's
    each_edge(tree_, shared.node.index, [&](Edge edge, std::size_t ordinal) {
        EdgeBlock& block = tree_.block(edge.block);
        const EdgeStats* now = received_.of(block.move[edge.place]);
        if (now == nullptr) return;
        if (ordinal >= imported.edges.size()) imported.edges.resize(ordinal + 1);
        ImportedEdge& before = imported.edges[ordinal];
        if (adjust(node, block, edge.place, {now->visits - before.visits, now->goals - before.goals})) {
            before = {now->visits, now->goals};
        }
        import_bounds(shared.node, edge, *now);
    });
}

// `more` visits with results, or fewer; false where there are none, or it is not possible.
bool StatsSync::adjust(Node& node, EdgeBlock& block, int place, const ImportedEdge& more) const {
    const std::int64_t before = block.completed(place), after = before + more.visits;
    if (more.visits == 0 || after < 0 || block.visits[place] + more.visits > Tree::visit_limit) return false;
    const bool open = block.mean[place] != EdgeBlock::closed;
    if (open && after > 0) {
        const double goals = (before > 0 ? block.mean[place] * static_cast<double>(before) : 0) + more.goals;
        block.mean[place] = static_cast<float>(
            std::clamp<double>(goals / static_cast<double>(after), block.lower[place], block.upper[place]));
    }
    if (open && block.visits[place] + more.visits == 0) block.mean[place] = EdgeBlock::untried;
    block.set_completed(place, static_cast<std::uint32_t>(after));
    node.head.visits = static_cast<std::uint32_t>(node.head.visits + more.visits);
    return true;
}

// The bounds of the other roles follow from those of the one that chooses, or are not known.
void StatsSync::import_bounds(Ref ref, Edge edge, const EdgeStats& from) {
    const EdgeBlock& block = tree_.block(edge.block);
    const bool news = from.lower > block.lower[edge.place] || from.upper < block.upper[edge.place];
    const bool possible = from.lower <= from.upper && from.lower <= block.upper[edge.place] &&
                          from.upper >= block.lower[edge.place];  // others may have taken different sums for likely
    if (!news || !possible) return;
    Node& node = tree_.node(ref.index);
    proof_.known = true;
    proof_.distance = from.distance;
    proof_.bounds.resize(2 * static_cast<std::size_t>(tree_.roles()));
    for (std::size_t r = 0; r < proof_.bounds.size(); r += 2) {
        proof_.bounds[r] = 0;
        proof_.bounds[r + 1] = best_goal;
    }
    const auto mover = static_cast<std::size_t>(node.head.kind - NodeHead::turn_of);
    proof_.bounds[2 * mover] = from.lower;
    proof_.bounds[2 * mover + 1] = from.upper;
    tree_.refine(node, ref.index, edge, proof_);
}

}  // namespace ludens::mcts
