// One thread of the depth-first proof-number search.
//
// df-pn: A. Nagai, "Df-pn Algorithm for Searching AND/OR Trees and Its Applications", 2002. The leaf that is expanded
// is that of proof-number search (L. V. Allis, "Searching for Solutions in Games and Artificial Intelligence", 1994),
// which takes the least work to value the root if every leaf took as much as its first numbers say; but it is found
// depth first, with a table of numbers instead of a tree: a state is searched until its numbers are no longer below
// limits, which are such that then another state may be the one to expand.
//
// - First numbers are how many moves the role to move has, for what it would prevent; or what a learned evaluation
//   says (A. Kishimoto and M. Mueller, "Search versus Knowledge for Solving Life and Death Problems in Go", 2005).
// - A child is searched until it is a quarter worse than the second best, so that the search does not go to and fro
//   (J. Pawlewicz and L. Lew, "Improving Depth-First PN-Search: 1 + epsilon Trick", 2007).
// - A state that is on the way from the root already can be neither proven nor disproven from here. Nothing is taken
//   for proven on that ground, so what is stored as proven holds however a state is reached: proofs are finite trees
//   whose leaves are ends of games (the graph-history interaction, Kishimoto and Mueller, 2004, concerns what is not
//   proven). A state of which all that is left is such states is hopeless, for this round. If the root is, another
//   round begins, as long as the last has proven anything: of the states that can be proven, one that is next to what
//   has been proven is looked at in every round, and settled.
// - Proofs are as many plies long as it takes at most to bring about what they say, so the one who plays the move with
//   the shortest comes nearer to it with every move, in games where states come again, too.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "depth_first/child_expander.hpp"
#include "depth_first/proof_table.hpp"

namespace ludens::proof {

using depth_first::ChildBatch;
using depth_first::ChildExpander;
using depth_first::Node;

constexpr std::size_t longest_way = 600;        // plies that are searched
constexpr std::uint32_t unlimited = never + 1;  // of limits: not even what can never be done ends the search
constexpr int visits_between_checks = 64;       // of the clock
constexpr std::size_t most_expanded = 5;        // of further siblings too few are ever visited
constexpr std::uint32_t most_searchers = 6;     // threads in one place
constexpr double evaluation_weight = 30;        // what is shared out between the first numbers

inline bool is_settled(const Numbers& n) { return n[0] == settled || n[1] == settled; }
inline bool is_hopeless(const Numbers& n) { return n[0] == never && n[1] == never; }

// What the threads keep of batches of children: most of it in their caches, the rest to be used again.
inline std::int64_t batch_bytes(const SearchOptions& options) { return options.memory_bytes / 8; }
inline std::int64_t spare_bytes(const SearchOptions& options) { return batch_bytes(options) / options.threads / 4; }
inline std::int64_t cache_bytes(const SearchOptions& options) {
    return batch_bytes(options) / options.threads - spare_bytes(options);
}

inline std::uint16_t one_more(std::uint16_t plies) { return static_cast<std::uint16_t>(plies + (plies < UINT16_MAX)); }

// Batches of children that have been made, kept for when the search comes to their state, or back to it.
class ChildCache {
public:
    // Of so many bytes, but for one batch. What is given up is recycled in the expander.
    ChildCache(std::int64_t bytes, const Game& game, ChildExpander& expander)
        : most_bytes_(bytes), slots_(std::bit_floor(std::clamp<std::uint64_t>(
                                  static_cast<std::uint64_t>(bytes) / usual_bytes(game), 1, most))),
          expander_(expander) {}

    bool has(std::uint64_t key) const { return slot(key).children && slot(key).key == key; }

    // Null where there is none.
    std::unique_ptr<ChildBatch> take(std::uint64_t key) { return has(key) ? take(slot(key)) : nullptr; }

