#include "network/gate_order.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "network/gate_index.hpp"

namespace ludens::network {
namespace {

class Orderer {
public:
    Orderer(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept)
        : gates_(gates), writer_(gates), state_(gates.size(), untouched), seen_(gates.size(), 0), read_(kept.size(), 0),
          used_(kept.size(), 0) {
        for (std::uint32_t n = 0; n < gates.size(); ++n)
            if (kept[gates[n].out]) roots_.push_back(n);
    }

    std::vector<Gate> order(RootOrder roots) {
        if (roots == RootOrder::as_given)
            for (const std::uint32_t root : roots_) append(root);
        else
            for (std::size_t n = 0; n < roots_.size(); ++n) append(take_root());
        return std::move(order_);
    }

private:
    enum : std::uint8_t { untouched, open, done };

    // Of the first that wait, the one with the largest share.
    std::uint32_t take_root() {
        constexpr std::size_t most_candidates = 128;
        while (candidates_.size() < most_candidates && next_root_ < roots_.size())
            candidates_.push_back(roots_[next_root_++]);
        std::size_t best = 0;
        double most = -1;
        for (std::size_t i = 0; i < candidates_.size(); ++i)
            if (const double share = recent_share(candidates_[i]); share > most) {
                best = i;
                most = share;
            }
        const std::uint32_t root = candidates_[best];
        candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(best));
        return root;
    }

    // Of the rows that the gates of a root read, but do not write: how many of them were used lately. Of a root with many
    // gates the first ones tell.
    double recent_share(std::uint32_t root) {
        constexpr int most_gates = 32;
        if (state_[root] != untouched) return 1;
        ++turn_;
        int gates = 0, rows = 0, recent = 0;
        stack_.assign(1, root);
        while (!stack_.empty()) {
            const std::uint32_t n = stack_.back();
            stack_.pop_back();
            if (std::exchange(seen_[n], turn_) == turn_ || ++gates > most_gates) continue;
            for (const auto row : gates_[n].in) {
                if (const auto in = writer_(row); waits(in)) stack_.push_back(in);
                else if (std::exchange(read_[row], turn_) != turn_) {
                    ++rows;
                    recent += used_[row] + uses_in_registers > clock_;
                }
            }
        }
        return rows == 0 ? 1 : static_cast<double>(recent) / rows;
    }

    // Without recursion: circuits can be deep.
    void append(std::uint32_t root) {
        stack_.assign(1, root);
        while (!stack_.empty()) {
            const std::uint32_t n = stack_.back();
            if (state_[n] != untouched) {
                stack_.pop_back();
                if (state_[n] == open) add(gates_[n]);
                state_[n] = done;
                continue;
            }
            state_[n] = open;
            for (const auto row : gates_[n].in)
                if (const auto in = writer_(row); waits(in)) stack_.push_back(in);
        }
    }

    void add(const Gate& gate) {
        order_.push_back(gate);
        for (const auto row : gate.in) used_[row] = ++clock_;
        used_[gate.out] = ++clock_;
    }

    bool waits(std::uint32_t gate) const { return gate != GateIndex::none && state_[gate] == untouched; }

    // A row that was used no longer ago may well be in a register: in the last 24 gates, of four uses each. One number,
    // which was tuned on games, for back ends with 16 registers and with 32.
    static constexpr std::uint32_t uses_in_registers = 96;

    const std::vector<Gate>& gates_;
    const GateIndex writer_;
    std::vector<std::uint32_t> roots_;        // the gates that are kept
    std::vector<std::uint32_t> candidates_;   // the first of them that have no place yet
    std::size_t next_root_ = 0;               // which is no candidate yet
    std::vector<std::uint8_t> state_;         // of each gate
    std::vector<std::uint32_t> seen_, read_;  // of each gate and row, the turn in which it was looked at last
    std::vector<std::uint32_t> used_;         // of each row, when
    std::uint32_t turn_ = 0, clock_ = uses_in_registers;
    std::vector<std::uint32_t> stack_;
    std::vector<Gate> order_;
};

}  // namespace

std::vector<Gate> depth_first(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept, RootOrder roots) {
    return Orderer(gates, kept).order(roots);
}

}  // namespace ludens::network
