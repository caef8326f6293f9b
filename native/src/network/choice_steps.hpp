// A uniform choice among each lane's legal moves, as arithmetic on bit-sliced numbers.
//
// A bit-sliced number is a row for each binary digit, so one instruction adds a digit in all lanes at once. For one
// role with legality rows l[0 … M-1], in blocks of eight:
//   1. count    n = sum of l[i], by a tree of full adders over the blocks;
//   2. draw     r = floor(u * n / 2^b) for b random digits u (see network/choice.hpp);
//   3. descend  from the root of the tree: a lane goes left if r < count(left), else right with r - count(left);
//               a level costs one subtraction, since each lane is in one of its nodes only;
//   4. gather   the eight legal bits of the block in which each lane has arrived, into eight rows;
//   5. pick     the r-th of them, all lanes together, and scatter that to the moves of their blocks.
// The legal bits are never transposed, and the result is already what the network wants: one row for each move.
// Cost: about five instructions a move for all lanes, whatever the number of legal moves.
//
// `Bits` is a vector of lanes, or what writes the same steps down as a circuit. Included inside a namespace that has
// its operations: & | ^, xor3, majority, select, borrow, and_not, or_and, or_and_apart; Bits{} is zero.

template <class Bits, class Array>  // Array: of a fixed number of Bits
class ChoiceSteps {
public:
    explicit ChoiceSteps(const ChoicePlan& plan)
        : plan_(plan), blocks_(static_cast<std::size_t>(plan.levels[0].nodes)), active_(blocks_) {}

    // From what is playable to the counts.
    template <class Rows> void count(Rows& rows) {
        Bits total[max_digits];
        const int root = static_cast<int>(plan_.levels.size()) - 1;
        count(rows, root, 0, total);
        for (int d = 0; d < plan_.digits(); ++d) rows.store(plan_.total() + static_cast<std::uint32_t>(d), total[d]);
    }

    // From rank, lanes and counts to the moves: in each of the lanes exactly one, in the others none.
    template <class Rows> void choose(Rows& rows) {
        Bits rank[max_digits];
        for (int d = 0; d < plan_.digits(); ++d) rank[d] = rows.load(plan_.rank + static_cast<std::uint32_t>(d));
        const Bits lanes = rows.load(plan_.lanes);
        active_[0] = lanes;
        for (std::size_t l = plan_.levels.size() - 1; l-- > 0;) descend(rows, plan_.levels[l], rank);
        Bits found[block_size] = {}, chosen[block_size];
        gather(rows, found);
        pick(found, rank, lanes, chosen);
        for (std::size_t i = 0; i < plan_.move.size(); ++i)
            rows.store(plan_.move[i], active_[i / block_size] & chosen[i % block_size]);
    }

private:
    static constexpr int block_size = ChoicePlan::block_size, max_digits = ChoicePlan::max_digits;

    static void full_add(Bits a, Bits b, Bits c, Bits& sum, Bits& carry) {
        sum = xor3(a, b, c);
        carry = majority(a, b, c);
    }

    static std::uint32_t count_row(const ChoicePlan::Level& level, int pair, int digit) {
        return level.counts + static_cast<std::uint32_t>(pair * level.digits + digit);
    }

    template <class Rows> void count_block(Rows& rows, int block, Bits* out) {
        Bits l[block_size];
        for (int i = 0; i < block_size; ++i)
            l[i] = rows.load(plan_.playable[static_cast<std::size_t>(block * block_size + i)]);
        Bits s0, c0, s1, c1, s2, c2, d1, e1;
        full_add(l[0], l[1], l[2], s0, c0);
        full_add(l[3], l[4], l[5], s1, c1);
        full_add(l[6], l[7], s0, s2, c2);
        out[0] = s1 ^ s2;
        const Bits c3 = s1 & s2;
        full_add(c0, c1, c2, d1, e1);
        out[1] = d1 ^ c3;
        const Bits e2 = d1 & c3;
        out[2] = e1 ^ e2;
        out[3] = e1 & e2;
    }

