// A back end: what a processor has for gates over rows, and how its instructions are written as bytes.
//
// Code is a sequence of functions of one argument, the address of the first row. A row fits into a register; where rows
// are wider than that, a function is called for each of the registers side by side that a row fills.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/instruction_set.hpp"
#include "network/gate_set.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

class Encoder {
public:
    static constexpr int most_registers = 32;

    // What gates may be made of.
    struct Abilities {
        int registers;       // numbered from 0, all of them free to use
        GateSet gates;       // of three inputs; those of two are there in any case
        bool memory_inputs;  // whether the last input may be in memory
    };

    explicit Encoder(const Abilities& abilities) : abilities_(abilities) {}
    virtual ~Encoder() = default;
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    const Abilities& abilities() const { return abilities_; }
    const std::vector<std::uint8_t>& code() const { return code_; }

    // Begins a function, which keeps what does not fit into registers in rows from `first_slot` on.
    virtual void begin(std::uint32_t first_slot) = 0;
    virtual void finish() = 0;

    virtual void load(int to, std::uint32_t row) = 0;
    virtual void store(int from, std::uint32_t row) = 0;
    virtual void copy(int to, int from) = 0;

    // a & b, ~a & b, a | b, a ^ b
    enum class Logic { And, NotAnd, Or, Xor };
    virtual void logic(Logic op, int to, int a, int b) = 0;
    virtual void logic_row(Logic op, int to, int a, std::uint32_t row) = 0;

    // to = table(to, b, c), see Gate; only for gates of the set.
    virtual void ternary(int to, int b, int c, std::uint8_t table);
    virtual void ternary_row(int to, int b, std::uint32_t row, std::uint8_t table);

protected:
    void byte(int value) { code_.push_back(static_cast<std::uint8_t>(value)); }
    void bytes(std::initializer_list<int> values) {
        for (const int value : values) byte(value);
    }
    // Least significant byte first.
    void word32(std::uint32_t value) {
        for (int i = 0; i < 4; ++i) byte(static_cast<int>(value >> (8 * i) & 0xFF));
    }

private:
    const Abilities abilities_;
    std::vector<std::uint8_t> code_;
};

// How many bytes of a row fill a register, and from one row to the next.
struct RowBytes {
    std::uint32_t one_register, whole;

    auto operator<=>(const RowBytes&) const = default;
};

// The back end for machine code of an instruction set that has one.
std::unique_ptr<Encoder> make_encoder(InstructionSet set, RowBytes bytes);

// That of a name, for rows of 16 bytes: avx512-jit, avx2-jit, neon-jit, or neon-jit+sha3, whatever this processor has.
std::unique_ptr<Encoder> make_encoder(const std::string& back_end);

// Each is a file NAME_encoder.cpp.
std::unique_ptr<Encoder> make_avx2_encoder(RowBytes bytes);             // registers of 16 or 32
std::unique_ptr<Encoder> make_avx512_encoder(std::uint32_t row_bytes);  // 16, 32 or 64, a register
std::unique_ptr<Encoder> make_neon_encoder(bool sha3);                  // 16, a register; with EOR3 and BCAX

}  // namespace ludens::network
