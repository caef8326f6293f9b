#include "mcts/amaf.hpp"

#include "base/vector_dispatch.hpp"

namespace ludens::mcts {

namespace {

constexpr int many = 12;  // moves of one word, where it takes less to go through all cells

// Adds `game` to the cells of the moves in one word.
struct CountMany {
    using Cells [[gnu::vector_size(64), gnu::may_alias, gnu::aligned(8)]] = std::uint64_t;

    [[gnu::always_inline]] static void run(AmafCell* first, Word moves, std::uint64_t game) {
        constexpr int wide = sizeof(Cells) / sizeof(AmafCell);
        const Cells bit = {1, 2, 4, 8, 16, 32, 64, 128};
        for (; moves != 0; first += wide, moves >>= wide) {
            Cells& cells = *reinterpret_cast<Cells*>(first);
            cells += ((bit & moves) != 0) & game;
        }
    }
};

void count_few(AmafCell* first, Word moves, std::uint64_t game) {
    for (; moves != 0; moves &= moves - 1) first[std::countr_zero(moves)].both += game;
}

std::vector<int> bounds_of(const Game& game) {
    std::vector<int> bounds{0};
    for (const int moves : game.moves()) bounds.push_back(bounds.back() + moves);
    return bounds;
}

}  // namespace

AmafTables::AmafTables(const Game& game, std::int64_t bytes)
    : bounds_(bounds_of(game)), stride_((static_cast<std::size_t>(bounds_.back()) + 7) / 8 * 8),
      mask_(std::bit_floor(std::max<std::size_t>(
                static_cast<std::size_t>(bytes) / (sizeof(Head) + stride_ * sizeof(AmafCell)), 1)) -
            1),
      cells_at_((mask_ + 1) * sizeof(Head)), pages_(cells_at_ + (mask_ + 1) * stride_ * sizeof(AmafCell)) {
    for (int role = 0; role < game.roles(); ++role) {
        for (int begin = bounds_[role]; begin < bounds_[role + 1];) {
            const int end = std::min(bounds_[role + 1], begin / 64 * 64 + 64), bits = end - begin;
            const Word mask = (bits == 64 ? ~Word{0} : (Word{1} << bits) - 1) << begin % 64;
            parts_.push_back({begin / 64, role, mask});
            begin = end;
        }
    }
}

AmafView AmafTables::find(std::uint64_t key, std::uint32_t games) const {
    const std::size_t at = place(key);
    const Head& head = this->head(at);
    if (head.key != key || head.games < games) return {};
    return {cells(at), bounds_.data()};
}

void AmafTables::add(std::uint64_t key, std::uint32_t visits, const Word* moves, const int* goals) {
    const std::size_t at = place(key);
    Head& head = this->head(at);
    AmafCell* const cells = this->cells(at);
    if (head.key != key && !claim(head, key, visits, cells)) return;
    head.epoch = epoch_;
    if (++head.games == most_games) halve(head, cells);
    for (const Part& part : parts_) {
        const std::uint64_t game = std::uint64_t{static_cast<std::uint32_t>(goals[part.role])} << 32 | 1;
        AmafCell* const first = cells + part.word * 64;
        const Word made = moves[part.word] & part.mask;
        if (std::popcount(made) < many) count_few(first, made, game);
        else dispatch<CountMany>(first, made, game);
    }
}

// Gives a table to the node `key`; false where the one that has it was visited more often.
bool AmafTables::claim(Head& head, std::uint64_t key, std::uint32_t visits, AmafCell* cells) {
    if (head.key != 0 && head.epoch == epoch_ && head.games >= visits) return false;
    head = {key, 0, epoch_};
    std::fill_n(cells, bounds_.back(), AmafCell{});
    return true;
}

void AmafTables::forget() {
    for (std::size_t at = 0; at <= mask_; ++at) head(at) = {};
}

void AmafTables::halve(Head& head, AmafCell* cells) {
    head.games /= 2;
    for (AmafCell& cell : std::span(cells, static_cast<std::size_t>(bounds_.back()))) {
        cell.both = std::uint64_t{cell.goals() / 2} << 32 | cell.games() / 2;
    }
}

}  // namespace ludens::mcts
