#include "mcts/stats_sync.hpp"

#include <algorithm>
#include <unordered_set>

namespace ludens {

namespace {

constexpr std::uint32_t busy_part = 256;   // of the root's visits, that a node needs to be shared ...
constexpr std::uint32_t busy_visits = 64;  // ... and how many at least
constexpr std::size_t most_busy = 512;

bool alone(const Node& node) { return node.head.kind >= NodeHead::turn_of; }

std::uint64_t key_of(const Word* state, int words) {
    std::uint64_t key = 0;
    for (int i = 0; i < words; ++i) key = mix(key + 0x9e3779b97f4a7c15u + state[i]);
    return key;
}

// Calls use(edge, ordinal) for each edge of a node where one role chooses.
template <class Use>
void each_edge(const Tree& tree, Index node, Use use) {
    std::size_t ordinal = 0;
    for (Index i = node; is_chunk(i); i = tree.chunk(i).next) {
        for (int place = 0; place < Chunk::size; ++place, ++ordinal) {
            if (tree.chunk(i).move[place] >= 0) use(Edge{i, place}, ordinal);
        }
    }
}

}  // namespace

void EdgeResult::add(const EdgeResult& more) {
    if (more.proven() >= 0) distance = proven() >= 0 ? std::min(distance, more.distance) : more.distance;
    visits += more.visits;
    goals += more.goals;
    lower = std::max(lower, more.lower);
    upper = std::min(upper, more.upper);
}

// ---- Bulletins -----------------------------------------------------------------------------------------------

std::vector<EdgeResult>& Bulletin::begin(std::uint64_t node) {
    places_[node].first = edges_.size();
    return edges_;
}

std::span<const EdgeResult> Bulletin::of(std::uint64_t node) const {
    const auto place = places_.find(node);
    if (place == places_.end()) return {};
    const auto [begin, end] = place->second;
    return {edges_.data() + begin, end - begin};
}

void BulletinBoard::post(int thread, std::shared_ptr<const Bulletin> bulletin) {
    const std::lock_guard lock(mutex_);
    bulletins_[static_cast<std::size_t>(thread)] = std::move(bulletin);
}

std::vector<std::shared_ptr<const Bulletin>> BulletinBoard::of_others(int thread) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<const Bulletin>> others;
    for (std::size_t i = 0; i < bulletins_.size(); ++i) {
        if (static_cast<int>(i) != thread && bulletins_[i]) others.push_back(bulletins_[i]);
    }
    return others;
}

// ---- What is shared ------------------------------------------------------------------------------------------

void TreeShare::compare_ends() {
    if (tree_.ends_differ())
        board_.ends_differ = true;
    else if (board_.ends_differ)
        tree_.note_that_ends_differ();
}

void TreeShare::exchange(Ref root) {
    find_busy(root);
    give_back();
    tell();
    take();
}

// Breadth first, so that those near the root are among them if there are too many.
void TreeShare::find_busy(Ref root) {
    busy_.clear();
    if (!alone(tree_.node(root.index))) return;
    const std::uint32_t enough = std::max(tree_.node(root.index).head.visits / busy_part, busy_visits);
    std::unordered_set<Index> seen{root.index};
    const auto add = [&](Ref ref) {
        busy_.push_back({ref, key_of(tree_.state(tree_.node(ref.index)), tree_.state_words())});
    };
    add(root);
    for (std::size_t i = 0; i < busy_.size(); ++i) {
        each_edge(tree_, busy_[i].node.index, [&](Edge edge, std::size_t) {
            const Chunk& chunk = tree_.chunk(edge.chunk);
            const Ref child{chunk.child[edge.place], chunk.tag[edge.place]};
            if (chunk.visits[edge.place] < enough || !child || busy_.size() == most_busy) return;
            const Node& node = tree_.node(child.index);
            if (node.head.generation == child.generation && alone(node) && seen.insert(child.index).second) add(child);
        });
    }
}

