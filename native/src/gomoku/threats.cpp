#include "gomoku/threats.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/random.hpp"

namespace ludens::gomoku {

namespace {

constexpr int most_fours = 24;  // in a line that shows a three to be a threat
constexpr std::array<std::uint64_t, 2> fours_keys{mix(0x4F), mix(0x4F2)};  // of the sides
constexpr std::uint64_t threes_key = mix(0x33);

// The cells where a side can make a four, those first that may let it complete several rows.
class Fours {
public:
    // `must`: the only cell to move to, -1 for any.
    Fours(const FourBoard& board, int side, int must) {
        Cells seen, better;
        board.each_four(side, [&](int cell, bool strong) {
            if (must >= 0 && cell != must) return;
            if (strong || seen[cell]) better.add(cell);
            seen.add(cell);
        });
        each_bit(better.words, [&](int cell) {
            seen.remove(cell);
            add(cell);
        });
        better_ = count_;
        each_bit(seen.words, [&](int cell) { add(cell); });
    }

    std::span<const std::uint16_t> better() const { return {cells_, better_}; }
    std::span<const std::uint16_t> all() const { return {cells_, count_}; }

private:
    void add(int cell) { cells_[count_++] = static_cast<std::uint16_t>(cell); }

    std::size_t count_ = 0, better_ = 0;
    std::uint16_t cells_[most_cells];  // only the first are ever written
};

void add(std::vector<int>& cells, int cell) {
    if (std::ranges::find(cells, cell) == cells.end()) cells.push_back(cell);
}

}  // namespace

ThreatSearch::ThreatSearch(const GomokuGame& game, int table_bits)
    : patterns_(game), board_(game.rules()), failures_(std::size_t{1} << table_bits) {}

ThreatSearch::Verdict ThreatSearch::search(const Position& position, Kind kind, std::int64_t most_positions,
                                           int most_depth, const Limit* limit) {
    limit_ = limit;
    root_ = position;
    patterns_.set(position);
    board_.set(position);
    proof_.clear();
    positions_ = 0;
    most_positions_ = most_positions;
    ended_ = false;
    for (int depth = 1; depth <= most_depth; ++depth) {
        cut_ = false;
        std::vector<int> line;
        if (find_fours(position.turn, kind == Kind::fours ? depth : most_fours, line)) {
            write_fours(line, proof_);
            return Verdict::won;
        }
        if (kind == Kind::threes && find_threes(depth, proof_)) return Verdict::won;
        if (ended_) return Verdict::unknown;
        if (!cut_) break;
    }
    return Verdict::none;
}

// ---- Fours -------------------------------------------------------------------------------------------------------

// Finds a side's win by fours: moves of both sides by turns, the last of which completes a row.
bool ThreatSearch::find_fours(int side, int depth, std::vector<int>& line) {
    if (board_.has_fives(side)) {
        line.push_back(board_.fives(side).cell);
        return true;
    }
    if (!board_.has_fours(side)) return false;
    const auto must = board_.fives(side ^ 1);
    if (must.count > 1) return false;
    const std::uint64_t key = board_.key() ^ fours_keys[static_cast<std::size_t>(side)];
    if (hopeless(key, depth)) return false;
    const bool cut_before = std::exchange(cut_, false);
    const Fours fours(board_, side, must.cell);
    const std::size_t before = line.size();
    const auto won = [&] {
        cut_ = cut_before;
        return true;
    };
    for (const int cell : fours.better())
        if (completes_two(side, cell, line)) return won();
    for (const int cell : fours.all()) {
        if (!count_position()) return false;
        board_.make(cell, side);
        const int answer = board_.fives(side).cell;
        line.push_back(cell);
        line.push_back(answer);
        bool found = false;
        if (count_position()) {
            __builtin_prefetch(&entry(board_.key_after(answer, side ^ 1) ^ fours_keys[static_cast<std::size_t>(side)]));
            board_.make(answer, side ^ 1);
            found = find_fours(side, depth - 1, line);
            board_.unmake();
        }
        board_.unmake();
        if (found) return won();
        line.resize(before);
        if (ended_) return false;
    }
    note_failure(key, depth, cut_before);
    return false;
}

// Whether a side's move lets it complete a row in several cells, so that one answer is too few. Writes how it goes on.
bool ThreatSearch::completes_two(int side, int cell, std::vector<int>& line) {
    if (!count_position()) return false;
    const auto [count, answer] = board_.fives_after(cell, side);
    if (count < 2) return false;
    board_.make(cell, side);
    board_.make(answer, side ^ 1);
    line.insert(line.end(), {cell, answer, board_.fives(side).cell});
    board_.unmake();
    board_.unmake();
    return true;
}

// Writes a line of fours as nodes of a proof.
void ThreatSearch::write_fours(std::span<const int> line, std::vector<int>& proof) const {
    for (; line.size() > 1; line = line.subspan(2)) proof.insert(proof.end(), {line[0], 1, line[1], 1, line[1]});
    proof.insert(proof.end(), {line[0], 0, 0});
}

// ---- Threes ------------------------------------------------------------------------------------------------------

// Finds a win by threes and fours where there is none by fours alone.
bool ThreatSearch::find_threes(int depth, std::vector<int>& proof) {
    const int side = patterns_.turn();
    const auto must = board_.fives(side ^ 1);
    if (must.count > 1) return false;
    const std::uint64_t key = patterns_.key() ^ threes_key;
    if (hopeless(key, depth)) return false;
    const bool cut_before = std::exchange(cut_, false);
    std::vector<int> cells;
    if (must.count > 0) {
        cells.push_back(must.cell);
    } else {
        patterns_.each(side, Shape::open_three, [&](int cell) { cells.push_back(cell); });
        patterns_.each(side, Shape::three, [&](int cell) {
            int threes = 0;
            for (std::size_t d = 0; d < directions.size(); ++d)
                threes += patterns_.shape(side, cell, d) == Shape::three;
            if (threes > 1) add(cells, cell);  // two fours at once may follow
        });
    }
    for (const int cell : cells) {
        if (!play(cell)) return false;
        const std::size_t before = proof.size();
        const bool won = wins_after(cell, depth, proof);
        take_back();
        if (won) {
            cut_ = cut_before;
            return true;
        }
        proof.resize(before);
        if (ended_) return false;
    }
    note_failure(key, depth, cut_before);
    return false;
}

// Whether a move that has been made is a threat to which every answer loses.
bool ThreatSearch::wins_after(int cell, int depth, std::vector<int>& proof) {
    Threat threat;
    if (!is_threat(threat)) return false;
    proof.push_back(cell);
    proof.push_back(static_cast<int>(threat.line.size()));
    proof.insert(proof.end(), threat.line.begin(), threat.line.end());
    proof.push_back(static_cast<int>(threat.answers.size()));
    for (const int answer : threat.answers) {
        if (!play(answer)) return false;
        proof.push_back(answer);
        std::vector<int> line;
        bool won = find_fours(patterns_.turn(), most_fours, line);
        if (won) write_fours(line, proof);
        else if (!ended_) won = find_threes(depth - 1, proof);
        take_back();
        if (!won) return false;
    }
    return true;
}

// Whether the side that has just moved would win by fours if it were to move again.
bool ThreatSearch::is_threat(Threat& threat) {
    const int other = patterns_.turn(), side = other ^ 1;
    if (board_.has_fives(other) || !find_fours(side, most_fours, threat.line)) return false;
    int made = 0;
    for (std::size_t i = 0; i + 1 < threat.line.size(); i += 2) {
        // Fours of the other side, and what would become one with the answers that it has had to give so far.
        board_.each_five(other, [&](int cell) { add(threat.answers, cell); });
        board_.each_four(other, [&](int cell, bool) { add(threat.answers, cell); });
        board_.make(threat.line[i], side);
        board_.make(threat.line[i + 1], other);
        made += 2;
    }
    for (; made > 0; --made) board_.unmake();
    for (const int cell : threat.line) add(threat.answers, cell);
    return true;
}

// ---- What a proof rests on ----------------------------------------------------------------------------------------

Cells ThreatSearch::relevant() {
    Cells cells;
    if (proof_.empty()) return cells;
    patterns_.set(root_);
    add_relevant(proof_, cells);
    return cells;
}

// Adds what the first node of a proof rests on; returns what follows it.
//
// One stone more undoes it on a cell that is played on, or where it lets the other side make a four in time. Against a
// three the other side has a move of its own beside that stone, so there it does so where it makes a three by now or
// with an answer that the line forces; against a four, where it makes a four.
std::span<const int> ThreatSearch::add_relevant(std::span<const int> proof, Cells& cells) {
    const int other = patterns_.turn() ^ 1;
    const auto take = [&](std::size_t count) {
        const auto first = proof.first(count);
        proof = proof.subspan(count);
        for (const int cell : first) cells.add(cell);
        return first;
    };
    const auto number = [&] {
        const int first = proof.front();
        proof = proof.subspan(1);
        return static_cast<std::size_t>(first);
    };
    patterns_.make(take(1).front());
    const auto line = take(number());
    const auto add_shapes = [&](Shape least) { patterns_.each(other, least, [&](int cell) { cells.add(cell); }); };
    if (line.size() == 1) add_shapes(Shape::four);
    if (line.size() > 1) {
        add_shapes(Shape::three);
        patterns_.pass();
        for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
            patterns_.make(line[i]);
            patterns_.make(line[i + 1]);
            add_shapes(Shape::three);
        }
        for (std::size_t i = 0; i + 1 < line.size(); ++i) patterns_.unmake();
        patterns_.pass();
    }
    for (std::size_t rest = number(); rest > 0; --rest) {
        patterns_.make(take(1).front());
        proof = add_relevant(proof, cells);
        patterns_.unmake();
    }
    patterns_.unmake();
    return proof;
}

// ---- What is known of positions ----------------------------------------------------------------------------------

bool ThreatSearch::count_position() {
    constexpr std::int64_t between_looks = 1024;  // at the clock
    ended_ = positions_ >= most_positions_ || (limit_ && positions_ % between_looks == 0 && limit_->reached());
    positions_ += !ended_;
    return !ended_;
}

bool ThreatSearch::play(int cell) {
    if (!count_position()) return false;
    board_.make(cell, patterns_.turn());
    patterns_.make(cell);
    return true;
}

void ThreatSearch::take_back() {
    patterns_.unmake();
    board_.unmake();
}

bool ThreatSearch::hopeless(std::uint64_t key, int depth) {
    const Failure known = entry(key);
    if (known.is_of(key) && known.depth() >= depth) {
        cut_ |= known.depth() < most_cells;
        return true;
    }
    cut_ |= depth <= 0;
    return depth <= 0;
}

void ThreatSearch::note_failure(std::uint64_t key, int depth, bool cut_before) {
    entry(key) = Failure(key, cut_ ? depth : most_cells);
    cut_ |= cut_before;
}

}  // namespace ludens::gomoku
