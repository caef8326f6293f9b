// Evaluates networks of board_network/network.hpp, compiled for each instruction set; see base/target.hpp.
//
// All outputs of a square are sums of four products of bytes at a time. A few squares are worked on together, so that
// a weight that was loaded counts for all of them.
#include <algorithm>
#include <cstring>

#include "base/target.hpp"
#include "board_network/instruction_sets.hpp"

LUDENS_TARGET_ON

namespace ludens::board_network {
inline namespace LUDENS_ISA {

namespace {

constexpr int squares_together = vector_bytes == 64 ? 8 : 4;
static_assert(Network::squares_together % squares_together == 0);
typedef std::int32_t Sums __attribute__((vector_size(vector_bytes)));

constexpr int lanes = vector_bytes / sizeof(std::int32_t), vectors_together = 2,
              most_together = Network::inputs_together;
typedef Activation Bytes __attribute__((vector_size(lanes)));
constexpr std::int32_t full = 127, half = 64;  // an activation of 1, and what is added before sums are cut
constexpr int shift = 7;

template <class T> [[gnu::always_inline]] inline Sums load(const T* from) {
    Sums vector;
    std::memcpy(&vector, from, sizeof(vector));
    return vector;
}

// Four activations in every lane.
[[gnu::always_inline]] inline Sums spread(const Activation* from) {
    std::int32_t four;
    std::memcpy(&four, from, sizeof(four));
    return Sums{} + four;
}

// Adds to each sum the products of four activations, up to 127, and four weights.
[[gnu::always_inline]] inline Sums add_products(Sums sums, Sums activations, Sums weights) {
#if defined(LUDENS_AVX512)
    return (Sums)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)activations, (__m512i)weights);
#elif defined(LUDENS_AVX2)
    const __m256i pairs = _mm256_maddubs_epi16((__m256i)activations, (__m256i)weights);
    return sums + (Sums)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
#else
    typedef std::int16_t Halves __attribute__((vector_size(vector_bytes)));
    const Halves a = (Halves)activations, w = (Halves)weights;
    const Sums pairs = (Sums)((a & 127) * ((w << 8) >> 8) + (a >> 8) * (w >> 8));  // each fits in 16 bits
    return sums + ((pairs << 16) >> 16) + (pairs >> 16);
#endif
}

// Sums for some squares and a few vectors of outputs.
template <int squares> struct Tile {
    Sums sums[squares][vectors_together];

    [[gnu::always_inline]] explicit Tile(const std::int32_t* biases) {
        for (auto& square : sums)
            for (int v = 0; v < vectors_together; ++v) square[v] = load(biases + v * lanes);
    }
    // Adds what `inputs` activations from each place count, with weights from there on.
    [[gnu::always_inline]] void add(const Activation* const* places, const std::int8_t* weights, int inputs,
                                    std::ptrdiff_t outputs) {
        for (int input = 0; input < inputs; input += most_together, weights += most_together * outputs) {
            Sums row[vectors_together];
            for (int v = 0; v < vectors_together; ++v) row[v] = load(weights + v * vector_bytes);
            for (int s = 0; s < squares; ++s) {
                const Sums four = spread(places[s] + input);
                for (int v = 0; v < vectors_together; ++v) sums[s][v] = add_products(sums[s][v], four, row[v]);
            }
        }
    }
};

[[gnu::always_inline]] inline Sums cut(Sums numbers) {
#if defined(LUDENS_AVX512)
    constexpr __mmask16 all = 0xFFFF;  // GCC 12 warns of what plain intrinsics leave open
    return (Sums)_mm512_maskz_min_epi32(all, _mm512_maskz_max_epi32(all, (__m512i)numbers, __m512i{}),
                                        _mm512_set1_epi32(full));
#elif defined(LUDENS_AVX2)
    return (Sums)_mm256_min_epi32(_mm256_max_epi32((__m256i)numbers, __m256i{}), _mm256_set1_epi32(full));
#else
    numbers = numbers > 0 ? numbers : Sums{};
    return numbers < full ? numbers : Sums{} + full;
#endif
}

// Reads activations, which are bytes. GCC widens vectors of them element by element where it is not told how.
[[gnu::always_inline]] inline Sums widened(const Activation* from) {
#if defined(LUDENS_AVX512)
    return (Sums)_mm512_maskz_cvtepu8_epi32(0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#elif defined(LUDENS_AVX2)
    return (Sums)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
#else
    Bytes bytes;
    std::memcpy(&bytes, from, sizeof(bytes));
    return __builtin_convertvector(bytes, Sums);
#endif
}

// Writes activations as bytes.
[[gnu::always_inline]] inline void store(Sums numbers, Activation* to) {
    const Bytes bytes = __builtin_convertvector(numbers, Bytes);
    std::memcpy(to, &bytes, sizeof(bytes));
}

// Cuts what a convolution sees in `from`, on top of what is in `to` if that is wanted. `seen` says where.
template <bool on_top>
void convolve(const Network& network, const Layer& layer, const std::int32_t* seen, const Activation* from,
              Activation* to) {
    const std::ptrdiff_t outputs = layer.outputs, tap_bytes = std::ptrdiff_t{layer.inputs} * outputs;
    const int inputs = layer.inputs, taps = network.sizes().taps, squares = network.padded_squares();
    for (std::ptrdiff_t output = 0; output < outputs; output += vectors_together * lanes)
        for (int square = 0; square < squares; square += squares_together) {
            Tile<squares_together> tile(layer.biases.data() + output);
            const std::int8_t* weights = layer.weights.data() + output * most_together;
            const std::int32_t* rows = seen + square;
            for (int tap = 0; tap < taps; ++tap, weights += tap_bytes, rows += squares) {
                const Activation* places[squares_together];
                for (int s = 0; s < squares_together; ++s) places[s] = from + rows[s];
                tile.add(places, weights, inputs, outputs);
            }
            for (int s = 0; s < squares_together; ++s)
                for (int v = 0; v < vectors_together; ++v) {
                    Activation* at = to + (square + s) * outputs + output + v * lanes;
                    Sums numbers = (tile.sums[s][v] + half) >> shift;
                    if constexpr (on_top) numbers += widened(at);
                    store(cut(numbers), at);
                }
        }
}

void write_outputs(const Network& network, const Activation* seen, std::int32_t* outputs) {
    const Layer& layer = network.hidden();
    Activation hidden[Sizes::hidden_units];
    const int inputs = network.padded_squares() * layer.inputs;
    const int part = inputs / squares_together;  // parts are summed side by side
    for (std::ptrdiff_t output = 0; output < layer.outputs; output += vectors_together * lanes) {
        Tile<squares_together> tile(layer.biases.data() + output);
        const std::int8_t* weights = layer.weights.data() + output * most_together;
        for (int input = 0; input < part; input += most_together)
            for (int s = 0; s < squares_together; ++s) {
                const std::ptrdiff_t at = std::ptrdiff_t{s} * part + input;
                const Sums four = spread(seen + at);
                for (int v = 0; v < vectors_together; ++v)
                    tile.sums[s][v] =
                        add_products(tile.sums[s][v], four, load(weights + at * layer.outputs + v * vector_bytes));
            }
        for (int v = 0; v < vectors_together; ++v) {
            Sums sums = tile.sums[0][v];
            for (int s = 1; s < squares_together; ++s)
                sums += tile.sums[s][v] - load(&layer.biases[output + v * lanes]);
            store(cut((sums + half) >> shift), hidden + output + v * lanes);
        }
    }
    const std::int8_t* weights = network.value().data();
    for (const std::int32_t bias : network.value_biases()) {
        std::int32_t sum = bias;
        for (int unit = 0; unit < Sizes::hidden_units; ++unit) sum += hidden[unit] * *weights++;
        *outputs++ = sum;
    }
}

void write_logits(const Network& network, const Activation* seen, std::int32_t* logits) {
    const Layer& layer = network.move_layer();
    const int directions = network.sizes().directions;
    for (int square = 0; square < network.sizes().squares; ++square, logits += directions) {
        Sums sums = load(layer.biases.data());
        for (int input = 0; input < layer.inputs; input += most_together)
            sums = add_products(sums, spread(seen + std::ptrdiff_t{square} * layer.inputs + input),
                                load(layer.weights.data() + std::ptrdiff_t{input} * layer.outputs));
        std::memcpy(logits, &sums, static_cast<std::size_t>(directions) * sizeof(std::int32_t));
    }
}

}  // namespace

void evaluate(const Network& network, std::int64_t count, const Activation* positions, const Boards& boards,
              std::int32_t* outputs, std::int32_t* logits) {
    const auto [planes, seen, inner] = boards;
    const Sizes& sizes = network.sizes();
    std::fill_n(planes + std::ptrdiff_t{network.padded_squares()} * network.padded_planes(), network.padded_planes(),
                0);
    for (Activation* board : {seen, inner})
        std::fill_n(board + std::ptrdiff_t{network.padded_squares()} * sizes.width, sizes.width, Activation{0});
    for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(planes, positions + i * network.position_size(), static_cast<std::size_t>(network.position_size()));
        convolve<false>(network, network.stem(), network.seen_planes(), planes, seen);
        for (int block = 0; block < sizes.blocks; ++block) {
            convolve<false>(network, network.convolution(2 * block), network.seen(), seen, inner);
            convolve<true>(network, network.convolution(2 * block + 1), network.seen(), inner, seen);
        }
        write_outputs(network, seen, outputs + i * sizes.outputs);
        if (logits) write_logits(network, seen, logits + i * sizes.squares * sizes.directions);
    }
}

}  // namespace LUDENS_ISA
}  // namespace ludens::board_network

LUDENS_TARGET_OFF
