#include "base/machine.hpp"

#include "base/batch.hpp"

namespace ludens {
namespace {

std::vector<int> numbers(std::span<const Word> lanes) {
    std::vector<int> list;
    each_bit(lanes, [&](int lane) { list.push_back(lane); });
    return list;
}

}  // namespace

std::unique_ptr<Batch> Game::batch(std::int64_t, const MachineOptions&, const BatchLayout&) const {
    throw Error("games of this kind cannot be stepped side by side: only networks can");
}

void Machine::restart(std::span<const Word> lanes, const Word* state) {
    std::vector<Start> starts;
    for (const int lane : numbers(lanes)) starts.push_back({lane, state, nullptr});
    load(starts);
}

void Machine::add_endings(std::span<const Word> lanes, Endings& endings) {
    const auto list = numbers(lanes);
    const auto roles = static_cast<std::size_t>(game().roles());
    std::vector<int> goals(list.size() * roles);
    std::vector<std::uint8_t> terminal(list.size());
    read_goals(list, goals.data());
    read_terminal(list, terminal.data());
    for (std::size_t i = 0; i < list.size(); ++i) {
        endings.stuck += !terminal[i];
        for (std::size_t r = 0; r < roles; ++r) endings.add(r, goals[i * roles + r], 1);
    }
    endings.games += static_cast<std::int64_t>(list.size());
}

}  // namespace ludens
