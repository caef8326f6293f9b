// Alpha-beta for Tak by one thread: null windows (Reinefeld, "An improvement to the Scout tree search algorithm", 1983),
// a transposition table, killer moves (Huberman, 1968) and the history heuristic (Schaeffer, 1983). Included after a
// target is switched on.
//
// The key of a position includes its ply, as the evaluation does. So no position comes up twice in a game, and what is
// won by a ply holds wherever it was found out.

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
    Outcome outcome() const override { return root_.outcome(shared_.game.rules()); }
    int ply() const override { return root_.ply; }
    std::int64_t positions() const override { return positions_; }

    std::vector<int> moves() const override {
        std::vector<int> found;
        if (outcome() == Outcome::open) root_.each_move([&](int number) { found.push_back(number); });
        return found;
    }

    float value_after(int move, int depth, float alpha, float beta) override {
        const auto plies = static_cast<std::size_t>(depth) + 1;
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
        if (!trained_) return PlainEvaluation<N>::value(p);
        std::array<float, td_input_count(N)> x;
        write_inputs(p, p.turn(), x.data());
        const Outputs out = network_.outputs(x.data());
        return out[0] - out[1];
    }

    float search(const Position<N>& p, int depth, float alpha, float beta) {
        const float at_once = win_at(p.ply + 1);  // nothing is better
        if (alpha >= at_once || completes_road(p)) return at_once;
        const Word known_as = key(p);
        const TdEntry known = shared_.table.find(known_as);
        if (known.kind != TdEntry::none && is_of_use(known, depth) &&
            (known.kind == TdEntry::exact || (known.kind == TdEntry::at_least && known.value >= beta) ||
             (known.kind == TdEntry::at_most && known.value <= alpha)))
            return known.value;
        TdEntry found{-1, depth, TdEntry::at_most, -infinite};
        float low = alpha;
        for (const auto& [score, number] : order(p, depth, known.move)) {
            const float value = -value_in_window(p, number, depth - 1, low, beta, found.move < 0);
            if (value > found.value) {
                found.value = value;
                found.move = number;
            }
            if (value <= low) continue;
            low = value;
            found.kind = value >= beta ? TdEntry::at_least : TdEntry::exact;
            if (value >= beta) {
                raise(p.turn(), number, depth);
                break;
            }
        }
        shared_.table.store(known_as, found);
        return found.value;
    }

    // The first move with the whole window, others with an empty one and again if they turn out better.
    float value_in_window(const Position<N>& p, int number, int depth, float low, float high, bool whole) {
        if (!whole) {
            const float value = after(p, number, depth, -std::nextafter(low, infinite), -low);
            if (-value <= low || -value >= high) return value;
        }
        return after(p, number, depth, -high, -low);
    }

    // Wins and losses hold whatever the depth of the search that found them.
    bool is_of_use(const TdEntry& known, int depth) const {
        if (shared_.to_fixed_depth) return known.depth == depth;
        return known.depth >= depth || (known.kind != TdEntry::at_most && known.value > least_win) ||
               (known.kind != TdEntry::at_least && known.value < -least_win);
    }

    // Whether who is to move can place the last piece of a road.
    static bool completes_road(const Position<N>& p) { return !p.opening() && Roads<N>::places(p, p.turn()); }

    // The moves, those first that are likely to be good: the table's, those that parry a road that the other side can
    // complete, those that were good at this depth and elsewhere.
    const std::vector<Ordered>& order(const Position<N>& p, int depth, int best) {
        auto& moves = ordered_[static_cast<std::size_t>(depth)];
        const auto& killers = killers_[static_cast<std::size_t>(depth)];
        const auto& scores = history_[static_cast<std::size_t>(p.turn())];
        const Word threats = Roads<N>::completing(p, 1 - p.turn());
        moves.clear();
        p.each_move([&](int number) {
            std::int64_t score = scores[static_cast<std::size_t>(number)];
            if (number == best) score += first;
            if (number == killers[0] || number == killers[1]) score += second;
            if (number < Board::first_spread && threats >> (number % Board::squares) & 1) score += 2 * second;
            moves.push_back({score, number});
        });
        std::ranges::sort(moves, [](const Ordered& a, const Ordered& b) {
            return a.score != b.score ? a.score > b.score : a.number < b.number;
        });
        return moves;
    }

    void raise(int player, int number, int depth) {
        auto& killers = killers_[static_cast<std::size_t>(depth)];
        if (killers[0] != number) killers = {number, killers[0]};
        auto& scores = history_[static_cast<std::size_t>(player)];
        scores[static_cast<std::size_t>(number)] += depth * depth;
        if (scores[static_cast<std::size_t>(number)] >> 30)
            for (auto& score : scores) score /= 2;
    }

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
    std::vector<std::array<int, 2>> killers_;           // by plies left
    std::vector<std::vector<Ordered>> ordered_;         // by plies left
    std::array<std::vector<std::int64_t>, 2> history_;  // by player and move
    std::int64_t positions_ = 0;
    std::int64_t granted_ = 0;  // that may be looked at before the limit is
};
