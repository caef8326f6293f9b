// The few AVX-512 instructions that a network needs, as machine code: logic on rows of 128, 256 or 512 bits in registers
// or memory.
//
// Encoding: Intel, "64 and IA-32 Architectures Software Developer's Manual", vol. 2, section 2.7 (EVEX). Rows are
// addressed from one base register, rdi, which holds the first argument of the function that is being written.
#pragma once

#include <cstdint>
#include <vector>

namespace ludens::network {

class X86Assembler {
public:
    static constexpr int registers = 32;  // zmm0 … zmm31, all of them free to use

    // `row_bytes`: 16, 32 or 64. Row `row` is the bytes at rdi + row_bytes * row.
    explicit X86Assembler(std::uint32_t row_bytes) : row_bytes_(row_bytes) {}

    void load(int to, std::uint32_t row) { memory_form(0x6F, 1, to, 0, row); }
    void store(int from, std::uint32_t row) { memory_form(0x7F, 1, from, 0, row); }
    void copy(int to, int from) { register_form(0x6F, 1, to, 0, from); }

    enum Logic : int { And = 0xDB, NotAnd = 0xDF, Or = 0xEB };  // a & b, ~a & b, a | b

    void logic(Logic op, int to, int a, int b) { register_form(op, 1, to, a, b); }
    void logic_row(Logic op, int to, int a, std::uint32_t row) { memory_form(op, 1, to, a, row); }

    // to = table(to, b, c), the bit of the table that three bits a, b, c choose being number 4 a + 2 b + c.
    void ternary(int to, int b, int c, std::uint8_t table) {
        register_form(0x25, 3, to, b, c);
        byte(table);
    }
    void ternary_row(int to, int b, std::uint32_t row, std::uint8_t table) {
        memory_form(0x25, 3, to, b, row);
        byte(table);
    }

    void finish() {
        for (int b : {0xC5, 0xF8, 0x77}) byte(b);  // vzeroupper: the code that follows may use SSE
        byte(0xC3);                                // ret
    }

    const std::vector<std::uint8_t>& code() const { return code_; }

private:
    void byte(int value) { code_.push_back(static_cast<std::uint8_t>(value)); }

    // The four bytes of EVEX: 66 prefix, 64-bit elements, length of a row, no mask. Register bits are stored inverted.
    void prefix(int map, int reg, int source, int rm_bit3, int rm_bit4) {
        byte(0x62);
        byte((reg & 8 ? 0 : 0x80) | (rm_bit4 ? 0 : 0x40) | (rm_bit3 ? 0 : 0x20) | (reg & 16 ? 0 : 0x10) | map);
        byte(0x80 | (~source & 15) << 3 | 0x04 | 0x01);
        const int length = row_bytes_ == 64 ? 0x40 : row_bytes_ == 32 ? 0x20 : 0x00;
        byte(length | (source & 16 ? 0 : 0x08));
    }

    void register_form(int opcode, int map, int reg, int source, int rm) {
        prefix(map, reg, source, rm & 8, rm & 16);
        byte(opcode);
        byte(0xC0 | (reg & 7) << 3 | (rm & 7));
    }

    void memory_form(int opcode, int map, int reg, int source, std::uint32_t row) {
        constexpr int rdi = 7;
        prefix(map, reg, source, 0, 0);
        byte(opcode);
        if (row < 128) {  // an 8-bit displacement counts in units of the bytes accessed
            byte(0x40 | (reg & 7) << 3 | rdi);
            byte(static_cast<int>(row));
            return;
        }
        byte(0x80 | (reg & 7) << 3 | rdi);
        for (int i = 0; i < 4; ++i) byte(static_cast<int>(row * row_bytes_ >> (8 * i) & 0xFF));
    }

    const std::uint32_t row_bytes_;
    std::vector<std::uint8_t> code_;
};

}  // namespace ludens::network