void TreeShare::give_back() {
    std::unordered_set<Index> shared;
    for (const Busy& busy : busy_) shared.insert(busy.node.index);
    std::erase_if(borrowed_, [&](auto& entry) {
        auto& [index, borrowed] = entry;
        Node& node = tree_.node(index);
        if (node.head.generation != borrowed.generation) return true;
        if (shared.contains(index)) return false;
        each_edge(tree_, index, [&](Edge edge, std::size_t ordinal) {
            if (ordinal >= borrowed.edges.size()) return;
            const Taken& taken = borrowed.edges[ordinal];
            change(node, tree_.chunk(edge.chunk), edge.place, {-taken.visits, -taken.goals});
        });
        return true;
    });
}

// ---- What the tree found out itself --------------------------------------------------------------------------

void TreeShare::tell() const {
    auto bulletin = std::make_shared<Bulletin>();
    bulletin->assumes = tree_.assumes();
    for (const Busy& busy : busy_) {
        std::vector<EdgeResult>& edges = bulletin->begin(busy.key);
        const Borrowed* borrowed = this->borrowed(busy.node);
        each_edge(tree_, busy.node.index, [&](Edge edge, std::size_t ordinal) {
            const EdgeResult result = own(tree_.chunk(edge.chunk), edge.place, borrowed, ordinal);
            if (result.visits > 0 || result.lower > 0 || result.upper < best_goal) edges.push_back(result);
        });
        bulletin->end(busy.key);
    }
    board_.post(thread_, std::move(bulletin));
}

const TreeShare::Borrowed* TreeShare::borrowed(Ref node) const {
    const auto found = borrowed_.find(node.index);
    return found == borrowed_.end() || found->second.generation != node.generation ? nullptr : &found->second;
}

EdgeResult TreeShare::own(Ref node, Edge edge) const {
    const Borrowed* borrowed = this->borrowed(node);
    std::size_t ordinal = static_cast<std::size_t>(edge.place);
    for (Index i = node.index; borrowed != nullptr && i != edge.chunk; i = tree_.chunk(i).next) ordinal += Chunk::size;
    return own(tree_.chunk(edge.chunk), edge.place, borrowed, ordinal);
}

EdgeResult TreeShare::own(const Chunk& chunk, int place, const Borrowed* borrowed, std::size_t ordinal) const {
    EdgeResult result{.move = chunk.move[place], .visits = chunk.completed(place)};
    result.lower = chunk.lower[place];
    result.upper = chunk.upper[place];
    const double mean = chunk.mean[place] == Chunk::closed ? result.upper : chunk.mean[place];
    if (result.visits > 0) result.goals = mean * static_cast<double>(result.visits);
    if (result.proven() >= 0) result.distance = static_cast<std::uint16_t>(tree_.distance(chunk, place));
    if (borrowed == nullptr || ordinal >= borrowed->edges.size()) return result;
    const Taken& taken = borrowed->edges[ordinal];
    result.visits = std::max<std::int64_t>(result.visits - taken.visits, 0);
    result.goals = std::clamp(result.goals - taken.goals, 0.0, static_cast<double>(best_goal * result.visits));
    return result;
}

std::int64_t TreeShare::own_visits(Ref ref) const {
    Node& node = tree_.node(ref.index);
    std::int64_t visits = node.head.visits - tree_.in_flight(node);
    const Borrowed* borrowed = this->borrowed(ref);
    if (borrowed == nullptr) return visits;
    for (const Taken& taken : borrowed->edges) visits -= taken.visits;
    return visits;
}

// ---- What it takes from others -------------------------------------------------------------------------------

void TreeShare::take() {
    auto bulletins = board_.of_others(thread_);
    if (tree_.ends_differ()) std::erase_if(bulletins, [](const auto& bulletin) { return bulletin->assumes; });
    if (std::ranges::any_of(bulletins, [](const auto& bulletin) { return bulletin->assumes; })) tree_.note_assumption();
    for (const Busy& busy : busy_) take(busy, bulletins);
}

