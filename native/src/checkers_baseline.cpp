// What plays checkers fast, for any processor; see checkers_perft.inl and checkers_machine.inl.
#include "checkers_prelude.hpp"

#define LUDENS_CHECKERS_ISA baseline
#include "checkers_machine.inl"
#include "checkers_perft.inl"

namespace ludens::checkers {

std::unique_ptr<Machine> make_machine_baseline(const CheckersGame& game, const char* name, int lanes, std::uint64_t seed) {
    return baseline::make(game, name, lanes, seed);
}

std::int64_t perft_baseline(const Board& board, int depth) { return baseline::perft_here(board, depth); }

}  // namespace ludens::checkers
