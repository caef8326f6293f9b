// The few AVX-512 instructions that gates need: logic on rows of 128, 256 or 512 bits in 32 registers or
// memory, and vpternlogq for any function of three inputs.
//
// Encoding: Intel, "64 and IA-32 Architectures Software Developer's Manual", vol. 2, section 2.7 (EVEX). Rows are
// addressed with a displacement of one byte, which counts in rows: from rdi, which holds the argument of the function,
// as far as that reaches, and beyond from bases in the registers that a function may change, which are set when they
// are needed.
#include "network/address_bases.hpp"
#include "network/encoder.hpp"

namespace ludens::network {
namespace {

class Avx512Encoder final : public Encoder {
public:
    explicit Avx512Encoder(std::uint32_t row_bytes)
        : Encoder({.registers = 32, .gates = {.any = true}, .memory_inputs = true}), row_bytes_(row_bytes) {}

    void begin(std::uint32_t) override { bases_.clear(); }
    void finish() override {
        bytes({0xC5, 0xF8, 0x77});  // vzeroupper: the code that follows may use SSE
        byte(0xC3);                 // ret
    }

    void load(int to, std::uint32_t row) override { memory_form(0x6F, 1, to, 0, row); }
    void store(int from, std::uint32_t row) override { memory_form(0x7F, 1, from, 0, row); }
    void copy(int to, int from) override { register_form(0x6F, 1, to, 0, from); }

    void logic(Logic op, int to, int a, int b) override { register_form(opcode(op), 1, to, a, b); }
    void logic_row(Logic op, int to, int a, std::uint32_t row) override { memory_form(opcode(op), 1, to, a, row); }

    void ternary(int to, int b, int c, std::uint8_t table) override {
        register_form(0x25, 3, to, b, c);
        byte(table);
    }
    void ternary_row(int to, int b, std::uint32_t row, std::uint8_t table) override {
        memory_form(0x25, 3, to, b, row);
        byte(table);
    }

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
        constexpr int disp8 = 0x40;
        const std::uint32_t stretch = (row + reach / 2) / reach;
        const int base = base_of(stretch);
        prefix(map, reg, source, base & 8, 0);
        byte(opcode);
        bytes({disp8 | (reg & 7) << 3 | (base & 7), static_cast<int>(row - stretch * reach) & 0xFF});
    }

    // The register that points at the middle of a stretch of rows.
    int base_of(std::uint32_t stretch) {
        if (stretch == 0) return rdi;
        const auto [base, is_new] = bases_.of(stretch);
        const int reg = base_registers[base];
        if (is_new) {  // lea reg, [rdi + 32 bits]
            bytes({reg & 8 ? 0x4C : 0x48, 0x8D, 0x80 | (reg & 7) << 3 | rdi});
            word32(stretch * reach * row_bytes_);
        }
        return reg;
    }

    static constexpr std::uint32_t reach = 256;  // rows
    static constexpr int rdi = 7;
    static constexpr std::array base_registers = {0, 1, 2, 6, 8, 9, 10, 11};  // rax, rcx, rdx, rsi, r8 to r11

    AddressBases<base_registers.size()> bases_;
    const std::uint32_t row_bytes_;
};

}  // namespace

std::unique_ptr<Encoder> make_avx512_encoder(std::uint32_t row_bytes) {
    return std::make_unique<Avx512Encoder>(row_bytes);
}

}  // namespace ludens::network
