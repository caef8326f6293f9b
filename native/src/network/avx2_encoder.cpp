// The few AVX2 instructions that gates need: logic of two inputs on rows of 128 or 256 bits in 16 registers
// or memory.
//
// Encoding: Intel, "64 and IA-32 Architectures Software Developer's Manual", vol. 2, section 2.3 (VEX). Rows are
// addressed from rdi, which holds the argument of the function, and the first spilled values from rsi, where a
// displacement of one byte reaches 256 bytes of them.
#include "network/encoder.hpp"

namespace ludens::network {
namespace {

class Avx2Encoder final : public Encoder {
public:
    explicit Avx2Encoder(RowBytes bytes)
        : Encoder({.registers = 16, .gates = {}, .memory_inputs = true}), bytes_(bytes) {}

    void begin(std::uint32_t first_slot) override {
        near_ = first_slot * bytes_.whole + 128;
        bytes({0x48, 0x8D, 0xB7});  // lea rsi, [rdi + near_]
        word32(near_);
    }
    void finish() override {
        bytes({0xC5, 0xF8, 0x77});  // vzeroupper: the code that follows may use SSE
        byte(0xC3);                 // ret
    }

    void load(int to, std::uint32_t row) override { memory_form(0x6F, to, 0, row); }
    void store(int from, std::uint32_t row) override { memory_form(0x7F, from, 0, row); }
    void copy(int to, int from) override { register_form(0x6F, to, 0, from); }

    // Of two inputs that may change places a register below 8 comes last, which takes a byte less.
    void logic(Logic op, int to, int a, int b) override {
        if (op != Logic::NotAnd && a < 8) std::swap(a, b);
        register_form(opcode(op), to, a, b);
    }
    void logic_row(Logic op, int to, int a, std::uint32_t row) override { memory_form(opcode(op), to, a, row); }

private:
    static int opcode(Logic op) {
        switch (op) {
            case Logic::And: return 0xDB;
            case Logic::NotAnd: return 0xDF;
            case Logic::Or: return 0xEB;
            case Logic::Xor: return 0xEF;
        }
        return 0;
    }

    // The two or three bytes of VEX: 66 prefix, length of a row. Register bits are stored inverted.
    void prefix(int reg, int source, int rm_bit3) {
        const int length = bytes_.one_register == 32 ? 0x04 : 0x00;
        const int high = reg & 8 ? 0 : 0x80, second = (~source & 15) << 3 | length | 0x01;
        if (rm_bit3) bytes({0xC4, high | 0x40 | 0x01, second});
        else bytes({0xC5, high | second});
    }

    void register_form(int opcode, int reg, int source, int rm) {
        prefix(reg, source, rm & 8);
        bytes({opcode, 0xC0 | (reg & 7) << 3 | (rm & 7)});
    }

    void memory_form(int opcode, int reg, int source, std::uint32_t row) {
        constexpr int rsi = 6, rdi = 7, disp8 = 0x40, disp32 = 0x80;
        const std::uint32_t offset = row * bytes_.whole;
        const std::int64_t from_near = std::int64_t{offset} - near_;
        prefix(reg, source, 0);
        byte(opcode);
        if (-128 <= from_near && from_near < 128) {
            bytes({disp8 | (reg & 7) << 3 | rsi, static_cast<int>(from_near & 0xFF)});
        } else if (offset < 128) {
            bytes({disp8 | (reg & 7) << 3 | rdi, static_cast<int>(offset)});
        } else {
            byte(disp32 | (reg & 7) << 3 | rdi);
            word32(offset);
        }
    }

    const RowBytes bytes_;
    std::uint32_t near_ = 0;  // what rsi holds beyond rdi
};

}  // namespace

std::unique_ptr<Encoder> make_avx2_encoder(RowBytes bytes) { return std::make_unique<Avx2Encoder>(bytes); }

}  // namespace ludens::network
