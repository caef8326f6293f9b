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

// One over the square root of counts: infinite for what was never tried.
[[gnu::always_inline]] inline Floats reciprocal_roots(Integers counts) {
    return roots(1.0f / __builtin_convertvector(counts, Floats));
}

// Scores become integers in the same order, whose lowest bits name the place, so a maximum needs no branch.
// (Negative ones do not keep their order, but stay below all others.) What was never tried scores infinitely.
[[gnu::always_inline]] inline Integers keys(Floats mean, Floats width, float bonus) {
    const Floats score = mean + width * bonus;
    return (std::bit_cast<Integers>(score) & -Chunk::size) | Integers{0, 1, 2, 3, 4, 5, 6, 7};
}

[[gnu::always_inline]] inline Integers keys(const Chunk& chunk, float bonus) {
    return keys(load<Floats>(chunk.mean), reciprocal_roots(load_counts(chunk.visits)), bonus);
}

// In all places.
[[gnu::always_inline]] inline Integers maximum(Integers keys) {
    const auto rise = [&](Integers other) { keys = keys > other ? keys : other; };
    rise(__builtin_shuffle(keys, Integers{4, 5, 6, 7, 0, 1, 2, 3}));
    rise(__builtin_shuffle(keys, Integers{2, 3, 0, 1, 6, 7, 4, 5}));
    rise(__builtin_shuffle(keys, Integers{1, 0, 3, 2, 5, 4, 7, 6}));
    return keys;
}

[[gnu::always_inline]] inline int place_of(Integers key) { return key[0] & (Chunk::size - 1); }

const Logarithm logarithm;

// What the bound of an edge visited once exceeds its mean by, at the visit of a node that begins after so many others.
[[gnu::always_inline]] inline float bonus(std::uint32_t visits, float scale) {
    constexpr float least = 1e-20f;  // without exploration, too, all edges are tried
    return std::sqrt(scale * scale * logarithm(visits + 1) + least);
}

[[gnu::always_inline]] inline Edge best_edge(const Tree& tree, Index first, float bonus) {
    Integers best = keys(tree.chunk(first), bonus);
    Index at = tree.chunk(first).next;
    if (!is_chunk(at)) return {first, place_of(maximum(best))};
    Integers where = static_cast<std::int32_t>(first) - Integers{};
    for (; is_chunk(at); at = tree.chunk(at).next) {
        const Integers key = keys(tree.chunk(at), bonus), better = key > best;
        best = better ? key : best;
        where = better ? static_cast<std::int32_t>(at) - Integers{} : where;
    }
    const int place = place_of(maximum(best));
    return {static_cast<Index>(__builtin_shuffle(where, place - Integers{})[0]), place};
}

// The bounds of a node's edges, while one visit after another chooses. What is highest twice running is likely to stay so
// for long: how long follows from the next bound below it, and as many visits go there at once.
class Bounds {
public:
    static constexpr int most = 48;  // chunks

    // False where they are too many, or not all were tried.
    [[gnu::always_inline]] bool read(const Tree& tree, Index first) {
        for (Index at = first; is_chunk(at); at = tree.chunk(at).next) {
            if (chunks_ == most) return false;
            const Chunk& chunk = tree.chunk(at);
            at_[chunks_] = at;
            mean_[chunks_] = load<Floats>(chunk.mean);
            if (maximum(-(mean_[chunks_] == Chunk::fresh))[0] != 0) return false;
            visits_[chunks_] = load_counts(chunk.visits);
            width_[chunks_] = reciprocal_roots(visits_[chunks_]);
            ++chunks_;
        }
        return true;
    }

    // At most `count` visits that all go where the bound is highest.
    [[gnu::always_inline]] Visits choose(float bonus, std::uint32_t count) {
        const Top top = highest(bonus);
        const bool again = top.chunk == last_.chunk && top.place == last_.place;
        last_ = top;
        const std::uint32_t taken = again && count > 1 ? std::min(count, stays(top, bonus)) : 1;
        const Integers here = Integers{0, 1, 2, 3, 4, 5, 6, 7} == top.place;
        visits_[top.chunk] += here & static_cast<std::int32_t>(taken);
        width_[top.chunk] = reciprocal_roots(visits_[top.chunk]);
        return {{at_[top.chunk], top.place}, taken};
    }

