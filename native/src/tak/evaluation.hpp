// An evaluation of Tak without a network: a weighted sum of terms, whose weights are fitted to games. Included after a
// target is switched on.
//
// Most terms count something of the side to move, less the same of the other side. The last ones are tables that are
// looked up for both sides apart, as to be a move from a road is worth more to who is to move.

// Where each kind of term begins; EvaluationTerms of scripts/strength/tak_weights.py describes the same.
struct TermLayout {
    static constexpr int classes = 10, lengths = most_size + 2, numbers = 4, stages = 4;
    static constexpr int tops = 0;                           // [kind][class of square] stacks
    static constexpr int captives = tops + 3 * classes;      // [kind of top][whose: own, other] pieces beneath
    static constexpr int support = captives + 3 * 2;         // [kind of top] own pieces right beneath
    static constexpr int flats_left = support + 3;           // in the reserve
    static constexpr int pairs = flats_left + 1;             // neighbours that both may be part of a road
    static constexpr int liberties = pairs + 1;              // empty squares beside them
    static constexpr int attacks = liberties + 1;            // flats of the other side beside own stacks
    static constexpr int captures = attacks + 1;             // walls of the other side beside own capstones
    static constexpr int spans = captures + 1;               // ranks and files in which a road may have squares
    static constexpr int flat_lead = spans + 1;              // [how near the end is] in halves of a flat
    static constexpr int nearest = flat_lead + stages;       // [mover, other][squares lacking to a road]
    static constexpr int across = nearest + 2 * lengths;     // ... to one between the other two edges
    static constexpr int places = across + 2 * lengths;      // [mover, other][empty squares that join a road]
    static constexpr int spreads_to = places + 2 * numbers;  // ... squares that a spread may join it by
    static constexpr int tempo = spreads_to + 2 * numbers;   // always 1
    static constexpr int count = tempo + 1;
};
static_assert(TermLayout::count == evaluation_terms);

