// The few instructions of ARM64 that gates need: logic of two inputs on rows of 128 bits in 32 registers, selection
// by the bits of a third (BSL, BIT, BIF), and with SHA3 the exclusive or of three (EOR3) and of one with and-not (BCAX).
//
// Encoding: Arm, "Architecture Reference Manual for A-profile architecture" (DDI 0487), section C7.2. Calls: "Procedure
// Call Standard for the Arm 64-bit Architecture" (IHI 0055). Rows are addressed from x0, which holds the argument of the
// function, as far as an instruction reaches, and beyond from bases in x1 to x17, which are worked out when they are
// needed: straight-line code knows at every point what they hold. Rows side by side are loaded or stored in pairs.
#include "base/machine.hpp"
#include "network/address_bases.hpp"
#include "network/encoder.hpp"

namespace ludens::network {
namespace {

constexpr std::uint32_t row_bytes = 16;

enum : std::uint32_t {
    op_and = 0x4E201C00,
    op_bic = 0x4E601C00,
    op_orr = 0x4EA01C00,
    op_eor = 0x6E201C00,
    op_bsl = 0x6E601C00,  // d = d ? n : m
    op_bit = 0x6EA01C00,  // d = m ? n : d
    op_bif = 0x6EE01C00,  // d = m ? d : n
    op_eor3 = 0xCE000000,
    op_bcax = 0xCE200000,  // d = n ^ (m & ~a)
    op_ldr = 0x3DC00000,
    op_str = 0x3D800000,
    op_ldp = 0xAD400000,
    op_stp = 0xAD000000,
    op_ldp_d = 0x6D400000,  // of the lower halves
    op_stp_d = 0x6D000000,
    op_add = 0x8B000000,
    op_add_4096 = 0x91400000,    // of a constant times 4096
    op_movz_65536 = 0xD2A00000,  // a constant times 65536
    op_add_sp = 0x910003FF,
    op_sub_sp = 0xD10003FF,
    op_ret = 0xD65F03C0,
};

class NeonEncoder final : public Encoder {
public:
    explicit NeonEncoder(bool sha3)
        : Encoder({.registers = 32, .gates = {.select = true, .xors = sha3}, .memory_inputs = false}) {}

    void begin(std::uint32_t) override {
        body_.clear();
        bases_.clear();
        saved_ = false;
        pending_ = {};
    }

    void finish() override {
        flush();
        if (saved_) save(op_sub_sp, op_stp_d);
        for (const auto instruction : body_) word32(instruction);
        if (saved_) save(op_add_sp, op_ldp_d);
        word32(op_ret);
    }

    void load(int to, std::uint32_t row) override { access(true, number(to), row); }
    void store(int from, std::uint32_t row) override { access(false, number(from), row); }
    void copy(int to, int from) override { logic(Logic::Or, to, from, from); }

    void logic(Logic op, int to, int a, int b) override {
        switch (op) {
            case Logic::And: return emit(op_and, to, a, b);
            case Logic::NotAnd: return emit(op_bic, to, b, a);  // n & ~m
            case Logic::Or: return emit(op_orr, to, a, b);
            case Logic::Xor: return emit(op_eor, to, a, b);
        }
    }
    void logic_row(Logic, int, int, std::uint32_t) override { throw Error("NEON has no operands in memory"); }

