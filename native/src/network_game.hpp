// A game given as a propositional network.
#pragma once

#include <mutex>

#include "machine.hpp"
#include "network_code.hpp"
#include "network_program.hpp"

namespace ludens {

class NetworkGame final : public Game {
public:
    NetworkGame(NetworkArrays network, std::vector<Word> initial);

    int state_bits() const override { return network_.state_bits; }
    std::span<const int> moves() const override { return network_.moves; }
    std::span<const Word> initial() const override { return initial_; }
    std::unique_ptr<Machine> machine(const MachineOptions& options) const override;

    const NetworkArrays& network() const { return network_; }
    const Program& program() const { return program_; }
#if defined(LUDENS_JIT)
    const NetworkCode& code() const;  // made when first asked for
#endif

private:
    NetworkArrays network_;
    std::vector<Word> initial_;
    Program program_;
#if defined(LUDENS_JIT)
    mutable std::once_flag code_once_;
    mutable std::unique_ptr<NetworkCode> code_;
#endif
};

// Names of the instruction sets that this processor can run, best first; the last, "baseline", always can.
std::span<const char* const> instruction_sets();

}  // namespace ludens
