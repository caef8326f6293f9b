// What plays checkers fast, for any processor; see checkers/perft.inl and checkers/machine.inl.
#include "checkers/machine_prelude.hpp"

#define LUDENS_CHECKERS_ISA baseline
#include "checkers/machine.inl"
#include "checkers/perft.inl"

namespace ludens::checkers {

std::unique_ptr<Machine> make_machine_baseline(const CheckersGame& game, const char* name, int lanes,
                                               std::uint64_t seed) {
    return baseline::make(game, name, lanes, seed);
}

std::int64_t perft_baseline(const Board& board, int depth) { return baseline::perft_here(board, depth); }

}  // namespace ludens::checkers
