#include "gomoku/threats.hpp"

#include <algorithm>
#include <utility>

#include "base/random.hpp"

namespace ludens::gomoku {

namespace {

constexpr int most_fours = 24;  // in a line that shows a three to be a threat
constexpr std::uint64_t fours_key = mix(0x4F), threes_key = mix(0x33);

int first_of(const Cells& cells) {
    int found = -1;
    each_bit(cells.words, [&](int cell) {
        if (found < 0) found = cell;
    });
    return found;
}

void add(std::vector<int>& cells, int cell) {
    if (std::ranges::find(cells, cell) == cells.end()) cells.push_back(cell);
}

}  // namespace

ThreatSearch::ThreatSearch(const GomokuGame& game, int table_bits)
    : patterns_(game), failures_(std::size_t{1} << table_bits) {}

ThreatSearch::Verdict ThreatSearch::search(const Position& position, Kind kind, std::int64_t most_positions,
                                           int most_depth) {
    patterns_.set(position);
    proof_.clear();
    positions_ = 0;
    most_positions_ = most_positions;
    ended_ = false;
    std::ranges::fill(failures_, Failure{});
    for (int depth = 1; depth <= most_depth; ++depth) {
        cut_ = false;
        std::vector<int> line;
        if (find_fours(kind == Kind::fours ? depth : most_fours, line)) {
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

// Finds a win by fours: moves of both sides by turns, the last of which completes a row.
bool ThreatSearch::find_fours(int depth, std::vector<int>& line) {
    const int side = patterns_.turn();
    if (patterns_.count(side, Shape::five) > 0) {
        line.push_back(first_of(patterns_.cells(side, Shape::five)));
        return true;
    }
    const int must = forced();
    const bool has_fours = patterns_.count(side, Shape::four) + patterns_.count(side, Shape::open_four) > 0;
    if (must == -2 || !has_fours) return false;
    const std::uint64_t key = patterns_.key() ^ fours_key;
    if (hopeless(key, depth)) return false;
    const bool cut_before = std::exchange(cut_, false);
    std::vector<int> cells;
    patterns_.each(side, Shape::four, [&](int cell) {
        if (must < 0 || cell == must) cells.push_back(cell);
    });
    for (const int cell : cells) {
        if (!play(cell)) return false;
        bool won = false;
        if (patterns_.count(side ^ 1, Shape::five) == 0) {
            const int answer = first_of(patterns_.cells(side, Shape::five));
            const bool only = patterns_.count(side, Shape::five) == 1;
            const std::size_t before = line.size();
            line.push_back(cell);
            line.push_back(answer);
            patterns_.make(answer);
            won = only ? find_fours(depth - 1, line) : true;
            if (!only) line.push_back(first_of(patterns_.cells(side, Shape::five)));
            patterns_.unmake();
            if (!won) line.resize(before);
        }
        patterns_.unmake();
        if (won) return true;
        if (ended_) return false;
    }
    note_failure(key, depth, cut_before);
    return false;
}

// Writes a line of fours as nodes of a proof.
void ThreatSearch::write_fours(std::span<const int> line, std::vector<int>& proof) const {
    for (; line.size() > 1; line = line.subspan(2)) proof.insert(proof.end(), {line[0], 1, line[1], 1, line[1]});
    proof.insert(proof.end(), {line[0], 0, 0});
}

// ---- Threes ------------------------------------------------------------------------------------------------------

// Finds a win by threes and fours where there is none by fours alone.
bool ThreatSearch::find_threes(int depth, std::vector<int>& proof) {
    const int side = patterns_.turn(), must = forced();
    if (must == -2) return false;
    const std::uint64_t key = patterns_.key() ^ threes_key;
    if (hopeless(key, depth)) return false;
    const bool cut_before = std::exchange(cut_, false);
    std::vector<int> cells;
    if (must >= 0) {
        cells.push_back(must);
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
        patterns_.unmake();
        if (won) return true;
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
        bool won = find_fours(most_fours, line);
        if (won) write_fours(line, proof);
        else if (!ended_) won = find_threes(depth - 1, proof);
        patterns_.unmake();
        if (!won) return false;
    }
    return true;
}

// Whether the side that has just moved would win by fours if it were to move again.
bool ThreatSearch::is_threat(Threat& threat) {
    const int other = patterns_.turn();
    if (patterns_.count(other, Shape::five) > 0) return false;
    patterns_.pass();
    const bool found = find_fours(most_fours, threat.line);
    if (found) {
        int made = 0;
        for (std::size_t i = 0; i + 1 < threat.line.size(); i += 2) {
            // Fours of the other side, and what would become one with the answers that it has had to give so far.
            patterns_.each(other, Shape::four, [&](int cell) { add(threat.answers, cell); });
            patterns_.make(threat.line[i]);
            patterns_.make(threat.line[i + 1]);
            made += 2;
        }
        for (; made > 0; --made) patterns_.unmake();
        for (const int cell : threat.line) add(threat.answers, cell);
    }
    patterns_.pass();
    return found;
}

// ---- What is known of positions ----------------------------------------------------------------------------------

bool ThreatSearch::play(int cell) {
    if (positions_ >= most_positions_) {
        ended_ = true;
        return false;
    }
    ++positions_;
    patterns_.make(cell);
    return true;
}

int ThreatSearch::forced() const {
    const int other = patterns_.turn() ^ 1, count = patterns_.count(other, Shape::five);
    if (count == 0) return -1;
    return count == 1 ? first_of(patterns_.cells(other, Shape::five)) : -2;
}

bool ThreatSearch::hopeless(std::uint64_t key, int depth) {
    const Failure& entry = failures_[key & (failures_.size() - 1)];
    if (entry.key == key && entry.depth >= depth) {
        cut_ |= entry.depth < most_cells;
        return true;
    }
    cut_ |= depth <= 0;
    return depth <= 0;
}

void ThreatSearch::note_failure(std::uint64_t key, int depth, bool cut_before) {
    failures_[key & (failures_.size() - 1)] = {key, cut_ ? depth : most_cells};
    cut_ |= cut_before;
}

}  // namespace ludens::gomoku
