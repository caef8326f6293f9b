#include "gomoku/shapes.hpp"

#include <algorithm>
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

}  // namespace

ShapeTable::ShapeTable(const Rules& rules)
    : reach_(rules.exact ? rules.length : rules.length - 1), shapes_(std::size_t{1} << 2 * (reach_ + 1), Shape::none) {
    for (int below = 0; below <= reach_; ++below)
        for (int above = 0; above <= reach_; ++above) {
            const Line line(rules, below, above);
            for (std::uint32_t low = 0; low < 1u << below; ++low)
                for (std::uint32_t high = 0; high < 1u << above; ++high)
                    shapes_[(low | 1u << below) << (reach_ + 1) | (high | 1u << above)] =
                        line[low | 1u << below | high << (below + 1)];
        }
}

}  // namespace ludens::gomoku
