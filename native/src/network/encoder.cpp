#include "network/encoder.hpp"

#include "base/machine.hpp"

namespace ludens::network {

void Encoder::ternary(int, int, int, std::uint8_t) {
    throw Error("this processor does not have this gate of three inputs");
}
void Encoder::ternary_row(int, int, std::uint32_t, std::uint8_t) { ternary(0, 0, 0, 0); }

std::unique_ptr<Encoder> make_encoder(InstructionSet set, RowBytes bytes) {
    switch (set) {
        case InstructionSet::avx512_jit: return make_avx512_encoder(bytes.whole);
        case InstructionSet::avx2_jit: return make_avx2_encoder(bytes);
        case InstructionSet::neon_jit: return make_neon_encoder(may_use_neon_sha3());
        default: throw Error(std::string("there is no machine code for the instruction set ") + name_of(set));
    }
}

std::unique_ptr<Encoder> make_encoder(const std::string& back_end) {
    constexpr std::uint32_t row_bytes = 16;
    if (back_end == "avx512-jit") return make_avx512_encoder(row_bytes);
    if (back_end == "avx2-jit") return make_avx2_encoder({row_bytes, row_bytes});
    if (back_end == "neon-jit") return make_neon_encoder(false);
    if (back_end == "neon-jit+sha3") return make_neon_encoder(true);
    throw Error("there is no machine code for \"" + back_end +
                "\", only for avx512-jit, avx2-jit, neon-jit and neon-jit+sha3");
}

}  // namespace ludens::network
