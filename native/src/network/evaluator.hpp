// Evaluates the programs of a network over rows of lanes, gate by gate or by machine code made for it.
//
// Included inside the namespace of one instruction set.

// What is done to states besides gates of the network, in rows of the program.
template <class V> class InterpretedStates {
public:
    InterpretedStates(const NetworkGame& game, std::size_t program) : program_(game.programs()[program]) {
        for (const ChoicePlan& choice : program_.choices) {
            auto& role_legal = legal_.emplace_back();
            for (const auto row : choice.move) role_legal.push_back(program_.legal[row - program_.move_row]);
        }
    }

    // Where the game is over, by rule or because a role has no legal move.
    void over(V* rows) const {
        V over = rows[program_.terminal];
        for (const auto& legal : legal_) {
            V able{};
            for (const auto row : legal) able |= rows[row];
            over |= ~able;
        }
        rows[program_.over] = over;
    }

    // New values of propositions, but in finished lanes.
    void update(V* rows, std::size_t number) const {
        const V finished = rows[program_.finished];
        for (const auto [state, next] : program_.updates[number].values)
            rows[state] = select<V>(finished, rows[state], rows[next]);
    }

private:
    const Program& program_;
    std::vector<std::vector<std::uint32_t>> legal_;  // rows, of each role's moves that may be legal
};

// Evaluates gate by gate; operands are byte offsets, scaled for the width of a row.
template <class V> class InterpretedGates {
public:
    static constexpr int lane_groups = 1;  // for which loops are evaluated one after the other

    using ChoiceSteps = InterpretedChoice<V>;
    using States = InterpretedStates<V>;

    static const Program& program(const NetworkGame& game, std::size_t number) { return game.programs()[number]; }
    static std::uint32_t rows(const NetworkGame& game, std::size_t program) { return game.programs()[program].rows; }

    InterpretedGates(const NetworkGame&, std::size_t, const Segment& segment) : segment_(segment) {
        operands_.reserve(segment.operands.size());
        for (auto [a, b] : segment.operands) operands_.push_back({offset(a), offset(b)});
        std::size_t gate = 0;
        for (const Piece& piece : segment.pieces) {
            first_gates_.push_back(gate);
            for (auto r = piece.first_run; r < piece.last_run; ++r) gate += segment.runs[r].count;
        }
    }

    void operator()(V* rows, std::size_t piece) const {
        const Operands* o = operands_.data() + first_gates_[piece];
        V* out = rows + segment_.first_row + first_gates_[piece];
        for (auto r = segment_.pieces[piece].first_run; r < segment_.pieces[piece].last_run; ++r) {
            const Run run = segment_.runs[r];
            const Operands* const end = o + run.count;
            switch (run.op) {
                case Op::And:
                    for (; o != end; ++o) *out++ = at(rows, o->a) & at(rows, o->b);
                    break;
                case Op::AndNot:
                    for (; o != end; ++o) *out++ = at(rows, o->a) & ~at(rows, o->b);
                    break;
                case Op::Or:
                    for (; o != end; ++o) *out++ = at(rows, o->a) | at(rows, o->b);
                    break;
            }
        }
    }

    // A pass over a loop; returns whether feedback changed.
    bool pass(V* rows, std::size_t piece, int /*group*/) const {
        (*this)(rows, piece);
        V changed{};
        for (auto [input, driver] : segment_.pieces[piece].feedback) {
            changed |= rows[input] ^ rows[driver];
            rows[input] = rows[driver];
        }
        return any(changed);
    }

private:
    struct Operands {
        std::uint32_t a, b;
    };

    static std::uint32_t offset(std::uint32_t row) {
        const std::uint64_t bytes = std::uint64_t{row} * sizeof(V);
        if (bytes > UINT32_MAX) throw Error("the network is too large for this many lanes");
        return static_cast<std::uint32_t>(bytes);
    }

    static V at(const V* rows, std::uint32_t offset) {
        return *reinterpret_cast<const V*>(reinterpret_cast<const char*>(rows) + offset);
    }

    const Segment& segment_;
    std::vector<Operands> operands_;
    std::vector<std::size_t> first_gates_;  // of each piece
};

#if defined(LUDENS_JIT) && (defined(__aarch64__) || !defined(LUDENS_BASELINE))
#define LUDENS_CODE  // there is machine code for this instruction set

#if defined(__aarch64__)
constexpr InstructionSet code_set = InstructionSet::neon_jit;
using CodeLanes = Lanes<2>;
using ManyCodeLanes = CodeLanes;
#elif defined(LUDENS_AVX512)
constexpr InstructionSet code_set = InstructionSet::avx512_jit;
using CodeLanes = Lanes<8>;
using ManyCodeLanes = CodeLanes;
#else
constexpr InstructionSet code_set = InstructionSet::avx2_jit;
using CodeLanes = Lanes<4>;
using ManyCodeLanes = Lanes<8>;
#endif
using FewCodeLanes = Lanes<2>;

