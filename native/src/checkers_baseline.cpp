// What plays checkers fast, for any processor; see checkers_perft.inl.
#define LUDENS_CHECKERS_ISA baseline
#include "checkers_perft.inl"

namespace ludens::checkers {

std::int64_t perft_baseline(const Squares* b, bool red_moves, int depth) {
    return perft_here({b[0], b[1], b[2], red_moves ? red : black}, depth);
}

}  // namespace ludens::checkers