    void ternary(int to, int b, int c, std::uint8_t table) override {
        constexpr auto A = column_a, B = column_b, C = column_c;
        switch (table) {
            case select_of(A, B, C): return emit(op_bsl, to, b, c);
            case select_of(A, C, B): return emit(op_bsl, to, c, b);
            case select_of(B, C, A): return emit(op_bit, to, c, b);
            case select_of(C, B, A): return emit(op_bit, to, b, c);
            case select_of(B, A, C): return emit(op_bif, to, c, b);
            case select_of(C, A, B): return emit(op_bif, to, b, c);
            default: break;
        }
        if (abilities().gates.xors) {
            switch (table) {
                case xor3_of(A, B, C): return emit(op_eor3, to, to, b, c);
                case xor_and_not_of(A, B, C): return emit(op_bcax, to, to, b, c);
                case xor_and_not_of(A, C, B): return emit(op_bcax, to, to, c, b);
                case xor_and_not_of(B, A, C): return emit(op_bcax, to, b, to, c);
                case xor_and_not_of(B, C, A): return emit(op_bcax, to, b, c, to);
                case xor_and_not_of(C, A, B): return emit(op_bcax, to, c, to, b);
                case xor_and_not_of(C, B, A): return emit(op_bcax, to, c, b, to);
                default: break;
            }
        }
        Encoder::ternary(to, b, c, table);
    }

private:
    // A load or store that waits for its neighbour.
    struct Access {
        bool is_load = false, waits = false;
        std::uint32_t reg = 0, row = 0;
    };

    // Functions keep the lower halves of v8 to v15 as they were: these are taken last, and saved if they are.
    std::uint32_t number(int reg) {
        const auto r = static_cast<std::uint32_t>(reg);
        if (r < 8) return r;
        if (r < 24) return r + 8;
        saved_ = true;
        return r - 16;
    }

    void save(std::uint32_t move_sp, std::uint32_t pair) {
        constexpr std::uint32_t bytes = 64, sp = 31;
        if (move_sp == op_sub_sp) word32(move_sp | bytes << 10);
        for (std::uint32_t i = 0; i < 4; ++i) word32(pair | 2 * i << 15 | (9 + 2 * i) << 10 | sp << 5 | (8 + 2 * i));
        if (move_sp == op_add_sp) word32(move_sp | bytes << 10);
    }

    void emit(std::uint32_t op, int d, int n, int m, int a = 0) {
        flush();
        body_.push_back(op | number(m) << 16 | (a ? number(a) : 0) << 10 | number(n) << 5 | number(d));
    }

    void access(bool is_load, std::uint32_t reg, std::uint32_t row) {
        const Access now{is_load, true, reg, row};
        if (!pair(now)) {
            flush();
            pending_ = now;
        }
    }

    // Whether the access made one instruction with that which waits.
    bool pair(const Access& now) {
        if (!pending_.waits || pending_.is_load != now.is_load) return false;
        const auto& [first, second] = pending_.row < now.row ? std::pair(pending_, now) : std::pair(now, pending_);
        constexpr std::uint32_t reach = 64;
        if (second.row != first.row + 1 || first.row >= reach || (now.is_load && first.reg == second.reg)) return false;
        body_.push_back((now.is_load ? op_ldp : op_stp) | first.row << 15 | second.reg << 10 | first.reg);
        pending_ = {};
        return true;
    }

    void flush() {
        if (!pending_.waits) return;
        const auto [is_load, waits, reg, row] = pending_;
        pending_ = {};
        const std::uint32_t base = base_of(row / reach);
        body_.push_back((is_load ? op_ldr : op_str) | row % reach << 10 | base << 5 | reg);
    }

    // The register that holds the address of the first row of a stretch.
    std::uint32_t base_of(std::uint32_t stretch) {
        if (stretch == 0) return 0;
        const auto [base, is_new] = bases_.of(stretch);
        const auto reg = static_cast<std::uint32_t>(base + 1);
        if (!is_new) return reg;
        constexpr std::uint32_t unit = reach * row_bytes / 4096;
        if (stretch * unit < 4096) {
            body_.push_back(op_add_4096 | stretch * unit << 10 | reg);
        } else {
            body_.push_back(op_movz_65536 | stretch << 5 | reg);
            body_.push_back(op_add | reg << 16 | reg);
        }
        return reg;
    }

    static constexpr std::uint32_t reach = 4096;  // rows

    std::vector<std::uint32_t> body_;  // of the function at hand
    AddressBases<17> bases_;           // x1 to x17
    bool saved_ = false;
    Access pending_;
};

}  // namespace

std::unique_ptr<Encoder> make_neon_encoder(bool sha3) { return std::make_unique<NeonEncoder>(sha3); }

}  // namespace ludens::network