template <int N> class Evaluation : TermLayout {
public:
    using Board = Geometry<N>;

    // Returns an estimate between -1 and 1 for who is to move.
    static float value(const Position<N>& p, int half_komi) {
        std::int32_t sum = 0;
        each_term(p, half_komi, [&](int term, int count) { sum += evaluation_weights<N>[term] * count; });
        const float odds = static_cast<float>(sum) / (2 * evaluation_unit);
        return odds / std::sqrt(1 + odds * odds);  // near to tanh, which a logistic regression has
    }

    // add(term, count) for terms that are not 0, some of them several times.
    template <class Add> static void each_term(const Position<N>& p, int half_komi, Add add) {
        const int mover = p.turn();
        for (const int place : {0, 1}) {
            const int player = place == 0 ? mover : 1 - mover, sign = place == 0 ? 1 : -1;
            add_stacks(p, player, [&](int term, int count) { add(term, sign * count); });
            add_roads(p, player, [&](int term, int count) { add(term, sign * count); });
            add_threats(p, player, place, add);
        }
        add_flat_lead(p, half_komi, add);
        add(tempo, 1);
    }

private:
    // The squares that turns and reflections make the same, by class.
    static constexpr auto class_squares = [] {
        std::array<Word, classes> found{};
        for (int square = 0; square < Board::squares; ++square) {
            const auto inward = [](int at) { return std::min(at, N - 1 - at); };
            const int low = std::min(inward(square % N), inward(square / N));
            const int high = std::max(inward(square % N), inward(square / N));
            found[static_cast<std::size_t>(high * (high + 1) / 2 + low)] |= Word{1} << square;
        }
        return found;
    }();
    static constexpr int used_classes = (N + 1) / 2 * ((N + 1) / 2 + 1) / 2;

    template <class Add> static void add_stacks(const Position<N>& p, int player, Add add) {
        const Word own = p.own[player];
        const std::array<Word, 3> kinds{own & ~p.blocking(), own & p.walls, own & p.capstones};
        for (int kind = 0; kind < 3; ++kind) {
            if (!kinds[kind]) continue;
            for (int c = 0; c < used_classes; ++c)
                add(tops + kind * classes + c, std::popcount(kinds[kind] & class_squares[c]));
        }
        for (Word rest = own & p.tall; rest; rest &= rest - 1) {
            const int square = std::countr_zero(rest);
            const int kind = p.walls >> square & 1 ? wall : p.capstones >> square & 1 ? capstone : flat;
            const int second = p.pieces_of_1(square), mine = player == 1 ? second : p.height[square] - second;
            add(captives + 2 * kind, mine - 1);
            add(captives + 2 * kind + 1, p.height[square] - mine);
            add(support + kind, static_cast<int>(p.owners[square] >> 1 & 1) == player);
        }
        add(flats_left, p.reserve[player].flats);
    }

    template <class Add> static void add_roads(const Position<N>& p, int player, Add add) {
        const Word own = p.own[player], other = p.own[1 - player], road = own & ~p.walls;
        add(pairs, std::popcount(road & Board::template beside<0>(road)) +
                       std::popcount(road & Board::template beside<3>(road)));
        add(liberties, std::popcount(Board::around(road) & ~p.taken()));
        add(attacks, std::popcount(Board::around(own) & other & ~p.blocking()));
        add(captures, std::popcount(Board::around(own & p.capstones) & other & p.walls));
        int spanned = 0;
        for (int i = 0; i < N; ++i)
            spanned += ((road & (Board::bottom << (i * N))) != 0) + ((road & (Board::left << i)) != 0);
        add(spans, spanned);
    }

    // Of the mover at place 0, of the other side at place 1.
    template <class Add> static void add_threats(const Position<N>& p, int player, int place, Add add) {
        const int up = road_distance(p, player, Board::bottom, Board::top);
        const int right = road_distance(p, player, Board::left, Board::right);
        add(nearest + place * lengths + std::min(up, right), 1);
        add(across + place * lengths + std::max(up, right), 1);
        if (std::min(up, right) > 1) return;
        const Word joining = Roads<N>::joining(p, player), road = p.own[player] & ~p.walls;
        const auto add_number = [&](int term, Word squares) {
            const int number = std::min(std::popcount(squares), numbers - 1);
            if (number > 0) add(term + place * numbers + number, 1);
        };
        const Word ends = Roads<N>::flood(Board::bottom | Board::top | Board::left | Board::right, road);
        const Word spare = p.own[player] & (p.tall | ~ends);
        add_number(places, joining & ~p.taken());
        add_number(spreads_to, joining & Board::around(spare) & ~p.blocking() & ~road);
    }

    // How many flats the mover has more counts for more as the game can end sooner.
    template <class Add> static void add_flat_lead(const Position<N>& p, int half_komi, Add add) {
        const auto left = [&](int player) { return p.reserve[player].flats + p.reserve[player].capstones; };
        const int plies = std::min({std::popcount(Board::all & ~p.taken()), 2 * left(0), 2 * left(1)});
        constexpr std::array<int, stages> most_plies{2, 5, 9, 15};
        const auto stage = std::ranges::find_if(most_plies, [&](int most) { return plies <= most; });
        if (stage == most_plies.end()) return;
        const auto flats = [&](int player) { return std::popcount(p.own[player] & ~p.blocking()); };
        const int lead = 2 * (flats(0) - flats(1)) - half_komi;
        add(flat_lead + static_cast<int>(stage - most_plies.begin()), p.turn() == 0 ? lead : -lead);
    }

    // Returns how many squares a player lacks to a road between two edges: the fewest that have to become theirs for it,
    // of those on which no wall and no capstone of the other side stands. N + 1: more than N, or none can be made.
    static int road_distance(const Position<N>& p, int player, Word from, Word to) {
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
