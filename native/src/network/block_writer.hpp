// Writes what holds in a block of games into the arrays of the caller, in the format of a batch.
//
// Included inside the namespace of one instruction set.

// A block as the caller is to see it: rows of the games from `first` on, and slices, of which lanes are the columns.
template <class V> struct BlockView {
    std::int64_t first;
    int used;  // lanes
    std::size_t number;
    V used_lanes;
    const V *state, *open, *own, *done;  // open: moves that are legal, of all roles; own: of each role, where it moves
};

template <class V> class BlockWriter {
public:
    BlockWriter(const NetworkGame& game, const BatchLayout& layout, std::int64_t count)
        : game_(game), layout_(layout), count_(count), roles_(static_cast<std::size_t>(game.roles())) {}

    void write_to(const BatchArrays& arrays) { arrays_ = arrays; }

    void write(const BlockView<V>& block) {
        if (arrays_.states) write_states(block);
        if (sliced()) return;
        if (arrays_.observations) write_observations(block, at(arrays_.observations, block, row_bytes()));
        if (arrays_.legal) write_legal(block);
        if (arrays_.to_move) write_to_move(block);
        if (arrays_.done) write_done(block);
    }

    void write_final_observations(const BlockView<V>& block, V ended) {
        if (!arrays_.final_observations) return;
        const auto state = static_cast<std::size_t>(game_.state_bits()), width = row_bytes();
        if (sliced()) {
            for (std::size_t i = 0; i < state; ++i) {
                std::uint8_t* const slice = slice_at(arrays_.final_observations, block.number * state + i);
                V old;
                std::memcpy(&old, slice, sizeof old);
                const V now = select<V>(ended, block.state[i], old);
                std::memcpy(slice, &now, sizeof now);
            }
            return;
        }
        observations_.resize(static_cast<std::size_t>(block.used) * width);
        write_observations(block, observations_.data());
        std::uint8_t* const out = at(arrays_.final_observations, block, width);
        each_bit(words_of<V>(ended), [&](int lane) {
            const std::size_t row = static_cast<std::size_t>(lane) * width;
            std::memcpy(out + row, observations_.data() + row, width);
        });
    }

    // Games of these lanes have no reward in this step.
    void clear_rewards(const BlockView<V>& block, V lanes) {
        for (std::size_t r = 0; arrays_.rewards && r < roles_; ++r) set_rewards(block, r, 0, lanes);
    }

    // Nor have any.
    void clear_rewards(const BlockView<V>& block) {
        if (!arrays_.rewards) return;
        const auto rows = static_cast<std::size_t>(block.used), one = packed() ? 1 : sizeof(float);
        if (sliced())
            for (std::size_t r = 0; r < roles_; ++r) std::memset(role_rewards(block, r), 0, rows);
        else std::memset(at(arrays_.rewards, block, roles_ * one), 0, rows * roles_ * one);
    }

    // holds(goal): in which lanes a goal of the network holds.
    template <class Holds> void write_rewards(const BlockView<V>& block, V ended, Holds holds) {
        for (std::size_t r = 0; arrays_.rewards && r < roles_; ++r) {
            V one{}, several{};
            const auto value_holds = [&](const GoalValue& value) {
                V any{};
                for (const auto goal : value.goals) any |= holds(goal);
                return any & ended;
            };
            for (const GoalValue& value : game_.goal_values()[r]) {
                several |= one & value_holds(value);
                one |= value_holds(value);
            }
            for (const GoalValue& value : game_.goal_values()[r])
                if (value.value != middle_goal)
                    set_rewards(block, r, value.value - middle_goal, value_holds(value) & ~several);
        }
    }

    // made(move): the lanes that make a move, counted over all roles; those that are `moving` alone count.
    template <class Made> void write_played(const BlockView<V>& block, V moving, Made made) {
        if (!arrays_.played) return;
        if (sliced()) {
            const auto moves = static_cast<std::uint32_t>(game_.move_count());
            for (std::uint32_t move = 0; move < moves; ++move) {
                const V now = made(move) & moving;
                std::memcpy(slice_at(arrays_.played, block.number * moves + move), &now, sizeof now);
            }
        } else if (layout_.format == BatchFormat::bytes || layout_.actions > INT16_MAX) {
            write_played_as<std::int32_t>(block, moving, made);
        } else if (layout_.actions > INT8_MAX) {
            write_played_as<std::int16_t>(block, moving, made);
        } else {
            write_played_as<std::int8_t>(block, moving, made);
        }
    }

private:
    bool sliced() const { return layout_.format == BatchFormat::slices; }
    bool packed() const { return layout_.format == BatchFormat::bits; }
    std::size_t width_of(std::size_t columns) const { return packed() ? (columns + 7) / 8 : columns; }
    std::size_t row_bytes() const { return width_of(layout_.columns.size()); }

    template <class Number = std::uint8_t>
    static Number* at(void* array, const BlockView<V>& block, std::size_t width) {
        return static_cast<Number*>(array) + static_cast<std::size_t>(block.first) * width;
    }

    // Slices of the caller may lie anywhere: they are copied as bytes.
    static std::uint8_t* slice_at(void* array, std::size_t number) {
        return static_cast<std::uint8_t*>(array) + number * sizeof(V);
    }

    // A column for each row of lanes.
    template <class RowOf>
    void write_lanes(const BlockView<V>& block, std::size_t columns, RowOf row_of, std::uint8_t* out,
                     std::size_t stride) {
        if (packed()) write_packed<V>(block.used, static_cast<int>(columns), row_of, out, stride);
        else write_columns<V>(block.used, static_cast<int>(columns), row_of, out, stride);
    }

    void write_observations(const BlockView<V>& block, std::uint8_t* out) {
        const auto width = row_bytes();
        const auto row_of = [&](int column) {
            const int proposition = layout_.columns[static_cast<std::size_t>(column)];
            return proposition < 0 ? V{} : block.state[proposition];
        };
        write_lanes(block, layout_.columns.size(), row_of, out, width);
        for (const BatchLayout::Fill& fill : layout_.fills)
            each_bit(words_of<V>(block.state[fill.proposition] & block.used_lanes), [&](int lane) {
                std::memset(out + static_cast<std::size_t>(lane) * width + fill.first, fill.value,
                            static_cast<std::size_t>(fill.length));
            });
    }

    void write_legal(const BlockView<V>& block) {
        const auto actions = static_cast<std::size_t>(layout_.actions), width = width_of(actions);
        if (!layout_.joint) {
            write_lanes(
                block, actions, [&](int action) { return legal_for_mover(block, action); },
                at(arrays_.legal, block, width), width);
            return;
        }
        const V* open = block.open;
        for (std::size_t r = 0; r < roles_; ++r) {
            const int moves = game_.moves()[r];
            const auto row_of = [&](int action) { return action < moves ? open[action] : V{}; };
            write_lanes(block, actions, row_of, at(arrays_.legal, block, roles_ * width) + r * width, roles_ * width);
            open += moves;
        }
    }

    V legal_for_mover(const BlockView<V>& block, int action) const {
        V legal{};
        const V* open = block.open;
        for (std::size_t r = 0; r < roles_; open += game_.moves()[r++])
            if (action < game_.moves()[r]) legal = or_and(legal, open[action], block.own[r]);
        return legal;
    }

    void write_to_move(const BlockView<V>& block) {
        std::uint8_t* const movers = movers_;
        std::memset(movers, 0xFF, sizeof movers_);  // -1
        for (std::size_t r = 0; r < roles_; ++r)
            blend_bytes<V>(block.own[r], static_cast<std::uint8_t>(r), movers, block.used);
        if (packed()) {
            std::memcpy(at(arrays_.to_move, block, 1), movers, static_cast<std::size_t>(block.used));
            return;
        }
        auto* const out = at<std::int32_t>(arrays_.to_move, block, 1);
        for (int lane = 0; lane < block.used; ++lane) out[lane] = static_cast<std::int8_t>(movers[lane]);
    }

    void write_done(const BlockView<V>& block) {
        if (packed()) {
            std::memcpy(static_cast<std::uint8_t*>(arrays_.done) + block.first / 8, block.done,
                        static_cast<std::size_t>((block.used + 7) / 8));
            return;
        }
        for (int lane = 0; lane < block.used; lane += 64)
            write_bytes(words_of<V>(*block.done)[static_cast<std::size_t>(lane / 64)], std::min(64, block.used - lane),
                        at(arrays_.done, block, 1) + lane);
    }

    void write_states(const BlockView<V>& block) {
        const auto words = static_cast<std::size_t>(game_.state_words());
        Word* const out = arrays_.states + static_cast<std::size_t>(block.first) * words;
        each_lane<V>(
            block.used, game_.state_bits(), [&](int i) { return block.state[i]; },
            [&](int lane, int first, int, Word bits) {
                out[static_cast<std::size_t>(lane) * words + static_cast<std::size_t>(first / 64)] = bits;
            });
    }

    // `value`: a goal less the one in the middle.
    void set_rewards(const BlockView<V>& block, std::size_t role, int value, V lanes) {
        const auto set = [&](auto* out, auto reward) {
            each_bit(words_of<V>(lanes),
                     [&](int lane) { out[static_cast<std::size_t>(lane) * roles_ + role] = reward; });
        };
        if (sliced()) blend_bytes<V>(lanes, static_cast<std::uint8_t>(value), role_rewards(block, role), block.used);
        else if (packed()) set(at<std::int8_t>(arrays_.rewards, block, roles_), static_cast<std::int8_t>(value));
        else set(at<float>(arrays_.rewards, block, roles_), static_cast<float>(value) / middle_goal);
    }

    std::uint8_t* role_rewards(const BlockView<V>& block, std::size_t role) const {
        return static_cast<std::uint8_t*>(arrays_.rewards) + role * static_cast<std::size_t>(count_) + block.first;
    }

    template <class Number, class Made> void write_played_as(const BlockView<V>& block, V moving, Made made) {
        Number* const out = at<Number>(arrays_.played, block, roles_);
        std::fill_n(out, static_cast<std::size_t>(block.used) * roles_, static_cast<Number>(-1));
        std::uint32_t first = 0;
        for (std::size_t r = 0; r < roles_; ++r) {
            const auto moves = static_cast<std::uint32_t>(game_.moves()[r]);
            for (std::uint32_t move = 0; move < moves; ++move)
                each_bit(words_of<V>(made(first + move) & moving), [&](int lane) {
                    out[static_cast<std::size_t>(lane) * roles_ + r] = static_cast<Number>(move);
                });
            first += moves;
        }
    }

    const NetworkGame& game_;
    const BatchLayout& layout_;
    const std::int64_t count_;
    const std::size_t roles_;
    BatchArrays arrays_;
    std::vector<std::uint8_t> observations_;  // of games that go on as well
    std::uint8_t movers_[word_count<V> * 64];
};
