// A uniform choice of one role in all lanes, and its random numbers: r = floor(u * n / 2^b) for b random digits u
// (schoolbook multiplication, high part kept) is uniform over 0 … n-1 but for n / 2^b, less than one in a thousand.
//
// Moves that cannot be legal in the phase of the game at hand are left out, but as many random digits are drawn as with
// them, so that a lane's game does not depend on the phases of its neighbours. `Steps` counts and chooses.
//
// Included inside the namespace of one instruction set.

#include "network/choice_steps.hpp"

// Rows in memory, for steps that are carried out at once.
template <class V> struct RowMemory {
    V* rows;
    V load(std::uint32_t row) const { return rows[row]; }
    void store(std::uint32_t row, V value) { rows[row] = value; }
};

template <class V> class InterpretedChoice {
public:
    InterpretedChoice(const NetworkGame& game, std::size_t program, std::size_t role)
        : steps_(game.programs()[program].choices[role]) {}

    void count(V* rows) {
        Memory memory{rows};
        steps_.count(memory);
    }
    void choose(V* rows) {
        Memory memory{rows};
        steps_.choose(memory);
    }

private:
    using Memory = RowMemory<V>;

    ChoiceSteps<V, Rows<V>> steps_;
};

template <class V, class Steps> class Choice {
public:
    Choice(const ChoicePlan& plan, Steps steps) : plan_(plan), steps_(std::move(steps)) {}

    // Writes the rows of this role's moves: in each lane of `lanes` exactly one legal move (there must be one),
    // in the others none.
    void operator()(V* rows, V lanes, RandomLanes<V>& random) {
        if (!plan_.needed()) {
            for (int b = 0; b < plan_.random_digits; ++b) random();  // as many as where there is a choice
            if (!plan_.move.empty()) rows[plan_.move[0]] = lanes;
            return;
        }
        rows[plan_.lanes] = lanes;
        steps_.count(rows);
        draw(rows, random);
        steps_.choose(rows);
    }

private:
    // With no more digits than the largest count of all lanes has.
    void draw(V* rows, RandomLanes<V>& random) {
        const V* total = rows + plan_.total();
        int digits = std::bit_width(plan_.move.size());
        while (digits > 1 && !any(total[digits - 1])) --digits;
        V* rank = rows + plan_.rank;
        for (int d = digits; d < plan_.digits(); ++d) rank[d] = V{};
        [&]<int... D>(std::integer_sequence<int, D...>) {
            (void)((digits == D + 1 && (multiply<D + 1>(total, random, rank), true)) || ...);
        }(std::make_integer_sequence<int, ChoicePlan::max_digits>());
    }

    // Digit by digit from the least significant of u.
    template <int Digits> void multiply(const V* n, RandomLanes<V>& random, V* rank) const {
        V r[Digits] = {};
        for (int b = 0; b < plan_.random_digits; ++b) {
            const V u = random();
            V carry = n[0] & u & r[0];
            for (int d = 1; d < Digits; ++d) {
                const V addend = n[d] & u, old = r[d];
                r[d - 1] = xor3<V>(old, addend, carry);
                carry = majority<V>(old, addend, carry);
            }
            r[Digits - 1] = carry;
        }
        for (int d = 0; d < Digits; ++d) rank[d] = r[d];
    }

    const ChoicePlan& plan_;
    Steps steps_;
};
