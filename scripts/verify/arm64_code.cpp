// Plays networks from standard input on every instruction set of this processor, and compares what holds in their
// states, what follows, and random games: `scripts.verify.arm64_code` compiles this for ARM64 and feeds it.
//
// The exit status is 0 if all is as it should be; else a line says what is not.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "base/batch.hpp"
#include "base/simulator.hpp"
#include "network/game.hpp"

using namespace ludens;

namespace {

template <class T> std::vector<T> take(std::size_t count) {
    std::vector<T> values(count);
    const auto bytes = static_cast<std::streamsize>(count * sizeof(T));
    if (!std::cin.read(reinterpret_cast<char*>(values.data()), bytes)) throw Error("the input is cut short");
    return values;
}

template <std::size_t N> std::vector<std::array<int, N>> take_rows(int count) {
    std::vector<std::array<int, N>> rows;
    for (const auto flat = take<int>(N * static_cast<std::size_t>(count)); rows.size() < flat.size() / N;)
        std::copy_n(flat.begin() + static_cast<std::ptrdiff_t>(N * rows.size()), N, rows.emplace_back().begin());
    return rows;
}

// The same of every instruction set, for the same number of lanes.
void check_random_games(const network::NetworkGame& game, int max_steps) {
    const auto lanes = std::size_t{128};
    std::vector<int> expected_moves, expected_lengths;
    for (const char* name : network::instruction_sets()) {
        Simulator simulator(game.machine({static_cast<int>(lanes), name, 9}));
        std::vector<int> moves(lanes * static_cast<std::size_t>(max_steps) * game.moves().size(), -2), lengths(lanes);
        simulator.record(nullptr, max_steps, moves.data(), lengths.data());
        if (expected_moves.empty()) expected_moves = moves, expected_lengths = lengths;
        if (moves != expected_moves || lengths != expected_lengths)
            throw Error(std::string(name) + ": other random games");
    }
}

// Games side by side: the choice of the role to move, and one that all roles share.
void check_batches(const network::NetworkGame& game, int steps) {
    constexpr std::int64_t games = 200;
    BatchLayout layout;
    layout.autoreset = Autoreset::same_step;
    layout.actions = *std::ranges::max_element(game.moves());
    layout.waiting.resize(static_cast<std::size_t>((game.move_count() + 63) / 64));
    for (const bool by_turns : {false, true}) {
        layout.by_turns = by_turns;
        std::vector<Word> expected;
        for (const char* name : network::instruction_sets()) {
            std::vector<Word> states(games * static_cast<std::size_t>(game.state_words())), seen;
            const auto batch = game.batch(games, {128, name, 5}, layout);
            BatchArrays arrays;
            arrays.states = states.data();
            batch->write_to(arrays);
            for (int step = 0; step < steps; ++step) {
                batch->step(nullptr, 4);
                seen.insert(seen.end(), states.begin(), states.end());
            }
            if (expected.empty()) expected = seen;
            if (seen != expected) throw Error(std::string(name) + ": other games side by side");
        }
    }
}

void check() {
    const auto sizes = take<int>(9);
    const auto [roles, bits, gates, move_count, goals, feedback, loops, states, max_steps] =
        *reinterpret_cast<const std::array<int, 9>*>(sizes.data());
    const auto count = [](int size) { return static_cast<std::size_t>(size); };
    network::NetworkArrays net;
    net.moves = take<int>(count(roles));
    net.state_bits = bits;
    net.gates = take_rows<2>(gates);
    net.next = take<int>(count(bits));
    net.legal = take<int>(count(move_count));
    net.terminal = take<int>(1)[0];
    net.goal_role = take<int>(count(goals));
    net.goal_value = take<int>(count(goals));
    net.goal_literal = take<int>(count(goals));
    net.feedback = take<int>(count(feedback));
    net.loops = take_rows<4>(loops);
    const std::size_t words = (count(bits) + 63) / 64, move_words = (count(move_count) + 63) / 64;
    const network::NetworkGame game(net, take<Word>(words));
    const auto given = take<Word>(count(states) * words);
    const auto joint = take<int>(count(states) * count(roles));
    const auto legal = take<Word>(count(states) * move_words);
    const auto terminal = take<std::uint8_t>(count(states));
    const auto values = take<int>(count(states) * count(roles));
    const auto followed = take<Word>(count(states) * words);
    const auto able = take<std::uint8_t>(count(states));  // where every role has a move
    for (const char* name : network::instruction_sets()) {
        const auto hold = [&](bool holds, const char* what) {
            if (!holds) throw Error(std::string(name) + ": " + what);
        };
        Simulator simulator(game.machine({0, name, 1}));
        auto legal_here = legal, followed_here = followed;
        auto terminal_here = terminal;
        auto values_here = values;
        simulator.inspect(states, given.data(), legal_here.data(), terminal_here.data(), values_here.data());
        hold(legal_here == legal, "other legal moves");
        hold(terminal_here == terminal, "other terminal states");
        hold(values_here == values, "other goals");
        simulator.next(states, given.data(), joint.data(), followed_here.data());
        for (std::size_t i = 0; i < count(states); ++i)
            hold(!able[i] || std::equal(&followed[i * words], &followed[i * words] + words, &followed_here[i * words]),
                 "other successors");
    }
    check_random_games(game, max_steps);
    check_batches(game, std::min(max_steps, 20));
}

}  // namespace

int main() {
    try {
        int cases = 0;
        for (; std::cin.peek() != std::char_traits<char>::eof(); ++cases) {
            try {
                check();
            } catch (const Error& error) {
                throw Error("case " + std::to_string(cases) + ": " + error.what());
            }
        }
        std::printf("%d cases agree on", cases);
        for (const char* name : network::instruction_sets()) std::printf(" %s", name);
        std::printf(may_use_neon_sha3() ? ", with EOR3 and BCAX\n" : "\n");
        return cases > 0 ? 0 : 1;
    } catch (const Error& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
}
