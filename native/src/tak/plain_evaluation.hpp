// An evaluation of Tak without training: who is nearer to a road, has more flats, and leads more stacks. Included after a
// target is switched on.

template <int N> class PlainEvaluation {
public:
    using Board = Geometry<N>;

    // Returns an estimate between -1 and 1 for who is to move.
    static float value(const Position<N>& p) {
        const int mover = p.turn(), other = 1 - mover;
        const auto lead = [&](Word set) {
            return std::popcount(p.own[mover] & set) - std::popcount(p.own[other] & set);
        };
        const float sum = road_weight * static_cast<float>(road_distance(p, other) - road_distance(p, mover)) +
                          flat_weight * static_cast<float>(lead(~p.blocking())) +
                          control_weight * static_cast<float>(lead(~p.walls)) + tempo;
        return sum / (1 + std::abs(sum));
    }

    // Returns how many squares a player lacks to a road: the fewest that have to become theirs for it, of those that
    // neither side has blocked. N + 1: none can be made.
    static int road_distance(const Position<N>& p, int player) {
        return std::min(distance(p, player, Board::bottom, Board::top), distance(p, player, Board::left, Board::right));
    }

private:
    static constexpr float road_weight = 0.3f, flat_weight = 0.2f, control_weight = 0.05f, tempo = 0.1f;

    static int distance(const Position<N>& p, int player, Word from, Word to) {
        const Word road = p.own[player] & ~p.walls, blocked = p.walls | (p.capstones & p.own[1 - player]);
        Word reached = Roads<N>::flood(from, road);
        for (int lacking = 0; lacking <= N; ++lacking) {
            if (reached & to) return lacking;
            const Word next = (Board::around(reached) | from) & ~blocked;
            reached |= next | Roads<N>::flood(Board::around(next), road);
        }
        return N + 1;
    }
};
