// Random numbers for the lanes of a machine of Tak. Included after a target is switched on.

// A number of 32 bits for every lane and round: xoroshiro128+ (Blackman and Vigna, 2018), eight streams, the same
// however wide vectors are.
class alignas(64) LaneDraws {
public:
    LaneDraws(int lanes, std::uint64_t seed) : upper_(static_cast<std::size_t>(lanes)), lower_(upper_.size()) {
        Random random(seed);
        for (int i = 0; i < streams; ++i) {
            s0_[i] = random();
            s1_[i] = random();
        }
    }

    // Draws for all lanes.
    void draw() {
        Words s0 = s0_, s1 = s1_;
        for (auto* half : {&upper_, &lower_})
            for (std::size_t i = 0; i < half->size(); i += sizeof(Words) / sizeof(std::uint16_t)) {
                const Words numbers = s0 + s1, t = s0 ^ s1;
                std::memcpy(half->data() + i, &numbers, sizeof numbers);
                s0 = ((s0 << 24) | (s0 >> 40)) ^ t ^ (t << 16);
                s1 = (t << 37) | (t >> 27);
            }
        s0_ = s0;
        s1_ = s1;
    }

    // Numbers below bounds of 16 bits, for the lanes of a block: the upper half of the product with what was drawn.
    template <class L> [[gnu::always_inline]] typename L::V below(int block, typename L::V bounds) const {
        using V = typename L::V;
        const std::size_t first = static_cast<std::size_t>(block) * L::size;
        if constexpr (L::bits == 16) {
            V upper, lower;
            std::memcpy(&upper, upper_.data() + first, sizeof upper);
            std::memcpy(&lower, lower_.data() + first, sizeof lower);
            const V rest = L::high_product(lower, bounds), sum = upper * bounds + rest;
            const V carried = L::keep(L::at_least(sum, rest), L::all(1));  // where there is no carry
            return L::high_product(upper, bounds) + 1 - carried;
        } else {
            V upper, lower;
            for (int i = 0; i < L::size; ++i) {
                upper[i] = upper_[first + static_cast<std::size_t>(i)];
                lower[i] = lower_[first + static_cast<std::size_t>(i)];
            }
            return (upper * bounds + ((lower * bounds) >> 16)) >> 16;
        }
    }

private:
    static constexpr int streams = 8;
    typedef std::uint64_t Words __attribute__((vector_size(64)));

    std::vector<std::uint16_t> upper_, lower_;
    Words s0_, s1_;
};
