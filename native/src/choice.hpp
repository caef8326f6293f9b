// A uniform choice among each lane's legal moves, as arithmetic on bit-sliced numbers.
//
// A bit-sliced number is a row for each binary digit, so one instruction adds a digit in all lanes at once. For one
// role with legality rows l[0 … M-1], in blocks of eight:
//   1. count    n = sum of l[i], by a tree of full adders over the blocks;
//   2. draw     r = floor(u * n / 2^b) for b random digits u (schoolbook multiplication, high part kept): uniform
//               over 0 … n-1 but for n / 2^b, less than one in a thousand;
//   3. descend  from the root of the tree: a lane goes left if r < count(left), else right with r - count(left);
//               a level costs one subtraction, since each lane is in one of its nodes only;
//   4. gather   the eight legal bits of the block in which each lane has arrived, into eight rows;
//   5. pick     the r-th of them, all lanes together, and scatter that back to the moves of their blocks.
// The legal bits are never transposed, and the result is already what the network wants: one row for each move.
// Cost: about five instructions a move for all lanes, whatever the number of legal moves. Moves that cannot be legal
// in the phase of the game at hand are left out, but as many random digits are drawn as with them, so that a lane's
// game does not depend on the phases of its neighbours.
//
// Included inside the namespace of one instruction set.

constexpr int spare_digits = 10;  // of the random number, beyond those of the largest count

template <class V>
class alignas(sizeof(V)) Choice {  // said aloud: GCC 12 forgets the alignment of V inside std::allocator
public:
    // Rows of what is playable and of the moves, in parallel, for those of the role's `moves` moves that may be legal.
    Choice(std::span<const std::uint32_t> legal, std::span<const std::uint32_t> move, std::size_t moves)
        : legal_(legal.begin(), legal.end()), move_(move.begin(), move.end()) {
        random_digits_ = moves > 1 ? std::bit_width(moves) + spare_digits : 0;
        legal_.resize((move_.size() + block_size - 1) / block_size * block_size, Program::zeros);
        int digits = block_digits, nodes = static_cast<int>(legal_.size() / block_size);
        std::size_t offset = 0, active = 0;
        do {
            levels_.push_back({nodes, digits, offset, active});
            offset += static_cast<std::size_t>(nodes) * digits;
            active += nodes;
            nodes = (nodes + 1) / 2;
            ++digits;
        } while (levels_.back().nodes > 1);
        if (levels_.back().digits > max_digits) throw Error("a role has too many moves to choose among");
        counts_ = Rows<V>(offset);
        active_ = Rows<V>(active);
    }

    // Writes the rows of this role's moves: in each lane of `lanes` exactly one legal move (there must be one),
    // in the others none.
    void operator()(V* rows, V lanes, RandomLanes<V>& random) {
        if (move_.size() <= 1) {
            for (int b = 0; b < random_digits_; ++b) random();  // as many as where there is a choice
            if (move_.size() == 1) rows[move_[0]] = lanes;
            return;
        }
        count(rows);
        draw(random);
        descend(lanes);
        scatter(rows, pick(gather(rows), lanes));
    }

private:
    static constexpr int block_size = 8, block_digits = 4, max_digits = 24;

    using Block = std::array<V, block_size>;

    struct Level {
        int nodes, digits;
        std::size_t offset, active;  // into counts_ and active_
    };

    static void full_add(V a, V b, V c, V& sum, V& carry) {
        sum = xor3<V>(a, b, c);
        carry = majority<V>(a, b, c);
    }

    V* counts(const Level& level, int node) { return counts_.begin() + level.offset + static_cast<std::size_t>(node) * level.digits; }

    int blocks() const { return levels_[0].nodes; }

    static void count_block(const V* rows, const std::uint32_t* legal, V* out) {
        V s0, c0, s1, c1, s2, c2, d1, e1;
        full_add(rows[legal[0]], rows[legal[1]], rows[legal[2]], s0, c0);
        full_add(rows[legal[3]], rows[legal[4]], rows[legal[5]], s1, c1);
        full_add(rows[legal[6]], rows[legal[7]], s0, s2, c2);
        out[0] = s1 ^ s2;
        const V c3 = s1 & s2;
        full_add(c0, c1, c2, d1, e1);
        out[1] = d1 ^ c3;
        const V e2 = d1 & c3;
        out[2] = e1 ^ e2;
        out[3] = e1 & e2;
    }

    void count(const V* rows) {
        for (int block = 0; block < blocks(); ++block)
            count_block(rows, &legal_[static_cast<std::size_t>(block) * block_size], counts(levels_[0], block));
        for (std::size_t l = 1; l < levels_.size(); ++l) {
            const Level &below = levels_[l - 1], &level = levels_[l];
            for (int node = 0; node < level.nodes; ++node)
                add(counts(below, 2 * node), 2 * node + 1 < below.nodes ? counts(below, 2 * node + 1) : nullptr,
                    below.digits, counts(level, node));
        }
    }

    static void add(const V* left, const V* right, int digits, V* out) {
        V carry{};
        for (int d = 0; d < digits; ++d) {
            if (right)
                full_add(left[d], right[d], carry, out[d], carry);
            else
                out[d] = left[d];
        }
        out[digits] = carry;
    }

