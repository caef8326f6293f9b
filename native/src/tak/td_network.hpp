// The network of games/tak/temporal_differences: its inputs, its outputs, and a step of its training. Included after a
// target is switched on.
//
// Sums are taken in the same order with every instruction set, so that training has the same result everywhere.

constexpr int hidden_vectors = td_hidden / wide;
static_assert(td_hidden % wide == 0);

using Outputs = std::array<float, td_outputs>;

// Writes the inputs of a position as a player sees it who is to move; see inputs.py for their order.
template <int N> void write_inputs(const Position<N>& p, int viewer, float* out) {
    using Board = Geometry<N>;
    const Word mine = p.own[viewer], theirs = p.own[1 - viewer];
    float *top = out, *height = out + N * N, *share = out + 2 * N * N, *rest = out + 3 * N * N;
    std::fill_n(out, td_input_count(N), 0.0f);
    float *ranks = rest + 9, *files = ranks + N;
    for (Word set = mine | theirs; set; set &= set - 1) {
        const int square = std::countr_zero(set);
        const bool own = mine >> square & 1, wall = p.walls >> square & 1, capstone = p.capstones >> square & 1;
        top[square] = (own ? 1.0f : -1.0f) * (wall ? 1.0f : capstone ? 3.0f : 2.0f);
        height[square] = p.height[square];
        const int second = p.pieces_of_1(square), pieces = viewer == 1 ? second : p.height[square] - second;
        share[square] = 2.0f * static_cast<float>(pieces) / p.height[square] - 1.0f;
        const float along = own ? (wall ? -1.0f : capstone ? 2.0f : 1.0f) : (wall ? -2.0f : capstone ? -3.0f : -1.0f);
        ranks[square / N] += along;
        files[square % N] += along;
    }
    const Reserve &left = p.reserve[viewer], &others = p.reserve[1 - viewer];
    const auto connected = [](Word road) {
        return static_cast<float>(std::popcount(road & Board::template beside<0>(road)) +
                                  std::popcount(road & Board::template beside<3>(road)));
    };
    const auto count = [](Word set) { return static_cast<float>(std::popcount(set)); };
    const float settled[9] = {static_cast<float>(left.flats),
                              static_cast<float>(left.capstones),
                              static_cast<float>(others.flats),
                              static_cast<float>(others.capstones),
                              count(mine | theirs) / static_cast<float>(N * N),
                              static_cast<float>(p.ply) / 100.0f,
                              count(mine & ~p.walls) - count(theirs & ~p.walls),
                              connected(mine & ~p.walls),
                              connected(theirs & ~p.walls)};
    std::copy_n(settled, 9, rest);
}

// Writes the inputs of an image of the board under one of the eight turns and reflections: a bit each for ranks and files
// exchanged, then for the order of ranks and that of files reversed. 0 is the board itself.
template <int N> void write_image(const float* in, int symmetry, float* out) {
    constexpr int rest = 3 * N * N, ranks = rest + 9, files = ranks + N;
    const bool exchanged = symmetry & 1, down = symmetry & 2, across = symmetry & 4;
    const auto turned = [](bool reversed, int i) { return reversed ? N - 1 - i : i; };
    std::copy_n(in + rest, 9, out + rest);
    for (int i = 0; i < N; ++i) {
        out[ranks + turned(down, i)] = in[(exchanged ? files : ranks) + i];
        out[files + turned(across, i)] = in[(exchanged ? ranks : files) + i];
        for (int j = 0; j < N; ++j) {
            const int square = exchanged ? j * N + i : i * N + j;
            for (int plane = 0; plane < 3; ++plane)
                out[(plane * N + turned(down, i)) * N + turned(across, j)] = in[plane * N * N + square];
        }
    }
}

class TdNetwork {
public:
    TdNetwork(int inputs, std::span<const float> weights) : inputs_(inputs), weights_(weights.begin(), weights.end()) {}

    std::span<const float> weights() const { return weights_; }
    void assign(std::span<const float> weights) { std::ranges::copy(weights, weights_.begin()); }

    Outputs outputs(const float* x) const {
        Floats hidden[hidden_vectors];
        return outputs(x, hidden);
    }

    // Takes a step down the gradient of half the squared error; returns the mean squared error before it.
    float train(const float* x, const Outputs& target, float rate) {
        Floats hidden[hidden_vectors];
        const Outputs out = outputs(x, hidden);
        Floats slopes[hidden_vectors] = {};
        float error = 0;
        for (int k = 0; k < td_outputs; ++k) {
            const float off = out[k] - target[k], slope = off * out[k] * (1 - out[k]);
            error += off * off;
            float* column = output_layer(k);
            for (int v = 0; v < hidden_vectors; ++v) {
                const Floats w = load<Floats>(column + v * wide);
                slopes[v] += w * slope;
                store(column + v * wide, w - hidden[v] * (rate * slope));
            }
            column[td_hidden] -= rate * slope;
        }
        for (int v = 0; v < hidden_vectors; ++v) slopes[v] *= hidden[v] * (1 - hidden[v]) * rate;
        for (int i = 0; i <= inputs_; ++i) {
            const float value = i == inputs_ ? 1.0f : x[i];
            if (value == 0) continue;
            float* row = hidden_layer(i);
            for (int v = 0; v < hidden_vectors; ++v)
                store(row + v * wide, load<Floats>(row + v * wide) - slopes[v] * value);
        }
        return error / td_outputs;
    }

private:
    Outputs outputs(const float* x, Floats* hidden) const {
        for (int v = 0; v < hidden_vectors; ++v) hidden[v] = load<Floats>(hidden_layer(inputs_) + v * wide);
        for (int i = 0; i < inputs_; ++i) {
            if (x[i] == 0) continue;
            for (int v = 0; v < hidden_vectors; ++v) hidden[v] += load<Floats>(hidden_layer(i) + v * wide) * x[i];
        }
        for (int v = 0; v < hidden_vectors; ++v) hidden[v] = logistic(hidden[v]);
        Floats sums{};
        for (int k = 0; k < td_outputs; ++k) {
            const float* column = output_layer(k);
            Floats products{};
            for (int v = 0; v < hidden_vectors; ++v) products += hidden[v] * load<Floats>(column + v * wide);
            float sum = column[td_hidden];
            for (int i = 0; i < wide; ++i) sum += products[i];
            sums[k] = sum;
        }
        const Floats values = logistic(sums);
        return {values[0], values[1]};
    }

    static Floats logistic(Floats x) { return 1.0f / (1.0f + exponential(-x)); }
    static void store(float* to, Floats values) { std::memcpy(to, &values, sizeof values); }

    // The weights of an input, or the biases behind them: [td_hidden].
    float* hidden_layer(int input) { return weights_.data() + input * td_hidden; }
    const float* hidden_layer(int input) const { return weights_.data() + input * td_hidden; }
    // The weights of an output, its bias last: [td_hidden + 1].
    float* output_layer(int k) { return hidden_layer(inputs_ + 1) + k * (td_hidden + 1); }
    const float* output_layer(int k) const { return hidden_layer(inputs_ + 1) + k * (td_hidden + 1); }

    int inputs_;
    std::vector<float> weights_;
};
