// Adds up bits of equal places of vectors, as numbers whose digits are vectors. Included after a target is switched on.

// A number of so many binary digits for every bit of a vector. What is added waits until there are three of one weight,
// which a full adder makes one of this weight and one of the next.
template <class L, int Digits> class alignas(vector_bytes) LaneSum {
public:
    using V = typename L::V;

    // Adds a set of ones of a weight, a power of two; what does not fit is nothing.
    template <int Weight> [[gnu::always_inline]] void add(V ones) {
        if constexpr (Weight < Digits) {
            if (waiting_[Weight] < 2) {
                held_[Weight][waiting_[Weight]++] = ones;
                return;
            }
            const V a = held_[Weight][0], b = held_[Weight][1];
            waiting_[Weight] = 1;
            held_[Weight][0] = L::parity(a, b, ones);
            add<Weight + 1>(L::majority(a, b, ones));
        }
    }

    // The digits, the lowest first.
    [[gnu::always_inline]] std::array<V, Digits> digits() {
        settle<0>();
        std::array<V, Digits> found;
        for (int i = 0; i < Digits; ++i) found[i] = waiting_[i] ? held_[i][0] : V{};
        return found;
    }

private:
    template <int Weight> [[gnu::always_inline]] void settle() {
        if constexpr (Weight < Digits) {
            if (waiting_[Weight] == 2) {
                const V a = held_[Weight][0], b = held_[Weight][1];
                waiting_[Weight] = 1;
                held_[Weight][0] = a ^ b;
                add<Weight + 1>(a & b);
            }
            settle<Weight + 1>();
        }
    }

    V held_[Digits][2];
    int waiting_[Digits] = {};
};
