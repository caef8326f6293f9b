// Makes nodes: their edges from the legal moves, in random order or by statistics of all moves as first.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "mcts/tree.hpp"

namespace ludens::mcts {

// Lists the legal moves of the node that is to be made, role after role.
void Tree::list_moves(const Word* legal) {
    moves_.clear();
    ends_.clear();
    for (int role = 0; role < roles_; ++role) {
        role_moves_.list(legal, role, moves_);
        ends_.push_back(static_cast<int>(moves_.size()));
    }
}

std::span<int> Tree::listed_moves(int role) {
    const int begin = role == 0 ? 0 : ends_[role - 1];
    return {moves_.begin() + begin, moves_.begin() + ends_[role]};
}

// Who chooses, by the listed moves: NodeHead::kind.
std::uint8_t Tree::kind() {
    int choosing = 0, mover = 0;
    for (int r = 0; r < roles_; ++r) {
        if (listed_moves(r).size() <= 1) continue;
        ++choosing;
        mover = r;
    }
    return static_cast<std::uint8_t>(choosing > 1 ? NodeHead::simultaneous : NodeHead::turn_of + mover);
}

// How many blocks the listed moves need besides the one in the record.
std::uint32_t Tree::blocks_needed() {
    const std::uint8_t kind = this->kind();
    int sum = 0;
    for (int r = 0; r < roles_; ++r) {
        const int moves = static_cast<int>(listed_moves(r).size());
        if (kind == NodeHead::simultaneous) {
            sum += moves > 1 ? (moves + EdgeBlock::size - 1) / EdgeBlock::size : 0;
        } else if (kind == NodeHead::turn_of + r && moves > EdgeBlock::size) {
            sum += (moves - EdgeBlock::size + static_cast<int>(UnexpandedMoves::size) - 1) /
                   static_cast<int>(UnexpandedMoves::size);
        }
    }
    return static_cast<std::uint32_t>(sum);
}

// Makes edges of up to eight moves; the other places are blank.
void Tree::fill_edges(EdgeBlock& block, std::span<const int> moves, float mean) const {
    for (std::size_t i = 0; i < EdgeBlock::size; ++i) {
        const bool blank = i >= moves.size();
        block.visits[i] = blank ? 1 : 0;
        block.mean[i] = blank ? EdgeBlock::closed : mean;
        block.move[i] = blank ? -1 : moves[i];
        block.lower[i] = 0;
        block.upper[i] = blank ? 0 : best_goal;
        block.child[i] = nothing;
        block.completed_low[i] = blank ? 1 : 0;
    }
    block.next = nothing;
}

// Puts moves in random order, so that "the first never selected" is a random choice.
void Tree::shuffle(std::span<int> moves) {
    for (std::size_t i = moves.size(); i > 1; --i) {
        std::swap(moves[i - 1], moves[random_.below(static_cast<std::uint32_t>(i))]);
    }
}

// Makes the edges of one of several roles that choose at once: all of them, as regret matching needs. Returns the
// first block.
Index Tree::link_edges(std::span<const int> moves) {
    Index first = nothing;
    Index* link = &first;
    for (std::size_t done = 0; done < moves.size(); done += EdgeBlock::size) {
        *link = allocate_block();
        EdgeBlock& c = block(*link);
        fill_edges(c, moves.subspan(done, std::min<std::size_t>(EdgeBlock::size, moves.size() - done)), middle_goal);
        std::fill_n(c.regret, EdgeBlock::size, 0.0f);
        link = &c.next;
    }
    block(first).role_head = {static_cast<std::uint32_t>(moves.size())};
    return first;
}

// Stores moves without edges, and returns the first place that holds some; `nothing` if there are none.
Index Tree::link_unexpanded(std::span<const int> moves) {
    Index first = nothing;
    Index* link = &first;
    for (; !moves.empty(); moves = moves.subspan(std::min<std::size_t>(UnexpandedMoves::size, moves.size()))) {
        *link = allocate_block() | unexpanded_bit;
        UnexpandedMoves& u = unexpanded(*link);
        u.next = nothing;
        u.begin = 0;
        u.end = static_cast<std::uint32_t>(std::min<std::size_t>(UnexpandedMoves::size, moves.size()));
        std::copy_n(moves.begin(), u.end, u.move);
        link = &u.next;
    }
    return first;
}

// Puts the moves with the best means first, as many as become edges at a time.
void Tree::prioritise(std::span<int> moves, AmafRow amaf) {
    const std::size_t expanded = std::min<std::size_t>(EdgeBlock::size, moves.size());
    std::array<float, EdgeBlock::size> means;
    for (std::size_t i = 0; i < expanded; ++i) means[i] = amaf[moves[i]].smoothed_mean();
    const auto last = means.begin() + static_cast<std::ptrdiff_t>(expanded);
    auto least = std::min_element(means.begin(), last);
    for (int& move : moves.subspan(expanded)) {
        const float mean = amaf[move].smoothed_mean();
        if (mean <= *least) continue;
        *least = mean;
        std::swap(move, moves[static_cast<std::size_t>(least - means.begin())]);
        least = std::min_element(means.begin(), last);
    }
}

// Fills a record with the listed moves. Its head keeps its generation.
void Tree::fill(Node& node, std::uint8_t kind, AmafView amaf, std::span<const float> ranks) {
    node.head.flags = 0;
    node.head.distance = 0;
    for (int r = 0; r < roles_; ++r) {
        const std::span<int> moves = listed_moves(r);
        RoleSlot& slot = slots(node)[r];
        slot = moves.empty() ? RoleSlot() : RoleSlot::of_move(moves[0]);
        bounds(node)[2 * r] = 0;
        bounds(node)[2 * r + 1] = best_goal;
        if (kind == NodeHead::turn_of + r) {
            const AmafRow row = amaf.row(r);
            if (!row.empty()) prioritise(moves, row);
            else if (!ranks.empty())
                std::ranges::stable_sort(moves, std::greater(), [&](int move) { return ranks[move]; });
            else shuffle(moves);
            const std::size_t expanded = std::min<std::size_t>(EdgeBlock::size, moves.size());
            fill_edges(node, moves.first(expanded), EdgeBlock::untried);
            node.next = link_unexpanded(moves.subspan(expanded));
            if (node.next != nothing) node.head.flags = NodeHead::unexpanded;
        } else if (kind == NodeHead::simultaneous && moves.size() > 1) {
            shuffle(moves);
            slot = RoleSlot::of_edges(link_edges(moves));
        }
    }
    node.head.kind = kind;
}

void Tree::prioritise(Index index, AmafRow amaf) {
    while (is_block(index)) index = block(index).next;
    const auto each = [&](auto use) {
        for (Index i = index; i != nothing; i = unexpanded(i).next) {
            UnexpandedMoves& u = unexpanded(i);
            use(std::span(u.move + u.begin, u.move + u.end));
        }
    };
    moves_.clear();
    each([&](std::span<std::int32_t> waiting) { moves_.insert(moves_.end(), waiting.begin(), waiting.end()); });
    prioritise(moves_, amaf);
    auto next = moves_.begin();
    each([&](std::span<std::int32_t> waiting) {
        std::copy_n(next, waiting.size(), waiting.begin());
        next += std::ssize(waiting);
    });
}

Edge Tree::expand_moves(Node& node, Index index) {
    Index last = index;
    while (is_block(block(last).next)) last = block(last).next;
    const Index waiting = block(last).next;
    UnexpandedMoves& u = unexpanded(waiting);
    std::array<int, EdgeBlock::size> moves;
    const std::uint32_t count = std::min<std::uint32_t>(EdgeBlock::size, u.end - u.begin);
    std::copy_n(u.move + u.begin, count, moves.begin());
    Index rest = waiting, made = waiting & ~unexpanded_bit;
    if (u.begin + count == u.end) {
        rest = u.next;  // its place becomes the block
    } else {
        expanding_ = index;
        const bool room = reserve(1);
        expanding_ = nothing;
        if (!room) return {};
        made = allocate_block();
        u.begin += count;
    }
    fill_edges(block(made), std::span(moves).first(count), EdgeBlock::untried);
    block(made).next = rest;
    block(last).next = made;
    if (rest == nothing) node.head.flags &= static_cast<std::uint8_t>(~NodeHead::unexpanded);
    return {made, 0};
}

// Puts a filled record in the table of states, unless there is a node of the state: then that is returned.
Ref Tree::insert(Index index, const Word* state, std::uint32_t hash) {
    Node& fresh = node(index);
    std::copy_n(state, state_words_, this->state(fresh));
    fresh.hash = hash;
    fresh.head.age = 0;
    fresh.head.visits = 0;
    if (const Ref known = find(state, hash)) {
        release_edges(fresh);
        release_node(index);
        return known;
    }
    Index& bucket = buckets_[hash & bucket_mask_];
    fresh.hash_next = bucket - 1;
    bucket = index + 1;
    ++made_;
    return {index, fresh.head.generation};
}

Ref Tree::make(const Word* state, std::uint32_t hash, const Word* legal, AmafView amaf, std::span<const float> ranks) {
    list_moves(legal);
    if (!reserve(blocks_needed())) return {};
    const Index index = allocate_node();
    fill(node(index), kind(), amaf, ranks);
    return insert(index, state, hash);
}

Ref Tree::make_terminal(const Word* state, std::uint32_t hash, const int* goals, int steps) {
    if (!reserve(0)) return {};
    const Index index = allocate_node();
    Node& fresh = node(index);
    fresh.next = nothing;
    for (int r = 0; r < roles_; ++r) {
        slots(fresh)[r] = RoleSlot();
        bounds(fresh)[2 * r] = static_cast<std::uint8_t>(goals[r]);
        bounds(fresh)[2 * r + 1] = static_cast<std::uint8_t>(goals[r]);
    }
    fresh.head.flags = NodeHead::bounded | NodeHead::solved;
    fresh.head.distance = static_cast<std::uint16_t>(steps);
    fresh.head.kind = NodeHead::terminal;
    return insert(index, state, hash);
}

}  // namespace ludens::mcts