    // digits_ are as many as the largest count of all lanes has.
    void draw(RandomLanes<V>& random) {
        const V* n = counts_.begin() + levels_.back().offset;
        digits_ = std::bit_width(move_.size());
        while (digits_ > 1 && !any(n[digits_ - 1])) --digits_;
        [&]<int... D>(std::integer_sequence<int, D...>) {
            (void)((digits_ == D + 1 && (multiply<D + 1>(n, random), true)) || ...);
        }(std::make_integer_sequence<int, max_digits>());
    }

    // r_ = floor(u * n / 2^b), digit by digit from the least significant of u.
    template <int Digits>
    void multiply(const V* n, RandomLanes<V>& random) {
        V r[Digits] = {};
        for (int b = 0; b < random_digits_; ++b) {
            const V u = random();
            V carry = n[0] & u & r[0];
            for (int d = 1; d < Digits; ++d) {
                const V addend = n[d] & u, old = r[d];
                r[d - 1] = xor3<V>(old, addend, carry);
                carry = majority<V>(old, addend, carry);
            }
            r[Digits - 1] = carry;
        }
        for (int d = 0; d < Digits; ++d) r_[d] = r[d];
        for (int d = Digits; d < block_digits; ++d) r_[d] = V{};
    }

    // active_ of the blocks, and r_ reduced to a lane's rank within its block.
    void descend(V lanes) {
        active_[levels_.back().active] = lanes;
        for (std::size_t l = levels_.size() - 1; l-- > 0;) {
            const Level &below = levels_[l], &level = levels_[l + 1];
            const int digits = std::min(below.digits, digits_);
            V left[max_digits] = {};
            for (int node = 0; node < level.nodes; ++node) {
                const V here = active_[level.active + node];
                const V* count = counts(below, 2 * node);
                for (int d = 0; d < digits; ++d) left[d] |= count[d] & here;
            }
            const V goes_left = subtract(left, std::min(level.digits, digits_));
            for (int node = 0; node < level.nodes; ++node) {
                const V here = active_[level.active + node];
                active_[below.active + 2 * node] = here & goes_left;
                if (2 * node + 1 < below.nodes) active_[below.active + 2 * node + 1] = here & ~goes_left;
            }
        }
    }

    // Where r_ < left: all ones, r_ unchanged; elsewhere zeros, and r_ less left.
    V subtract(const V* left, int digits) {
        V borrow{};
        V difference[max_digits];
        for (int d = 0; d < digits; ++d) {
            difference[d] = xor3<V>(r_[d], left[d], borrow);
            borrow = majority<V>(~r_[d], left[d], borrow);
        }
        for (int d = 0; d < digits; ++d) r_[d] = select<V>(borrow, r_[d], difference[d]);
        return borrow;
    }

    // The legal bits of the block in which each lane has arrived.
    Block gather(const V* rows) {
        Block found{};
        const std::uint32_t* legal = legal_.data();
        for (int block = 0; block < blocks(); ++block, legal += block_size) {
            const V here = active_[levels_[0].active + block];
            for (int i = 0; i < block_size; ++i) found[i] |= here & rows[legal[i]];
        }
        return found;
    }

    // In each of the lanes the r_-th of its legal bits, by the last three levels of the descent.
    Block pick(const Block& l, V lanes) {
        Block out;
        V s0, c0;
        full_add(l[0], l[1], l[2], s0, c0);
        const V half0 = s0 ^ l[3], k = s0 & l[3], half1 = c0 ^ k, half2 = c0 & k;  // count of l[0 … 3]
        V borrow = half0 & ~r_[0];
        const V d0 = r_[0] ^ half0;
        const V d1 = xor3<V>(r_[1], half1, borrow);
        borrow = majority<V>(~r_[1], half1, borrow);
        borrow = majority<V>(~r_[2], half2, borrow);
        const V q0 = select<V>(borrow, r_[0], d0), q1 = select<V>(borrow, r_[1], d1);  // rank within the half: 0 … 3
        const V half[2] = {lanes & borrow, lanes & ~borrow};
        for (int h = 0; h < 2; ++h) {
            const V a = l[4 * h], b = l[4 * h + 1], pair0 = a ^ b, pair1 = a & b;
            V less = pair0 & ~q0;
            const V rank = select<V>(majority<V>(~q1, pair1, less), q0, q0 ^ pair0);
            less = majority<V>(~q1, pair1, less);
            const V first_pair = half[h] & less, second_pair = half[h] & ~less;
            const V first_of_a = a & ~rank, first_of_c = l[4 * h + 2] & ~rank;
            out[4 * h] = first_pair & first_of_a;
            out[4 * h + 1] = first_pair & ~first_of_a;
            out[4 * h + 2] = second_pair & first_of_c;
            out[4 * h + 3] = second_pair & ~first_of_c;
        }
        return out;
    }

    void scatter(V* rows, const Block& chosen) {
        const std::uint32_t* move = move_.data();
        const int whole = static_cast<int>(move_.size() / block_size), rest = static_cast<int>(move_.size() % block_size);
        for (int block = 0; block < whole; ++block, move += block_size) {
            const V here = active_[levels_[0].active + block];
            for (int i = 0; i < block_size; ++i) rows[move[i]] = here & chosen[i];
        }
        for (int i = 0; i < rest; ++i) rows[move[i]] = active_[levels_[0].active + whole] & chosen[i];
    }

    std::vector<std::uint32_t> legal_;  // rows, padded to whole blocks
    std::vector<std::uint32_t> move_;   // rows
    int random_digits_ = 0, digits_ = 0;
    std::vector<Level> levels_;  // blocks first
    Rows<V> counts_, active_;
    V r_[max_digits];
};