    void keep(std::uint64_t key, std::unique_ptr<ChildBatch> children) {
        Slot& place = slot(key);
        give_up(place);
        const std::int64_t bytes = children->bytes();
        while (bytes_ > 0 && bytes_ + bytes > most_bytes_) give_up(slots_[hand_++ & (slots_.size() - 1)]);
        bytes_ += bytes;
        place = {key, std::move(children), bytes};
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::unique_ptr<ChildBatch> children;
        std::int64_t bytes = 0;
    };

    static constexpr std::uint64_t most = 1 << 10;  // more do not fit into the processor's caches
    static constexpr std::uint64_t usual_moves = 32;

    static std::uint64_t usual_bytes(const Game& game) {
        const auto words = static_cast<std::uint64_t>(game.state_words() + game.move_words());
        return sizeof(ChildBatch) + usual_moves * (sizeof(Node) + words * sizeof(Word));
    }

    const Slot& slot(std::uint64_t key) const { return slots_[key >> 32 & (slots_.size() - 1)]; }
    Slot& slot(std::uint64_t key) { return slots_[key >> 32 & (slots_.size() - 1)]; }

    std::unique_ptr<ChildBatch> take(Slot& slot) {
        bytes_ -= std::exchange(slot.bytes, 0);
        return std::move(slot.children);
    }
    void give_up(Slot& slot) { expander_.recycle_alone(take(slot)); }

    const std::int64_t most_bytes_;
    std::vector<Slot> slots_;
    ChildExpander& expander_;
    std::int64_t bytes_ = 0;  // of the batches
    std::size_t hand_ = 0;    // which goes round the slots for want of room
};

// What the threads of a search have in common.
struct Shared {
    const StateKey keys;
    Table table;
    const std::int64_t kept;             // at most, of batches of children
    Limit limit;                         // counts states as playouts, made or looked at again
    std::atomic<bool> answered = false;  // the question is: all may stop
    std::atomic<std::int64_t> states = 0, proofs = 0;
    std::uint16_t round = 0;       // states that were hopeless in one are looked at again in the next
    std::atomic<int> deepest = 0;  // plies from a root
    // How many threads are below a state, by some bits of its key.
    std::array<std::atomic<std::uint8_t>, 1 << 14> searchers{};

    Shared(const Game& game, const SearchOptions& options)
        : keys(game, options.symmetries), table(keys.left_of(options.memory_bytes - batch_bytes(options))),
          kept(batch_bytes(options)) {}
    std::int64_t bytes() const { return keys.bytes() + table.bytes() + kept; }
    std::atomic<std::uint8_t>& searchers_of(std::uint64_t key) { return searchers[key >> 40 & (searchers.size() - 1)]; }
};

// What is known of a state during a search.
struct NodeStatus {
    Numbers numbers;
    Proof proof;
};

class Worker {
public:
    // Is told what has been found out about the root's child number i and how many visits that took; says
    // whether to go on.
    using Observer = std::function<bool(std::size_t i, const NodeStatus& status, std::int64_t visits)>;

    Worker(const Game& game, const SearchOptions& options, Shared& shared)
        : shared_(shared), alone_(options.threads == 1), guided_(options.evaluation != nullptr),
          expander_(game, options, shared.keys, spare_bytes(options)), cache_(cache_bytes(options), game, expander_) {
        root_.legal.resize(static_cast<std::size_t>(game.move_words()));
    }

    // A state that may become the root, with its children unless the game is over.
    struct Root {
        std::vector<Word> legal;
        Node node;
    };

