// Alpha-beta to a fixed depth, leaves judged by a network trained by temporal differences. Included after a target is
// switched on.

template <int N> class TdSearch {
public:
    TdSearch(const TdNetwork& network, const Rules& rules) : network_(network), rules_(rules) {}

    // Returns the best move of who is to move, looking `depth` plies ahead: at least one. The game must not be over.
    TdMove best_move(const Position<N>& p, int depth) {
        TdMove best{-1, -infinite, 0};
        p.each_move([&](int number) {
            const float value = -after(p, number, depth - 1, -infinite, -best.value);
            if (best.number < 0 || value > best.value) best = {number, value, 0};
        });
        best.positions = positions_;
        return best;
    }

private:
    static constexpr float won = 2;  // more than any estimate, which is from -1 to 1; sooner is better
    static constexpr float infinite = 1e6f;

    // Returns the value of the position after a move, for who is then to move.
    float after(const Position<N>& p, int number, int depth, float alpha, float beta) {
        Position<N> next = p;
        next.play(number);
        ++positions_;
        const Outcome outcome = next.outcome(rules_);
        if (outcome == Outcome::drawn) return 0;
        if (outcome != Outcome::open) {
            const float soon = won + static_cast<float>(depth);
            return (outcome == Outcome::won_by_1) == (next.turn() == 1) ? soon : -soon;
        }
        if (depth > 0) return search(next, depth, alpha, beta);
        std::array<float, td_input_count(N)> x;
        write_inputs(next, next.turn(), x.data());
        const Outputs out = network_.outputs(x.data());
        return out[0] - out[1];
    }

    float search(const Position<N>& p, int depth, float alpha, float beta) {
        float best = -infinite;
        p.each_move([&](int number) {
            if (best >= beta) return;
            best = std::max(best, -after(p, number, depth - 1, -beta, -std::max(alpha, best)));
        });
        return best;
    }

    const TdNetwork& network_;
    const Rules rules_;
    std::int64_t positions_ = 0;
};
