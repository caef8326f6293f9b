#include "network/gate_order.hpp"

#include "network/gate_index.hpp"

namespace ludens::network {

// Without recursion: circuits can be deep.
std::vector<Gate> depth_first(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept) {
    enum : std::uint8_t { untouched, open, done };
    const GateIndex writer(gates);
    std::vector<std::uint8_t> state(gates.size(), untouched);
    std::vector<Gate> order;
    std::vector<std::uint32_t> stack;
    for (std::uint32_t root = 0; root < gates.size(); ++root) {
        if (!kept[gates[root].out]) continue;
        stack.push_back(root);
        while (!stack.empty()) {
            const std::uint32_t n = stack.back();
            if (state[n] != untouched) {
                stack.pop_back();
                if (state[n] == open) order.push_back(gates[n]);
                state[n] = done;
                continue;
            }
            state[n] = open;
            for (const auto row : gates[n].in)
                if (const auto in = writer(row); in != GateIndex::none && state[in] == untouched) stack.push_back(in);
        }
    }
    return order;
}

}  // namespace ludens::network
