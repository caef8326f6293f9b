#include "checkers/endgame_retrograde.hpp"

#include <bit>
#include <cstring>

namespace ludens::endgame {

namespace {

using checkers::black;

// Moves within the block that are not known to lose; every position with a capture has `forced`.
using Open = std::uint8_t;
constexpr Open forced = 255;

constexpr std::size_t between_stops = 1 << 14;  // positions after which the work may be stopped

constexpr int squares_a_rank = checkers::square_limit / checkers::ranks;

int rank_sum(Squares men) {
    int sum = 0;
    for (; men; men &= men - 1) sum += std::countr_zero(men) / squares_a_rank;
    return sum;
}

// How far up the men of both sides stand, each seen from their own side.
int advance(const Men& men) { return rank_sum(men.own) + rank_sum(turned(men.others)); }

bool own_mirror(const Slice& slice) { return slice.material == slice.material.mirrored(); }

// A block and what is known of it while it is being solved.
struct Half {
    const Slice* slice;
    Men men;
    std::span<Value> values;
    std::vector<Open> open;

    Position position(const Index& index, std::int64_t place) const { return index.position(*slice, men, place); }
};

class PairSolver {
public:
    PairSolver(const Index& index, Measure measure, std::span<Value> values, const StopSign& stop)
        : index_(index), measure_(measure), values_(values), stop_(stop) {}

    void solve(const Slice& slice, std::int64_t block) {
        const Men men = index_.men(slice, block);
        const Slice& mirror = index_.slice(slice.material.mirrored());
        open(halves_[0], slice, men, block);
        open(halves_[1], mirror, men.mirrored(), index_.block(mirror, men.mirrored()));
        Half& first = halves_[0];
        Half& second = halves_[halves_[0].values.data() == halves_[1].values.data() ? 0 : 1];
        const bool alone = &first == &second;
        last_ = 0;
        begin(first);
        if (!alone) begin(second);
        for (int value = 0; value <= last_; ++value) {
            stop_.heed();
            spread(first, second, static_cast<Value>(value));
            if (!alone) spread(second, first, static_cast<Value>(value));
        }
    }

private:
    void open(Half& half, const Slice& slice, const Men& men, std::int64_t block) {
        half.slice = &slice;
        half.men = men;
        half.values = values_.subspan(slice.first + block * slice.block_size, slice.block_size);
    }

    // Step 1: what moves out of the block are worth.
    void begin(Half& half) {
        half.open.resize(half.values.size());
        for (std::size_t i = 0; i < half.values.size(); ++i) {
            if (i % between_stops == 0) stop_.heed();
            const Position p = half.position(index_, static_cast<std::int64_t>(i));
            half.values[i] = draw;
            if (checkers::Captures<black>(p).any) {
                half.open[i] = forced;
                settle(half.values[i], by_captures(p).value());
                continue;
            }
            const Best best = by_men(p);
            const int steps = king_steps(p);
            half.open[i] = static_cast<Open>(steps + best.drawn());
            if (best.won() || half.open[i] == 0) settle(half.values[i], best.value());
        }
    }

    // Of a position in which there are some, so that they are all its moves.
    Best by_captures(const Position& p) const {
        Best best;
        checkers::moves(p, [&](Squares from, Squares to, Squares captured) { add(best, p, from, to, captured); });
        return best;
    }

    // Moves of men, without captures.
    Best by_men(const Position& p) const {
        Best best;
        if (!(p.own & ~p.king)) return best;
        checkers::steppers(p, [&](int d, Squares pieces) {
            for (pieces &= ~p.king; pieces; pieces &= pieces - 1) {
                const Squares from = pieces & -pieces;
                add(best, p, from, checkers::english.step(d, from), 0);
            }
        });
        return best;
    }

    void add(Best& best, const Position& p, Squares from, Squares to, Squares captured) const {
        const auto after = checkers::after(p, from, to, captured);
        if (!after.own) return best.add(measure_.before_progress(0));  // nothing is left that could move
        const Value child = values_[index_.number(seen_by_mover(after))];
        if (child == draw) return best.add_draw();
        best.add(measure_.before_progress(child));
    }

    static int king_steps(const Position& p) {
        int count = 0;
        checkers::steppers(p, [&](int, Squares pieces) { count += std::popcount(pieces & p.king); });
        return count;
    }

