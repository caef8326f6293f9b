// UCT (Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006) over unfinished visits as well (Liu et
// al., "Watch the unobserved", 2020): with N and n the visits of node and edge, in flight included and in N the one
// that begins, and q the mean goal over the completed ones,
//
//     q / 100 + exploration * sqrt(ln N / n)
//
// where an edge without a result yet counts as the mean of its node. Those never tried come first.
//
// Where several roles choose at once, each does so by regret matching (search_regret.cpp); search_decoupled.cpp has
// the other way.
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <array>
#include <bit>
#include <cmath>

#include "edge_vectors.hpp"
#include "search_regret.hpp"
#include "search_uct.hpp"
#include "tree_search.hpp"

namespace ludens {

namespace {

// The logarithm to the base 2, from the exponent and a table for the highest bits of the mantissa, by a polynomial that
// is right at both ends and to 0.0002 between them: the same on every machine.
class Logarithm {
public:
    Logarithm() {
        for (std::uint32_t i = 0; i < table_.size(); ++i) {
            const float m = 1 + static_cast<float>(i) / static_cast<float>(table_.size());
            table_[i] = (m - 1) * (1 + (m - 2) * (-0.7550740f + (0.3973080f - 0.0803073f * m) * m));
        }
    }

    float operator()(std::uint32_t n) const {
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(n)));
        return static_cast<float>(static_cast<int>(bits >> 23) - 127) + table_[(bits & 0x7fffffu) >> (23 - digits)];
    }

private:
    static constexpr int digits = 10;
    std::array<float, 1 << digits> table_;
};

// Right to the last bit, so the same everywhere.
[[gnu::always_inline]] inline Floats roots(Floats x) {
#if defined(__x86_64__)
    const __m128 low = _mm_sqrt_ps(__builtin_shufflevector(x, x, 0, 1, 2, 3));
    const __m128 high = _mm_sqrt_ps(__builtin_shufflevector(x, x, 4, 5, 6, 7));
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    for (int i = 0; i < wide; ++i) x[i] = std::sqrt(x[i]);
    return x;
#endif
}

// Scores become integers in the same order, whose lowest bits name the place, so a maximum needs no branch.
// (Negative ones do not keep their order, but stay below all others.) What was never tried scores infinitely.
[[gnu::always_inline]] inline Integers keys(const Chunk& chunk, float weight) {
    const Floats visits = __builtin_convertvector(load_counts(chunk.visits), Floats);
    const Floats score = load<Floats>(chunk.mean) + roots(weight / visits);
    return (std::bit_cast<Integers>(score) & -Chunk::size) | Integers{0, 1, 2, 3, 4, 5, 6, 7};
}

[[gnu::always_inline]] inline int maximum(Integers keys) {
    const auto rise = [&](Integers other) { keys = keys > other ? keys : other; };
    rise(__builtin_shuffle(keys, Integers{4, 5, 6, 7, 0, 1, 2, 3}));
    rise(__builtin_shuffle(keys, Integers{2, 3, 0, 1, 6, 7, 4, 5}));
    rise(__builtin_shuffle(keys, Integers{1, 0, 3, 2, 5, 4, 7, 6}));
    return keys[0];
}

const Logarithm logarithm;

// The square of what the bound of an edge visited once exceeds its mean by.
[[gnu::always_inline]] inline float weight(const Node& node, float scale) {
    constexpr float least = 1e-20f;  // without exploration, too, all edges are tried
    return scale * scale * logarithm(node.head.visits + 1) + least;
}

[[gnu::always_inline]] inline Edge best_edge(const Tree& tree, Index first, float weight) {
    Integers best = keys(tree.chunk(first), weight);
    Index at = tree.chunk(first).next;
    if (!is_chunk(at)) return {first, maximum(best) & (Chunk::size - 1)};
    Integers where = static_cast<std::int32_t>(first) - Integers{};
    for (; is_chunk(at); at = tree.chunk(at).next) {
        const Integers key = keys(tree.chunk(at), weight), better = key > best;
        best = better ? key : best;
        where = better ? static_cast<std::int32_t>(at) - Integers{} : where;
    }
    const int place = maximum(best) & (Chunk::size - 1);
    return {static_cast<Index>(__builtin_shuffle(where, place - Integers{})[0]), place};
}

class Uct : public Selection {
public:
    explicit Uct(double exploration) : scale_(bound_scale(exploration)) {}

    Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const override {
        return choose_here(tree, node, first, random);
    }
    bool grows() const override { return true; }
    int best(const std::vector<RootMove>& moves) const override { return most_visited(moves); }

protected:
    [[gnu::always_inline]] inline Choice choose_here(const Tree& tree, const Node& node, Index first,
                                                     Random& random) const {
        if (node.head.kind == NodeHead::simultaneous) return match_regret(tree, first, random);
        return {best_edge(tree, first, weight(node, scale_))};
    }

private:
    const float scale_;
};

#if defined(__x86_64__)
class UctAvx2 final : public Uct {
public:
    using Uct::Uct;
    [[gnu::target("avx2")]] Choice choose(const Tree& tree, const Node& node, Index first,
                                          Random& random) const override {
        return choose_here(tree, node, first, random);
    }
};
#endif

std::unique_ptr<Selection> make_selection(double exploration) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return std::make_unique<UctAvx2>(exploration);
#endif
    return std::make_unique<Uct>(exploration);
}

}  // namespace

float bound_scale(double exploration) {
    return static_cast<float>(best_goal * exploration * std::sqrt(std::log(2)));
}

Edge highest_bound(const Tree& tree, const Node& node, Index first, float scale) {
    return best_edge(tree, first, weight(node, scale));
}

std::unique_ptr<Search> make_uct(const Game& game, const SearchOptions& options) {
    return std::make_unique<TreeSearch>(game, options, make_selection(options.exploration));
}

}  // namespace ludens