    // Depth first, so that what is added next has been counted last.
    template <class Rows> void count(Rows& rows, int l, int node, Bits* out) {
        if (l == 0) return count_block(rows, node, out);
        const ChoicePlan::Level& below = plan_.levels[static_cast<std::size_t>(l - 1)];
        count(rows, l - 1, 2 * node, out);
        Bits carry{};
        if (2 * node + 1 < below.nodes) {
            for (int d = 0; d < below.digits; ++d) rows.store(count_row(below, node, d), out[d]);
            Bits right[max_digits];
            count(rows, l - 1, 2 * node + 1, right);
            for (int d = 0; d < below.digits; ++d) full_add(out[d], right[d], carry, out[d], carry);
        }
        out[below.digits] = carry;
    }

    // active_ and rank of the level below.
    template <class Rows> void descend(Rows& rows, const ChoicePlan::Level& below, Bits* rank) {
        Bits left[max_digits];
        for (int d = 0; d <= below.digits; ++d) left[d] = Bits{};
        for (int node = 0; node < below.nodes / 2; ++node)
            for (int d = 0; d < below.digits; ++d)
                left[d] = or_and_apart(left[d], active_[static_cast<std::size_t>(node)],
                                       rows.load(count_row(below, node, d)));
        const Bits goes_left = subtract(rank, left, below.digits + 1);
        for (int child = below.nodes - 1; child >= 0; --child) {
            const Bits here = active_[static_cast<std::size_t>(child / 2)];
            const bool alone = child % 2 == 0 && child + 1 == below.nodes;
            active_[static_cast<std::size_t>(child)] = alone       ? here
                                                       : child % 2 ? and_not(here, goes_left)
                                                                   : here & goes_left;
        }
    }

    // Where rank < left: all ones, rank unchanged; elsewhere zeros, and rank less left.
    static Bits subtract(Bits* rank, const Bits* left, int digits) {
        Bits borrowed{};
        Bits difference[max_digits];
        for (int d = 0; d < digits; ++d) {
            difference[d] = xor3(rank[d], left[d], borrowed);
            borrowed = borrow(rank[d], left[d], borrowed);
        }
        for (int d = 0; d < digits; ++d) rank[d] = select(borrowed, rank[d], difference[d]);
        return borrowed;
    }

    // The legal bits of the block in which each lane has arrived.
    template <class Rows> void gather(Rows& rows, Bits* found) {
        for (std::size_t block = 0; block < blocks_; ++block)
            for (std::size_t i = 0; i < block_size; ++i)
                found[i] = or_and_apart(found[i], active_[block], rows.load(plan_.playable[block * block_size + i]));
    }

    // In each of the lanes the one of its legal bits that has the rank, by the last three levels of the descent.
    static void pick(const Bits* l, const Bits* rank, Bits lanes, Bits* out) {
        Bits s0, c0;
        full_add(l[0], l[1], l[2], s0, c0);
        const Bits carry = s0 & l[3];
        const Bits half[3] = {s0 ^ l[3], c0 ^ carry, c0 & carry};  // count of l[0 … 3]
        Bits q[3] = {rank[0], rank[1], rank[2]};
        const Bits lower = subtract(q, half, 3);
        const Bits halves[2] = {lanes & lower, and_not(lanes, lower)};
        for (int h = 0; h < 2; ++h, l += 4, out += 4) {
            const Bits pair[2] = {l[0] ^ l[1], l[0] & l[1]};
            Bits place[2] = {q[0], q[1]};
            const Bits first = subtract(place, pair, 2);
            const Bits first_pair = halves[h] & first, second_pair = and_not(halves[h], first);
            out[0] = first_pair & and_not(l[0], place[0]);
            out[1] = and_not(first_pair, out[0]);
            out[2] = second_pair & and_not(l[2], place[0]);
            out[3] = and_not(second_pair, out[2]);
        }
    }

    const ChoicePlan& plan_;
    std::size_t blocks_;
    Array active_;  // of each node of the level at hand, the lanes that have come to it
};
