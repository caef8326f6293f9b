// Alpha-beta for Tak by one thread: null windows (Reinefeld, "An improvement to the Scout tree search algorithm", 1983),
// a transposition table, killer moves (Huberman, 1968) and the history heuristic (Schaeffer, 1983). Included after a
// target is switched on.
//
// In the first plies, of placements that turns and reflections of the board turn into each other only one is looked at.
//
// The key of a position includes its ply, as the evaluation does. So no position comes up twice in a game, and what is
// won by a ply holds wherever it was found out.

#include "tak/symmetries.hpp"

template <int N> class TdSearcherOf final : public TdSearcher {
public:
    using Board = Geometry<N>;

    explicit TdSearcherOf(TdShared& shared)
        : shared_(shared), network_(td_input_count(N), shared.weights), trained_(!shared.weights.empty()) {
        for (auto& scores : history_) scores.assign(static_cast<std::size_t>(Board::waiting), 0);
    }

    void set_root(const Word* state) override {
        root_ = decode<N>(state);
        for (auto& scores : history_)
            for (auto& score : scores) score /= 8;
        killers_.clear();
    }
    void begin_run() override { granted_ = 0; }
    int ply() const override { return root_.ply; }
    std::int64_t positions() const override { return positions_; }

    std::vector<int> moves() const override {
        std::vector<int> found;
        if (root_.outcome(shared_.game.rules()) == Outcome::open)
            root_.each_move([&](int number) { found.push_back(number); });
        return found;
    }

    int first_like(int move) const override { return first_like(move, symmetries_of(root_)); }

    float value_after(int move, int depth, float alpha, float beta) override {
        farthest_ = 2 * depth;
        const auto plies = static_cast<std::size_t>(farthest_) + 1;
        if (killers_.size() < plies) killers_.resize(plies, {-1, -1});
        if (ordered_.size() < plies) ordered_.resize(plies);
        return -after(root_, move, depth - 1, -beta, -alpha);
    }

    std::vector<int> line_from(int move, int room) const override {
        std::vector<int> line;
        Position<N> p = root_;
        while (move >= 0 && static_cast<int>(line.size()) < room && p.allows(move)) {
            line.push_back(move);
            p.play(move);
            if (p.outcome(shared_.game.rules()) != Outcome::open) break;
            move = shared_.table.find(key(p)).move;
        }
        return line;
    }

private:
    struct Ordered {
        std::int64_t score;
        int number;
    };

    static constexpr float infinite = 10;
    static constexpr std::int64_t first = std::int64_t{1} << 40, second = std::int64_t{1} << 36;

    // Returns the value of the position after a move, for who is then to move.
    float after(const Position<N>& p, int number, int depth, float alpha, float beta) {
        Position<N> next = p;
        next.play(number);
        count_position();
        const Outcome outcome = next.outcome(shared_.game.rules());
        if (outcome == Outcome::drawn) return 0;
        if (outcome != Outcome::open) {
            const float win = win_at(next.ply);
            return (outcome == Outcome::won_by_1) == (next.turn() == 1) ? win : -win;
        }
        return depth > 0 ? search(next, depth, alpha, beta) : estimate(next);
    }

    float estimate(const Position<N>& p) const {
        if (!trained_) return Evaluation<N>::value(p, shared_.game.rules().half_komi);
        std::array<float, td_input_count(N)> x;
        write_inputs(p, p.turn(), x.data());
        const Outputs out = network_.outputs(x.data());
        return out[0] - out[1];
    }

    // `may_pass`: whether it may be tried to let the other side move instead.
    float search(const Position<N>& p, int depth, float alpha, float beta, bool may_pass = true) {
        const float at_once = win_at(p.ply + 1);  // nothing is better
        if (alpha >= at_once || completes_road(p)) return at_once;
        const Word known_as = key(p);
        const TdEntry known = shared_.table.find(known_as);
        if (known.kind != TdEntry::none && is_of_use(known, depth) &&
            (known.kind == TdEntry::exact || (known.kind == TdEntry::at_least && known.value >= beta) ||
             (known.kind == TdEntry::at_most && known.value <= alpha)))
            return known.value;
        const Word threats = p.opening() ? 0 : Roads<N>::places(p, 1 - p.turn());
        const bool selective = !shared_.to_fixed_depth, forced = selective && threats;
        if (selective && may_pass && !threats && wins_by_passing(p, depth, beta)) return beta;
        if (forced && ply_from_root(p) + depth < farthest_) ++depth;
        TdEntry found{-1, depth, TdEntry::at_most, -infinite};
        if (forced && only_parries(p)) found.value = -win_at(p.ply + 2);  // of all moves that do not parry
        float low = std::max(alpha, found.value);
        auto& moves = scored_moves(p, known.move, threats, found.value > -infinite);
        for (std::size_t rank = 0; rank < moves.size(); ++rank) {
            bring_best_to(moves, rank);
            const int number = moves[rank].number;
            const int less = selective && !threats && found.move >= 0 ? late_move_reduction(depth, rank) : 0;
            const float value = -value_in_window(p, number, depth - 1, less, low, beta, found.move < 0);
            if (value > found.value) {
                found.value = value;
                found.move = number;
            }
            if (value <= low) continue;
            low = value;
            found.kind = value >= beta ? TdEntry::at_least : TdEntry::exact;
            if (value >= beta) {
                raise(p, number, depth);
                break;
            }
        }
        shared_.table.store(known_as, found);
        return found.value;
    }

    // The first move with the whole window, others with an empty one and again if they turn out better: at first perhaps
    // some plies less deep.
    float value_in_window(const Position<N>& p, int number, int depth, int less, float low, float high, bool whole) {
        if (!whole) {
            const float next_to_low = std::nextafter(low, infinite);
            if (less > 0) {
                const float value = after(p, number, depth - less, -next_to_low, -low);
                if (-value <= low) return value;
            }
            const float value = after(p, number, depth, -next_to_low, -low);
            if (-value <= low || -value >= high) return value;
        }
        return after(p, number, depth, -high, -low);
    }

    // Whether the side to move seems to do well enough even if the other side moves twice.
    bool wins_by_passing(const Position<N>& p, int depth, float beta) {
        constexpr int least_depth = 3, less = 2;
        if (depth < least_depth || p.opening() || std::abs(beta) >= least_win) return false;
        const int limit = shared_.game.rules().ply_limit;
        if ((limit > 0 && p.ply + 1 >= limit) || estimate(p) < beta) return false;
        Position<N> passed = p;
        ++passed.ply;
        return -search(passed, depth - 1 - less > 0 ? depth - 1 - less : 1, -beta, -std::nextafter(beta, -infinite),
                       false) >= beta;
    }

    // Whether a placement elsewhere lets the other side complete a road: the game does not end before.
    bool only_parries(const Position<N>& p) const {
        const int limit = shared_.game.rules().ply_limit;
        const Reserve& left = p.reserve[p.turn()];
        return left.flats + left.capstones > 1 && (limit == 0 || p.ply + 1 < limit);
    }

    // Wins and losses hold whatever the depth of the search that found them.
    bool is_of_use(const TdEntry& known, int depth) const {
        if (shared_.to_fixed_depth) return known.depth == depth;
        return known.depth >= depth || (known.kind != TdEntry::at_most && known.value > least_win) ||
               (known.kind != TdEntry::at_least && known.value < -least_win);
    }

    // Whether who is to move can place the last piece of a road.
    static bool completes_road(const Position<N>& p) { return !p.opening() && Roads<N>::places(p, p.turn()); }

    // The moves, with more points where they are likely to be good: the table's, those that parry a road that the other
    // side can complete, those that were good at this ply and elsewhere. `parries`: without placements that do not parry.
    std::vector<Ordered>& scored_moves(const Position<N>& p, int best, Word threats, bool parries) {
        const auto ply = static_cast<std::size_t>(ply_from_root(p));
        auto& moves = ordered_[ply];
        const auto& killers = killers_[ply];
        const auto& scores = history_[static_cast<std::size_t>(p.turn())];
        const unsigned symmetries = symmetries_of(p);
        const Word places = !parries ? Board::all : std::has_single_bit(threats) ? threats : 0;
        moves.clear();
        p.each_move([&](int number) {
            const bool placed = number < Board::first_spread;
            if (placed && !(places >> (number % Board::squares) & 1)) return;
            if (first_like(number, symmetries) != number) return;
            std::int64_t score = scores[static_cast<std::size_t>(number)];
            if (number == best) score += first;
            if (number == killers[0] || number == killers[1]) score += second;
            if (placed && threats >> (number % Board::squares) & 1) score += 2 * second;
            moves.push_back({score, number});
        });
        return moves;
    }

    // Brings the best of the moves from a place on to that place, for one place after the other: most searches end at
    // one of the first moves, so that the others are sorted late.
    static void bring_best_to(std::vector<Ordered>& moves, std::size_t place) {
        constexpr std::size_t apart = 4;
        const auto first = moves.begin() + static_cast<std::ptrdiff_t>(place);
        const auto before = [](const Ordered& a, const Ordered& b) {
            return a.score != b.score ? a.score > b.score : a.number < b.number;
        };
        if (place < apart) std::iter_swap(first, std::min_element(first, moves.end(), before));
        if (place == apart) std::sort(first, moves.end(), before);
    }

    // To a fixed depth all moves are looked at, as plain minimax does; a network may judge images of a position apart.
    unsigned symmetries_of(const Position<N>& p) const {
        constexpr int last = 5;  // ply: later ones are hardly ever symmetric
        return shared_.to_fixed_depth || p.ply > last ? 1 : Symmetries<N>::of(p);
    }
    static int first_like(int move, unsigned symmetries) {
        return symmetries == 1 || move >= Board::first_spread ? move : Symmetries<N>::first_like(move, symmetries);
    }

    void raise(const Position<N>& p, int number, int depth) {
        auto& killers = killers_[static_cast<std::size_t>(ply_from_root(p))];
        if (killers[0] != number) killers = {number, killers[0]};
        auto& scores = history_[static_cast<std::size_t>(p.turn())];
        scores[static_cast<std::size_t>(number)] += depth * depth;
        if (scores[static_cast<std::size_t>(number)] >> 30)
            for (auto& score : scores) score /= 2;
    }

    int ply_from_root(const Position<N>& p) const { return p.ply - root_.ply; }

    static Word key(const Position<N>& p) { return key_of(p, static_cast<Word>(p.ply)); }

    void count_position() {
        constexpr std::int64_t between = 64;  // looks at the limit
        if (granted_ == 0) {
            shared_.table.grow();
            granted_ = shared_.limit.take(between);
            if (granted_ == 0) throw Interrupted();
        }
        --granted_;
        ++positions_;
    }

    TdShared& shared_;
    const TdNetwork network_;
    const bool trained_;
    Position<N> root_;
    int farthest_ = 0;                                  // plies from the root that a search may reach
    std::vector<std::array<int, 2>> killers_;           // by plies from the root
    std::vector<std::vector<Ordered>> ordered_;         // by plies from the root
    std::array<std::vector<std::int64_t>, 2> history_;  // by player and move
    std::int64_t positions_ = 0;
    std::int64_t granted_ = 0;  // that may be looked at before the limit is
};