    [[gnu::always_inline]] void write(const Tree& tree) const {
        for (int i = 0; i < chunks_; ++i) std::memcpy(tree.chunk(at_[i]).visits, &visits_[i], sizeof(Integers));
    }

private:
    struct Top {
        int chunk = -1, place = -1;
    };

    [[gnu::always_inline]] Top highest(float bonus) const {
        Integers best = keys(mean_[0], width_[0], bonus), where{};
        for (int i = 1; i < chunks_; ++i) {
            const Integers key = keys(mean_[i], width_[i], bonus), better = key > best;
            best = better ? key : best;
            where = better ? i - Integers{} : where;
        }
        const int place = place_of(maximum(best));
        return {chunks_ == 1 ? 0 : __builtin_shuffle(where, place - Integers{})[0], place};
    }

    // Its bound with n visits, mean + bonus / sqrt(n), is above another as long as sqrt(n) is below bonus / (other - mean).
    [[gnu::always_inline]] std::uint32_t stays(Top top, float bonus) {
        const float mean = mean_[top.chunk][top.place], width = width_[top.chunk][top.place];
        width_[top.chunk][top.place] = 0;
        mean_[top.chunk][top.place] = Chunk::closed;
        const Top next = highest(bonus);
        const float other = mean_[next.chunk][next.place] + width_[next.chunk][next.place] * bonus;
        mean_[top.chunk][top.place] = mean;
        width_[top.chunk][top.place] = width;
        const float root = bonus / std::max(other - mean, 1e-6f);
        const float more = root * root - static_cast<float>(visits_[top.chunk][top.place]);
        return more < 1 ? 1 : static_cast<std::uint32_t>(std::min(more, 1e6f)) + 1;
    }

    int chunks_ = 0;
    Top last_;
    std::array<Index, most> at_;
    std::array<Floats, most> mean_, width_;
    std::array<Integers, most> visits_;
};

class Uct : public Selection {
public:
    explicit Uct(double exploration) : scale_(bound_scale(exploration)) {}

    Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const override {
        return choose_here(tree, node, first, random);
    }
    void choose_each(const Tree& tree, Node& node, Index first, Random& random, std::uint32_t count,
                     std::vector<Visits>& chosen) const override {
        choose_each_here(tree, node, first, random, count, chosen);
    }
    bool grows() const override { return true; }
    int best(const std::vector<RootMove>& moves) const override { return most_visited(moves); }

protected:
    [[gnu::always_inline]] inline Choice choose_here(const Tree& tree, const Node& node, Index first,
                                                     Random& random) const {
        if (node.head.kind == NodeHead::simultaneous) return match_regret(tree, first, random);
        return {best_edge(tree, first, bonus(node.head.visits, scale_))};
    }

    [[gnu::always_inline]] inline void choose_each_here(const Tree& tree, Node& node, Index first, Random& random,
                                                        std::uint32_t count, std::vector<Visits>& chosen) const {
        Bounds bounds;
        if (count < few || !bounds.read(tree, first)) {
            return Selection::choose_each(tree, node, first, random, count, chosen);
        }
        const std::uint32_t begun = node.head.visits, run = 1 + begun / share_of_run;
        for (std::uint32_t done = 0; done < count; done += chosen.back().count) {
            chosen.push_back(bounds.choose(bonus(begun + done, scale_), std::min(count - done, run)));
        }
        bounds.write(tree);
        tree.depart(node, count);
    }

private:
    static constexpr std::uint32_t few = 3;            // visits that choose one at a time
    static constexpr std::uint32_t share_of_run = 32;  // of a node's visits, for which the logarithm is as good as the same

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
    [[gnu::target("avx2")]] void choose_each(const Tree& tree, Node& node, Index first, Random& random, std::uint32_t count,
                                             std::vector<Visits>& chosen) const override {
        choose_each_here(tree, node, first, random, count, chosen);
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
    return best_edge(tree, first, bonus(node.head.visits, scale));
}

std::unique_ptr<Search> make_uct(const Game& game, const SearchOptions& options) {
    return std::make_unique<TreeSearch>(game, options, make_selection(options.exploration));
}

}  // namespace ludens