    // Gives an open position its value; one too far away for the measure is a draw.
    void settle(Value& place, int value) {
        if (value == draw) return;
        if (value > measure_.last()) {
            if (measure_.limit()) return;
            throw Error("an endgame takes more plies than a table can hold");
        }
        place = static_cast<Value>(value);
        last_ = std::max(last_, value);
    }

    // Step 2: what positions with this value mean for those before them, which are in the mirror.
    void spread(const Half& half, Half& before, Value value) {
        const Value* const begin = half.values.data();
        const Value* const end = begin + half.values.size();
        for (const Value* at = begin; at < end; ++at) {
            at = static_cast<const Value*>(std::memchr(at, value, static_cast<std::size_t>(end - at)));
            if (!at) return;
            spread_from(half.position(index_, at - begin), before, value);
        }
    }

    // The kings of the side that has moved go back to where they may have come from.
    void spread_from(const Position& p, Half& before, Value value) {
        const Position seen{turned(p.others), turned(p.own), turned(p.king)};
        const Squares empty = seen.empty();
        for (Squares kings = seen.own & seen.king; kings; kings &= kings - 1) {
            const Squares king = kings & -kings;
            for (int d = 0; d < checkers::direction_count; ++d)
                if (const Squares from = checkers::english.step(d, king) & empty)
                    update(before, {(seen.own ^ king) | from, seen.others, (seen.king ^ king) | from}, value);
        }
    }

    void update(Half& half, const Position& p, Value child) {
        const std::int64_t place = index_.place(*half.slice, p);
        Open& open = half.open[place];
        if (open == forced) return;
        Value& known = half.values[place];
        const int value = measure_.before_step(child);
        if (is_loss(child)) {
            if (value < known) settle(known, value);
        } else if (--open == 0 && known == draw) {
            settle(known, std::max(value, by_men(p).loss()));
        }
    }

    const Index& index_;
    const Measure measure_;
    const std::span<Value> values_;
    const StopSign& stop_;
    Half halves_[2];
    int last_ = 0;  // highest value so far in the pair
};

}  // namespace

Builder::Builder(const Index& index, Measure measure, std::span<Value> values)
    : index_(index), measure_(measure), values_(values) {
    if (static_cast<std::int64_t>(values.size()) != index.size()) throw Error("an endgame table of the wrong size");
    for (const Slice& slice : index.slices())
        if (slice.first <= index.slice(slice.material.mirrored()).first) pairs_.push_back(&slice);
}

std::vector<const Slice*> Builder::slices(int step) const {
    if (step < 0 || step >= steps()) throw Error("there is no such step");
    const Slice& slice = *pairs_[step];
    if (own_mirror(slice)) return {&slice};
    return {&slice, &index_.slice(slice.material.mirrored())};
}

std::int64_t Builder::work(int step) const {
    std::int64_t sum = 0;
    for (const Slice* slice : slices(step)) sum += slice->size();
    return sum;
}

void Builder::run(int step, int threads, const StopSign& stop) {
    stop.heed();
    for (const Slice* slice : slices(step))
        std::memset(values_.data() + slice->first, no_position, static_cast<std::size_t>(slice->size()));
    const Slice& slice = *pairs_[step];
    for (const Blocks& blocks : layers(slice)) {
        share_in_threads(threads, std::ssize(blocks), [&] {
            return [&, solver = PairSolver(index_, measure_, values_, stop)](std::int64_t i) mutable {
                solver.solve(slice, blocks[i]);
            };
        });
    }
}

// The blocks of a slice, one of each pair, those first whose men stand furthest up.
std::vector<Builder::Blocks> Builder::layers(const Slice& slice) const {
    const int highest = (slice.material.men + slice.material.other_men) * (checkers::ranks - 1);
    std::vector<Blocks> layers(highest + 1);
    for (std::int64_t block = 0; block < slice.blocks; ++block) {
        const Men men = index_.men(slice, block);
        if (!men.possible()) continue;
        if (own_mirror(slice) && index_.block(slice, men.mirrored()) < block) continue;
        layers[highest - advance(men)].push_back(block);
    }
    return layers;
}

}  // namespace ludens::endgame
