#include "gomoku/shapes.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace ludens::gomoku {

namespace {

// The shapes of one pair of lengths: a line of `below` cells, the stone's own one, and `above` cells.
class Line {
public:
    Line(const Rules& rules, int below, int above)
        : rules_(rules), centre_(below), length_(below + 1 + above), shapes_(std::size_t{1} << length_, Shape::none) {
        const auto all = static_cast<std::uint32_t>(shapes_.size());
        for (std::uint32_t stones = all; stones-- > 0;)  // those with more stones first
            if (stones >> centre_ & 1) shapes_[stones] = shape_of(stones);
    }

    Shape operator[](std::uint32_t stones) const { return shapes_[stones]; }

private:
    bool wins(std::uint32_t stones) const {
        const int above = std::countr_one(stones >> centre_);
        const int below = std::countl_one(stones << (31 - centre_)) - 1;
        const int run = above + below;
        return rules_.exact ? run == rules_.length : run >= rules_.length;
    }

    Shape shape_of(std::uint32_t stones) const {
        if (wins(stones)) return Shape::five;
        std::array<int, shape_count> further{};  // how many cells make a shape of this one
        for (int place = 0; place < length_; ++place)
            if (!(stones >> place & 1))
                ++further[static_cast<std::size_t>(shapes_[stones | std::uint32_t{1} << place])];
        const auto some = [&](Shape shape) { return further[static_cast<std::size_t>(shape)] > 0; };
        if (some(Shape::five))
            return further[static_cast<std::size_t>(Shape::five)] > 1 ? Shape::open_four : Shape::four;
        if (some(Shape::open_four)) return Shape::open_three;
        if (some(Shape::four)) return Shape::three;
        if (some(Shape::open_three)) return Shape::open_two;
        return some(Shape::three) ? Shape::two : Shape::none;
    }

    const Rules& rules_;
    const int centre_, length_;
    std::vector<Shape> shapes_;  // by the stones, the lowest cell first
};

// What half a line tells a side: a bit for each cell that counts, nearest first, set where the side has a stone, below a
// bit that ends them. The nearest cell is in the lowest bits of `cells`.
unsigned number_of(std::size_t cells, int reach, Owner own, Owner other) {
    unsigned number = 0;
    int length = 0;
    for (; length < reach; ++length) {
        const unsigned owner = cells >> 2 * length & 3;
        if (owner == off_board || owner == other) break;
        if (owner == own) number |= 1u << length;
    }
    return number | 1u << length;
}

// The cells in two bits each, in the other order.
std::size_t reversed(std::size_t cells, int count) {
    std::size_t result = 0;
    for (int i = 0; i < count; ++i) result = result << 2 | (cells >> 2 * i & 3);
    return result;
}

}  // namespace

ShapeTable::ShapeTable(const Rules& rules)
    : reach_(rules.exact ? rules.length : rules.length - 1), below_(std::size_t{1} << 2 * reach_),
      above_(below_.size()), shapes_(std::size_t{1} << 2 * (reach_ + 2)) {
    // By what the halves tell one side.
    const std::size_t numbers = std::size_t{1} << (reach_ + 1);
    std::vector<Shape> of_side(numbers * numbers);
    for (int below = 0; below <= reach_; ++below)
        for (int above = 0; above <= reach_; ++above) {
            const Line line(rules, below, above);
            for (std::uint32_t low = 0; low < 1u << below; ++low)
                for (std::uint32_t high = 0; high < 1u << above; ++high) {
                    std::uint32_t stones = 1u << below | high << (below + 1);
                    for (int i = 0; i < below; ++i) stones |= (low >> i & 1) << (below - 1 - i);
                    of_side[(low | 1u << below) * numbers + (high | 1u << above)] = line[stones];
                }
        }
    struct Kind {
        unsigned first, second;  // what it tells the sides
        bool operator==(const Kind&) const = default;
    };
    std::vector<Kind> kinds;
    for (std::size_t cells = 0; cells < above_.size(); ++cells) {
        const Kind kind{number_of(cells, reach_, first_side, second_side),
                        number_of(cells, reach_, second_side, first_side)};
        const auto known = std::ranges::find(kinds, kind);
        above_[cells] = static_cast<std::uint32_t>(known - kinds.begin());
        below_[reversed(cells, reach_)] = above_[cells] << (reach_ + 2);
        if (known == kinds.end()) kinds.push_back(kind);
    }
    for (std::size_t below = 0; below < kinds.size(); ++below)
        for (std::size_t above = 0; above < kinds.size(); ++above) {
            const auto shape = [&](unsigned low, unsigned high) {
                return static_cast<std::uint32_t>(of_side[low * numbers + high]);
            };
            shapes_[below << (reach_ + 2) | above] =
                shape(kinds[below].first, kinds[above].first) | shape(kinds[below].second, kinds[above].second) << 16;
        }
}

}  // namespace ludens::gomoku
