#include "network/encoder.hpp"

#include "base/machine.hpp"

namespace ludens::network {

void Encoder::ternary(int, int, int, std::uint8_t) { throw Error("this processor has no gates of three inputs"); }
void Encoder::ternary_row(int, int, std::uint32_t, std::uint8_t) { ternary(0, 0, 0, 0); }

std::unique_ptr<Encoder> make_encoder(InstructionSet set, std::uint32_t row_bytes) {
    switch (set) {
        case InstructionSet::avx512_jit: return make_avx512_encoder(row_bytes);
        case InstructionSet::avx2_jit: return make_avx2_encoder(row_bytes);
        default: throw Error(std::string("there is no machine code for the instruction set ") + name_of(set));
    }
}

}  // namespace ludens::network