    // Makes a root that refers to `state`, [state_words]; the worker keeps the one that it has.
    Root make_root(Word* state) {
        Root made{std::vector<Word>(root_.legal.size()), {}};
        made.node = expander_.root(state, made.legal.data());
        Node* const one[] = {&made.node};
        if (made.node.over) return made;
        expander_.expand(one);
        expander_.compute_keys(*made.node.children);
        return made;
    }
    // Takes a root that it has made.
    void set_root(Root made) {
        expander_.recycle(std::move(root_.node.children));
        root_ = std::move(made);
    }
    // Its children are made unless the game is over.
    const Node& root() const { return root_.node; }
    // What is known of a state where `question` is asked, `proven` beside what the table knows.
    NodeStatus look_up(const Node& node, Value question, const Proof& proven = {}) {
        NodeStatus found{{}, {node.proven, {}}};
        found.proof.meet(proven);
        std::optional<Entry> entry;
        if (!node.proven.exact()) entry = shared_.table.find(node.key);
        if (entry) found.proof.meet(entry->proof);
        if (found.proof.bounds.low >= question) {
            found.numbers = {settled, never};
        } else if (found.proof.bounds.high < question) {
            found.numbers = {never, settled};
        } else {
            const bool fits = entry && entry->question == question;
            const bool outdated = fits && is_hopeless(entry->numbers) && entry->round != shared_.round;
            found.numbers = fits && !outdated ? entry->numbers : first_numbers(node);
        }
        return found;
    }

    // Finds out whether the root is worth as much as asked for, until it is known, it can neither be proven nor be
    // disproven, or the observer wants no more. Throws Interrupted.
    void answer(Value question, const Observer& observer) {
        question_ = question;
        observer_ = &observer;
        wanted_ = true;
        expand(root_.node, {unlimited, unlimited});
    }

    ChildExpander& expander() { return expander_; }

private:
    struct ChildStatus {
        NodeStatus status;
        bool duplicate;  // of one before: a state that counts once
    };

    // A state on the way from the root to where the search is.
    struct Level {
        std::uint64_t key;
        ChildBatch* batch;
        std::vector<ChildStatus> children;  // of the nodes in the batch
    };

    // Marks a state as being searched.
    class Visit {
    public:
        Visit(Worker& worker, std::uint64_t key) : worker_(worker), key_(key) {
            ++worker_.path_[key_ % worker_.path_.size()];
            ++worker_.depth_;
            if (!worker_.alone_) worker_.shared_.searchers_of(key_).fetch_add(1, std::memory_order_relaxed);
        }
        Visit(const Visit&) = delete;
        ~Visit() {
            --worker_.path_[key_ % worker_.path_.size()];
            --worker_.depth_;
            if (!worker_.alone_) worker_.shared_.searchers_of(key_).fetch_sub(1, std::memory_order_relaxed);
        }

    private:
        Worker& worker_;
        const std::uint64_t key_;
    };

    // Searches a state until one of its numbers has reached its limit.
    NodeStatus expand(Node& node, Numbers limits) {
        std::unique_ptr<ChildBatch> taken;
        Level& level = level_at(depth_);
        level = {node.key, batch_of(node, taken), std::move(level.children)};
        if (!level.batch->searchable || depth_ >= longest_way) {
            expander_.recycle(std::move(taken));
            return {{never, never}, {node.proven, {}}};
        }
        const std::int64_t before = visits_++;
        const std::size_t depth = depth_;
        const Visit visit(*this, node.key);
        if (static_cast<int>(depth_) > shared_.deepest) shared_.deepest = static_cast<int>(depth_);
        read_children(level);
        Numbers here = numbers_of(level), child_limits;
        while (here[0] < limits[0] && here[1] < limits[1] && !is_settled(here) && !is_hopeless(here) && wanted_) {
            const std::size_t i = choose(level, here, limits, child_limits);
            const std::int64_t visits = visits_;
            level.children[i].status = expand(level.batch->nodes[i], child_limits);
            if (depth == 0) wanted_ = (*observer_)(i, level.children[i].status, visits_ - visits);
            here = numbers_of(level);
        }
        const NodeStatus status{here, proof_of(level)};
        if (is_settled(here)) shared_.proofs.fetch_add(1, std::memory_order_relaxed);
        else if (!is_hopeless(here)) here = {std::min(here[0], most), std::min(here[1], most)};
        const auto work = static_cast<std::uint32_t>(std::min<std::int64_t>(UINT32_MAX, visits_ - before));
        shared_.table.store({node.key, here, status.proof, question_, shared_.round, work});
        if (taken) cache_.keep(node.key, std::move(taken));
        return status;
    }

