#include "checkers/perft.hpp"

#include "checkers/instruction_sets.hpp"

namespace ludens::checkers {

std::int64_t perft(const Board& b, int depth, const std::string& isa) {
    if (b.black & b.red || b.king & ~(b.black | b.red)) throw Error("checkers: this is no position");
    if (depth < 0) throw Error("depth must not be negative");
    return depth == 0 ? 1 : machine_kind(isa).perft(b, depth);
}

}  // namespace ludens::checkers
