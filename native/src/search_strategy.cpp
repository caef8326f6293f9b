#include "search_strategy.hpp"

namespace ludens {

std::unique_ptr<Strategy> make_strategy(const std::string& name, double exploration) {
    if (name == "uct") return make_uct(exploration);
    if (name == "flat") return make_flat();
    throw Error("unknown strategy '" + name + "'; there are: uct, flat");
}

}  // namespace ludens