    // The children of a state, which is either part of its node or taken from those that are kept.
    ChildBatch* batch_of(Node& node, std::unique_ptr<ChildBatch>& taken) {
        if (node.children) return node.children.get();
        taken = cache_.take(node.key);
        if (taken) {
            shared_.limit.finished.fetch_add(1, std::memory_order_relaxed);
            if (visits_ % visits_between_checks == 0) check_limit();
        } else {
            expand_siblings(node);
            taken = std::move(node.children);
        }
        return taken.get();
    }

    // Makes the children of a state and, as far as there are lanes, those of its siblings, the most promising first.
    void expand_siblings(Node& node) {
        check_limit();
        to_expand_ = {&node};
        int room = expander_.lanes() - expander_.branching(node).moves;
        if (depth_ > 0) {
            const Level& parent = levels_[depth_ - 1];
            const auto mover = static_cast<std::size_t>(parent.batch->mover);
            candidates_.clear();
            for (std::size_t i = 0; i < parent.children.size(); ++i) {
                Node& sibling = parent.batch->nodes[i];
                const ChildStatus& child = parent.children[i];
                if (&sibling == &node || child.duplicate || sibling.over || is_settled(child.status.numbers)) continue;
                if (!cache_.has(sibling.key)) candidates_.push_back({child.status.numbers[mover], &sibling});
            }
            std::ranges::sort(candidates_, {}, [](const auto& c) { return c.first; });
            for (const auto& [number, sibling] : candidates_) {
                room -= expander_.branching(*sibling).moves;
                if (room < 0 || to_expand_.size() == most_expanded) break;
                to_expand_.push_back(sibling);
            }
        }
        const std::int64_t before = expander_.made();
        expander_.expand(to_expand_);
        shared_.limit.finished.fetch_add(expander_.made() - before, std::memory_order_relaxed);
        shared_.states.fetch_add(expander_.made() - before, std::memory_order_relaxed);
        for (std::size_t i = 1; i < to_expand_.size(); ++i)
            cache_.keep(to_expand_[i]->key, std::move(to_expand_[i]->children));
    }

    void read_children(Level& level) {
        expander_.compute_keys(*level.batch);
        const auto& nodes = level.batch->nodes;
        for (const Node& node : nodes)
            if (!node.proven.exact()) shared_.table.prefetch(node.key);
        ++reading_;
        level.children.resize(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Node& node = nodes[i];
            ChildStatus& child = level.children[i];
            auto& met = met_[node.key % met_.size()];
            child.duplicate = met == std::pair(node.key, reading_);
            met = {node.key, reading_};
            child.status = look_up(node, question_);
            if (!is_settled(child.status.numbers) && repeats(node.key)) child.status.numbers = {never, never};
        }
    }