void TreeShare::take(const Busy& busy, std::span<const std::shared_ptr<const Bulletin>> bulletins) {
    for (const int move : told_of_) told_[static_cast<std::size_t>(move)] = {.move = -1};
    told_of_.clear();
    for (const auto& bulletin : bulletins) {
        for (const EdgeResult& edge : bulletin->of(busy.key)) {
            const auto move = static_cast<std::size_t>(edge.move);
            if (move >= told_.size()) told_.resize(move + 1, EdgeResult{.move = -1});
            EdgeResult& sum = told_[move];
            if (sum.move < 0) told_of_.push_back(sum.move = edge.move);
            sum.add(edge);
        }
    }
    if (told_of_.empty()) return;
    Node& node = tree_.node(busy.node.index);
    Borrowed& borrowed = borrowed_[busy.node.index];
    borrowed.generation = busy.node.generation;  // give_back() has removed what was another node's
    each_edge(tree_, busy.node.index, [&](Edge edge, std::size_t ordinal) {
        Chunk& chunk = tree_.chunk(edge.chunk);
        const auto move = static_cast<std::size_t>(chunk.move[edge.place]);
        if (move >= told_.size() || told_[move].move < 0) return;
        if (ordinal >= borrowed.edges.size()) borrowed.edges.resize(ordinal + 1);
        Taken& taken = borrowed.edges[ordinal];
        const EdgeResult& told = told_[move];
        if (change(node, chunk, edge.place, {told.visits - taken.visits, told.goals - taken.goals})) {
            taken = {told.visits, told.goals};
        }
        learn(busy.node, edge, told);
    });
}

// `more` visits with results, or fewer; false where there are none, or it is not possible.
bool TreeShare::change(Node& node, Chunk& chunk, int place, const Taken& more) const {
    const std::int64_t before = chunk.completed(place), after = before + more.visits;
    if (more.visits == 0 || after < 0 || chunk.visits[place] + more.visits > Tree::visit_limit) return false;
    const bool open = chunk.mean[place] != Chunk::closed;
    if (open && after > 0) {
        const double goals = (before > 0 ? chunk.mean[place] * static_cast<double>(before) : 0) + more.goals;
        chunk.mean[place] = static_cast<float>(
            std::clamp<double>(goals / static_cast<double>(after), chunk.lower[place], chunk.upper[place]));
    }
    if (open && chunk.visits[place] + more.visits == 0) chunk.mean[place] = Chunk::fresh;
    chunk.complete(place, static_cast<std::uint32_t>(after));
    node.head.visits = static_cast<std::uint32_t>(node.head.visits + more.visits);
    return true;
}

// The bounds of the other roles follow from those of the one that chooses, or are not known.
void TreeShare::learn(Ref ref, Edge edge, const EdgeResult& from) {
    const Chunk& chunk = tree_.chunk(edge.chunk);
    const bool news = from.lower > chunk.lower[edge.place] || from.upper < chunk.upper[edge.place];
    const bool possible = from.lower <= chunk.upper[edge.place] && from.upper >= chunk.lower[edge.place];
    if (!news || !possible) return;
    Node& node = tree_.node(ref.index);
    proof_.known = true;
    proof_.distance = from.distance;
    proof_.bounds.resize(2 * static_cast<std::size_t>(tree_.roles()));
    for (std::size_t r = 0; r < proof_.bounds.size(); r += 2) proof_.bounds[r] = 0, proof_.bounds[r + 1] = best_goal;
    const auto mover = static_cast<std::size_t>(node.head.kind - NodeHead::turn_of);
    proof_.bounds[2 * mover] = from.lower;
    proof_.bounds[2 * mover + 1] = from.upper;
    tree_.refine(node, ref.index, edge, proof_);
}

}  // namespace ludens
