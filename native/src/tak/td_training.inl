// See td_training.hpp. Included after a target is switched on.

template <int N> class TdTrainingOf final : public TdTraining {
public:
    TdTrainingOf(const TdOptions& options, std::span<const float> weights)
        : options_(options), network_(td_input_count(N), weights), tables_(options.side_by_side) {
        for (Table& table : tables_) begin_game(table);
    }

    void run(double seconds, std::int64_t games, int threads) override {
        const Deadline deadline(seconds);
        const std::int64_t last = games > 0 ? std::min(games, options_.games) : options_.games;
        while (stats_.games < last) {
            share_in_threads(threads, options_.side_by_side, [this] {
                return [this](std::int64_t i) { choose(tables_[static_cast<std::size_t>(i)]); };
            });
            learn();
            if (deadline.passed()) break;
        }
    }

    const TdStats& stats() const override { return stats_; }
    std::span<const float> weights() const override { return network_.weights(); }

    std::vector<std::uint64_t> save() const override {
        std::vector<std::uint64_t> out = fingerprint();
        out.push_back(static_cast<std::uint64_t>(begun_));
        for (const std::int64_t n : {stats_.games, stats_.plies, stats_.roads, stats_.flats, stats_.ties})
            out.push_back(static_cast<std::uint64_t>(n));
        out.push_back(std::bit_cast<std::uint64_t>(stats_.squared_error));
        for (const float w : network_.weights()) out.push_back(std::bit_cast<std::uint32_t>(w));
        for (const Table& table : tables_) {
            out.push_back(static_cast<std::uint64_t>(table.game));
            out.resize(out.size() + state_words);
            encode(table.position, out.data() + out.size() - state_words);
            if (!traced()) continue;
            out.push_back(table.past.size());
            for (const Position<N>& p : table.past) {
                out.resize(out.size() + state_words);
                encode(p, out.data() + out.size() - state_words);
            }
        }
        return out;
    }

    void restore(std::span<const std::uint64_t> saved) override {
        const auto head = fingerprint();
        const std::size_t weights = network_.weights().size();
        if (saved.size() < head.size() || !std::equal(head.begin(), head.end(), saved.begin()))
            throw Error("this training was saved with other options");
        std::size_t used = head.size();
        const auto take = [&](std::size_t words) {
            if (saved.size() - used < words) throw Error("what was saved of this training is cut short");
            used += words;
            return saved.data() + used - words;
        };
        const auto number = [&] { return static_cast<std::int64_t>(*take(1)); };
        const auto position = [&] { return decode<N>(take(state_words)); };
        const std::int64_t begun = number();
        TdStats stats;
        for (std::int64_t* n : {&stats.games, &stats.plies, &stats.roads, &stats.flats, &stats.ties}) *n = number();
        stats.squared_error = std::bit_cast<double>(*take(1));
        std::vector<float> restored(weights);
        for (float& w : restored) w = std::bit_cast<float>(static_cast<std::uint32_t>(*take(1)));
        std::vector<Table> tables(tables_.size());
        for (Table& table : tables) {
            table.game = number();
            table.position = position();
            if (traced())
                for (std::int64_t plies = number(); plies > 0; --plies) table.past.push_back(position());
        }
        if (used != saved.size()) throw Error("more was saved than belongs to this training");
        begun_ = begun;
        stats_ = stats;
        network_.assign(restored);
        tables_ = std::move(tables);
    }

private:
    static constexpr int inputs = td_input_count(N);
    static constexpr std::size_t state_words = 5 + N * N * sizeof(typename Position<N>::Owners) / sizeof(Word);

    // A game that is being played, and what was found for its next move.
    struct Table {
        std::int64_t game = -1;  // its number; -1: none is left to play
        Position<N> position, next;
        Outcome outcome = Outcome::open;
        bool over = false;
        Outputs target{};
        std::array<float, inputs> seen{};
        std::vector<Position<N>> past;  // with a trace: the positions of the game from which moves were chosen
    };

    bool traced() const { return options_.trace > 0; }

    void begin_game(Table& table) {
        table.game = begun_ < options_.games ? begun_++ : -1;
        if (table.game < 0) return;
        Random random(mix(options_.seed) + static_cast<std::uint64_t>(table.game));
        const int span = std::max(1, options_.random_plies - 1);
        do {
            table.position = Position<N>{};
            const int plies = 2 + static_cast<int>(random.below(static_cast<std::uint32_t>(span)));
            for (int i = 0; i < plies && open(table.position); ++i) {
                const int moves = table.position.count_moves();
                table.position.play(
                    table.position.nth_move(static_cast<int>(random.below(static_cast<std::uint32_t>(moves)))));
            }
        } while (!open(table.position));
    }

    bool open(const Position<N>& p) const { return p.outcome(options_.rules) == Outcome::open; }

    bool only_roads_count(std::int64_t game) const { return game < options_.games / 2; }

    // Returns the winner of a game that is over, as it counts in training; -1: nobody.
    int winner(const Position<N>& p, Outcome outcome, std::int64_t game) const {
        if (outcome != Outcome::won_by_0 && outcome != Outcome::won_by_1) return -1;
        const int won = outcome == Outcome::won_by_1;
        return only_roads_count(game) && !p.has_road(won) ? -1 : won;
    }

    // Finds the move that leads to the best state, for who moves.
    void choose(Table& table) const {
        if (table.game < 0) return;
        const Position<N>& p = table.position;
        const int mover = p.turn();
        write_inputs(p, mover, table.seen.data());
        float best = -2;
        std::array<float, inputs> x;
        p.each_move([&](int number) {
            Position<N> next = p;
            next.play(number);
            const Outcome outcome = next.outcome(options_.rules);
            write_inputs(next, 1 - mover, x.data());
            const Outputs out = network_.outputs(x.data());
            float value = out[1] - out[0];
            if (outcome != Outcome::open) {
                const int won = winner(next, outcome, table.game);
                value = won < 0 ? 0.0f : won == mover ? 1.0f : -1.0f;
            }
            if (value <= best) return;
            best = value;
            table.next = next;
            table.outcome = outcome;
            table.target = {out[1], out[0]};
        });
        table.over = table.outcome != Outcome::open || table.next.ply >= options_.most_plies;
    }

    void learn() {
        for (Table& table : tables_) {
            if (table.game < 0) continue;
            if (traced()) table.past.push_back(table.position);
            else learn_ply(table.seen.data(), table.target);
            table.position = table.next;
            if (table.over) end_game(table);
        }
    }

    void learn_ply(const float* seen, const Outputs& target) {
        stats_.squared_error += train(seen, target, options_.rate);
        ++stats_.plies;
    }

    // Takes a step of learning, for one image of the state or for all; returns the squared error of the state itself.
    float train(const float* seen, const Outputs& target, float rate) {
        const float error = network_.train(seen, target, rate);
        std::array<float, inputs> image;
        for (int symmetry = 1; symmetry < options_.symmetries; ++symmetry) {
            write_image<N>(seen, symmetry, image.data());
            network_.train(image.data(), target, rate);
        }
        return error;
    }

    // Learns from a game that ended in `last`, from its end back. `target` is the result, as seen by who is to move there.
    void learn_game(const std::vector<Position<N>>& past, const Position<N>& last, Outputs target) {
        std::array<float, inputs> x;
        const Position<N>* later = &last;
        for (auto p = past.rbegin(); p != past.rend(); ++p) {
            write_inputs(*later, later->turn(), x.data());
            const Outputs estimate = network_.outputs(x.data());
            for (int k = 0; k < td_outputs; ++k) target[k] += (1 - options_.trace) * (estimate[k] - target[k]);
            std::swap(target[0], target[1]);  // as the other player sees it, who moved
            write_inputs(*p, p->turn(), x.data());
            learn_ply(x.data(), target);
            later = &*p;
        }
    }

    void end_game(Table& table) {
        const Position<N>& p = table.position;
        const int won = winner(p, table.outcome, table.game);
        const auto result = [&](int viewer) {
            return Outputs{won == viewer ? 1.0f : 0.0f, won == 1 - viewer ? 1.0f : 0.0f};
        };
        if (traced()) learn_game(table.past, p, result(p.turn()));
        table.past.clear();
        std::array<float, inputs> x;
        for (const int viewer : {0, 1}) {
            write_inputs(p, viewer, x.data());
            train(x.data(), result(viewer), options_.end_rate);
        }
        ++stats_.games;
        const bool decided = table.outcome == Outcome::won_by_0 || table.outcome == Outcome::won_by_1;
        if (!decided) ++stats_.ties;
        else if (p.has_road(table.outcome == Outcome::won_by_1)) ++stats_.roads;
        else ++stats_.flats;
        begin_game(table);
    }

    // What has to be the same where a training goes on.
    std::vector<std::uint64_t> fingerprint() const {
        const auto word = [](auto n) { return static_cast<std::uint64_t>(n); };
        return {word(0x6b61745f64740001),
                word(N),
                word(options_.rules.half_komi),
                word(options_.games),
                word(options_.side_by_side),
                word(options_.random_plies),
                word(options_.most_plies),
                std::bit_cast<std::uint32_t>(options_.rate),
                std::bit_cast<std::uint32_t>(options_.end_rate),
                std::bit_cast<std::uint32_t>(options_.trace),
                word(options_.symmetries),
                options_.seed};
    }

    const TdOptions options_;
    TdNetwork network_;
    std::vector<Table> tables_;
    TdStats stats_;
    std::int64_t begun_ = 0;  // games
};