    // Who moves needs one child for what it wants, and all of them are needed to prevent it.
    Numbers numbers_of(const Level& level) const {
        const auto mover = static_cast<std::size_t>(level.batch->mover);
        std::uint32_t best = never;
        std::uint64_t sum = 0;
        bool possible = true;
        for (const ChildStatus& child : level.children) {
            if (child.duplicate) continue;
            best = std::min(best, child.status.numbers[mover]);
            const std::uint32_t other = child.status.numbers[1 - mover];
            possible &= other != never;
            sum += other;
        }
        Numbers numbers;
        numbers[mover] = best;
        numbers[1 - mover] = possible ? static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, most)) : never;
        return numbers;
    }

    // What the children's bounds prove.
    static Proof proof_of(const Level& level) {
        const bool rises = level.batch->mover == 0;
        Proof best = level.children[0].status.proof;
        auto& [bounds, plies] = best;
        for (const ChildStatus& child : level.children) {
            if (child.duplicate) continue;
            const Proof& other = child.status.proof;
            const auto longest = [&, &plies = plies](int side) { return std::max(plies[side], other.plies[side]); };
            if (rises) {
                if (other.tighter_low(best)) best.take_low(other);
                bounds.high = std::max(bounds.high, other.bounds.high);
                plies[1] = longest(1);
            } else {
                if (other.tighter_high(best)) best.take_high(other);
                bounds.low = std::min(bounds.low, other.bounds.low);
                plies[0] = longest(0);
            }
        }
        plies[0] = bounds.low == depth_first::lowest ? 0 : one_more(plies[0]);
        plies[1] = bounds.high == depth_first::highest ? 0 : one_more(plies[1]);
        return best;
    }

    // The child with the best number, and its limits. What other threads are below seems worse than it is, so that they
    // part, but a child that has no limit to reach is never chosen for that.
    std::size_t choose(const Level& level, Numbers here, Numbers limits, Numbers& child_limits) {
        const auto mover = static_cast<std::size_t>(level.batch->mover);
        std::uint32_t best = UINT32_MAX, second = never;
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < level.children.size(); ++i) {
            const ChildStatus& child = level.children[i];
            if (child.duplicate) continue;
            std::uint32_t number = child.status.numbers[mover];
            if (!alone_ && number < most) {
                const auto searchers =
                    std::min<std::uint32_t>(shared_.searchers_of(level.batch->nodes[i].key), most_searchers);
                number = std::min(number + searchers * (number / 2 + 1), std::max(number, limits[mover] - 1));
            }
            if (number < best) {
                second = std::min(second, best);
                best = number;
                chosen = i;
            } else {
                second = std::min(second, number);
            }
        }
        const Numbers& numbers = level.children[chosen].status.numbers;
        second = std::max(second, numbers[mover]);
        child_limits[mover] = std::min(limits[mover], second + second / 4 + 1);
        child_limits[1 - mover] =
            limits[1 - mover] == unlimited ? unlimited : limits[1 - mover] - here[1 - mover] + numbers[1 - mover];
        return chosen;
    }

    Numbers first_numbers(const Node& node) const {
        if (guided_) {
            const double share = static_cast<double>(node.heuristic) / depth_first::highest;
            return {1 + static_cast<std::uint32_t>(evaluation_weight * (1 - share)),
                    1 + static_cast<std::uint32_t>(evaluation_weight * share)};
        }
        const auto [mover, moves] = expander_.branching(node);
        Numbers numbers{1, 1};
        numbers[static_cast<std::size_t>(1 - mover)] = static_cast<std::uint32_t>(moves);
        return numbers;
    }

    bool repeats(std::uint64_t key) const {
        if (!path_[key % path_.size()]) return false;
        for (std::size_t d = 0; d < depth_; ++d)
            if (levels_[d].key == key) return true;
        return false;
    }
    Level& level_at(std::size_t depth) {
        if (depth == levels_.size()) levels_.emplace_back();
        return levels_[depth];
    }
    void check_limit() const {
        if (shared_.answered.load(std::memory_order_relaxed) || shared_.limit.reached()) throw Interrupted();
    }

    Shared& shared_;
    const bool alone_, guided_;
    ChildExpander expander_;
    ChildCache cache_;
    Value question_ = 0;
    const Observer* observer_ = nullptr;
    bool wanted_ = true;  // by the observer
    std::int64_t visits_ = 0;

    Root root_{};
    std::deque<Level> levels_;
    std::size_t depth_ = 0;  // levels in use
    std::vector<Node*> to_expand_;
    std::vector<std::pair<std::uint32_t, Node*>> candidates_;
    std::array<std::uint8_t, 4096> path_{};                         // how many levels have keys with these bits
    std::array<std::pair<std::uint64_t, std::size_t>, 256> met_{};  // keys of children, and in which reading
    std::size_t reading_ = 0;
};

}  // namespace ludens::proof
