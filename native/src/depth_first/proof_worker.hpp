// Depth-first proof-number search by one thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/threads.hpp"
#include "depth_first/child_cache.hpp"
#include "depth_first/child_expander.hpp"
#include "depth_first/proof_table.hpp"

namespace ludens::proof {

using depth_first::Node;

// What the threads of a search have in common.
struct Shared {
    const StateKey keys;
    Table table;
    Limit limit;                         // counts states as playouts, made or looked at again
    std::atomic<bool> answered = false;  // the question is: all may stop
    std::atomic<std::int64_t> states = 0, proofs = 0;
    std::uint16_t round = 0;       // states that were hopeless in one are looked at again in the next
    std::atomic<int> deepest = 0;  // plies from a root
    // How many threads are below a state, by some bits of its key.
    std::array<std::atomic<std::uint8_t>, 1 << 14> searchers{};

    Shared(const Game& game, const SearchOptions& options);
    std::int64_t bytes() const { return keys.bytes() + table.bytes(); }
    std::atomic<std::uint8_t>& searchers_of(std::uint64_t key) { return searchers[key >> 40 & (searchers.size() - 1)]; }
};

// Thrown where the limit is reached, or another thread has the answer.
struct Interrupted {};

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

    Worker(const Game& game, const SearchOptions& options, Shared& shared);

    // Refers to `state`, [state_words].
    void set_root(Word* state);
    // Its children are made unless the game is over.
    const Node& root() const { return root_; }
    std::span<const Word> root_legal() const { return root_legal_; }
    // What is known of a state where `question` is asked, `proven` beside what the table knows.
    NodeStatus look_up(const Node& node, Value question, const Proof& proven = {});
    // Finds out whether the root is worth as much as asked for, until it is known, it can neither be proven nor be
    // disproven, or the observer wants no more. Throws Interrupted.
    void answer(Value question, const Observer& observer);

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

    class Visit;

    NodeStatus expand(Node& node, Numbers limits);
    ChildBatch* batch_of(Node& node, std::unique_ptr<ChildBatch>& taken);
    void expand_siblings(Node& node);
    void read_children(Level& level);
    Numbers numbers_of(const Level& level) const;
    static Proof proof_of(const Level& level);
    std::size_t choose(const Level& level, Numbers here, Numbers limits, Numbers& child_limits);
    Numbers first_numbers(const Node& node) const;
    bool repeats(std::uint64_t key) const;
    Level& level_at(std::size_t depth);
    void check_limit() const;

    Shared& shared_;
    const bool alone_, guided_;
    ChildExpander expander_;
    ChildCache cache_;
    Value question_ = 0;
    const Observer* observer_ = nullptr;
    bool wanted_ = true;  // by the observer
    std::int64_t visits_ = 0;

    std::vector<Word> root_legal_;
    Node root_{};
    std::deque<Level> levels_;
    std::size_t depth_ = 0;  // levels in use
    std::vector<Node*> to_expand_;
    std::vector<std::pair<std::uint32_t, Node*>> candidates_;
    std::array<std::uint8_t, 4096> path_{};                         // how many levels have keys with these bits
    std::array<std::pair<std::uint64_t, std::size_t>, 256> met_{};  // keys of children, and in which reading
    std::size_t reading_ = 0;
};

}  // namespace ludens::proof