// Calls make.operator()<V>() for the rows of machine code with so many lanes.
template <class Make> auto with_code_lanes(int lanes, Make make) {
    if (lanes == 64 * word_count<FewCodeLanes>) return make.template operator()<FewCodeLanes>();
    if (lanes == 64 * word_count<ManyCodeLanes>) return make.template operator()<ManyCodeLanes>();
    return make.template operator()<CodeLanes>();
}

template <class V> constexpr RowBytes row_bytes = {sizeof(RegisterOf<V>), sizeof(V)};

// Evaluates by machine code made for this network, which is called for each of the registers side by side that a row
// fills, so that it is fetched for one and found in the first cache by the others.
template <class V> class CompiledGates {
public:
    static constexpr int registers_per_row = sizeof(V) / sizeof(RegisterOf<V>);
    static constexpr int lane_groups = registers_per_row;

    class ChoiceSteps {
    public:
        ChoiceSteps(const NetworkGame& game, std::size_t program, std::size_t role)
            : functions_(code(game, program).choice(role)) {}

        void count(V* rows) const { call(functions_[0], rows); }
        void choose(V* rows) const { call(functions_[1], rows); }

    private:
        const std::span<const RowFunctionChunks> functions_;
    };

    class States {
    public:
        States(const NetworkGame& game, std::size_t program) : code_(code(game, program)) {}

        void over(V* rows) const { call(code_.over(), rows); }
        void update(V* rows, std::size_t number) const { call(code_.updates()[number], rows); }

    private:
        const NetworkCode& code_;
    };

    static const Program& program(const NetworkGame& game, std::size_t number) { return code(game, number).program(); }
    static std::uint32_t rows(const NetworkGame& game, std::size_t program) { return code(game, program).rows(); }

    CompiledGates(const NetworkGame& game, std::size_t program, const Segment& segment)
        : functions_(code(game, program).functions(segment)), changed_(code(game, program).program().changed) {}

    void operator()(V* rows, std::size_t piece) const { call(functions_[piece], rows); }

    // A pass over a loop, for the lanes in one of the registers of a row; returns whether feedback changed.
    bool pass(V* rows, std::size_t piece, int number) const {
        RegisterOf<V>* const first = in_register(rows, number);
        for (const RowFunction function : functions_[piece]) function(first);
        return any(first[changed_ * registers_per_row]);
    }

    // Calls each chunk for all registers of a row before the next.
    static void call(RowFunctionChunks chunks, V* rows) {
        for (const RowFunction function : chunks)
            for (int number = 0; number < registers_per_row; ++number) function(in_register(rows, number));
    }

private:
    // The register of this number in the first row.
    static RegisterOf<V>* in_register(V* rows, int number) { return reinterpret_cast<RegisterOf<V>*>(rows) + number; }

    static const NetworkCode& code(const NetworkGame& game, std::size_t program) {
        return game.code(code_set, row_bytes<V>, program);
    }

    const std::span<const RowFunctionChunks> functions_;
    const std::uint32_t changed_;  // row
};
#endif

// Whether one of the guards is true in one of the lanes; no guards are as good as one.
template <class V> inline bool wanted(const std::vector<std::uint32_t>& guards, const V* rows, V lanes) {
    return guards.empty() || std::ranges::any_of(guards, [&](auto guard) { return any(rows[guard] & lanes); });
}

template <class V, class Gates> class Evaluator {
public:
    Evaluator(const NetworkGame& game, std::size_t program, const Segment& segment)
        : segment_(segment), gates_(game, program, segment) {}

    // What is guarded is worked out for `lanes` alone.
    void operator()(V* rows, V lanes = all_ones<V>()) const {
        for (std::size_t piece = 0; piece < segment_.pieces.size(); ++piece) {
            if (!wanted(segment_.pieces[piece].guards, rows, lanes)) continue;
            if (segment_.pieces[piece].feedback.empty()) gates_(rows, piece);
            else settle(rows, piece);
        }
    }

private:
    // The least fixpoint: feedback rises from false until it agrees with what drives it. Every pass but the last
    // raises an input, if the loop is as it should be, so their number is bounded.
    void settle(V* rows, std::size_t piece) const {
        const auto& feedback = segment_.pieces[piece].feedback;
        for (auto [input, driver] : feedback) rows[input] = V{};
        for (int group = 0; group < Gates::lane_groups; ++group) {
            std::size_t passes = 0;
            while (gates_.pass(rows, piece, group))
                if (++passes > feedback.size()) throw Error("network: a loop denies itself");
        }
    }

    const Segment& segment_;
    Gates gates_;
};

// One of the game's programs, ready to run.
template <class V, class Gates> struct alignas(sizeof(V)) Part {
    Part(const NetworkGame& game, std::size_t n)
        : number(n), program(Gates::program(game, n)), world(game, n, program.world), choice(game, n, program.choice),
          step(game, n, program.step), goals(game, n, program.goals), features(game, n, program.features),
          states(game, n) {
        for (std::size_t role = 0; role < program.choices.size(); ++role)
            choices.emplace_back(program.choices[role], typename Gates::ChoiceSteps(game, n, role));
    }

    const std::size_t number;
    const Program& program;
    const Evaluator<V, Gates> world, choice, step, goals, features;
    const typename Gates::States states;
    std::vector<Choice<V, typename Gates::ChoiceSteps>> choices;
};
