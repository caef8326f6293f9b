#include "rules/terms.hpp"

#include <algorithm>

#include "base/machine.hpp"
#include "base/thread_stack.hpp"

namespace ludens::rules {

namespace {

constexpr int max_nesting = 2000;  // of a term that is read

void guard_stack() {
    if (stack_left() < 0) throw Error("a term is nested too deeply");
}

}  // namespace

Terms::Terms(const Symbols& symbols) : constants_(static_cast<int>(symbols.size())), slots_(1024, -1) {
    for (int s = 0; s < constants_; ++s) nodes_.push_back({s, 0, 0, static_cast<std::uint32_t>(s)});
}

Term Terms::compound(int symbol, const Term* args, int arity) {
    if (2 * (nodes_.size() - constants_) >= slots_.size()) grow();
    const std::uint32_t hash = this->hash(static_cast<std::uint32_t>(symbol), args, arity);
    Term& slot = slots_[place(hash, symbol, args, arity)];
    if (slot >= 0) return slot;
    slot = size();
    nodes_.push_back({symbol, arity, static_cast<std::uint32_t>(args_.size()), hash});
    for (int i = 0; i < arity; ++i) args_.push_back(args[i]);
    return slot;
}

// Where a compound term is, or would be put.
std::size_t Terms::place(std::uint32_t hash, int symbol, const Term* args, int arity) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at] >= 0; at = (at + 1) & mask) {
        const Node& node = nodes_[slots_[at]];
        if (node.symbol == symbol && std::equal(args, args + arity, args_.data() + node.args)) break;
    }
    return at;
}

void Terms::grow() {
    std::vector<Term> slots(2 * slots_.size(), -1);
    const std::size_t mask = slots.size() - 1;
    for (Term t = constants_; t < size(); ++t) {
        std::size_t at = nodes_[t].hash & mask;
        while (slots[at] >= 0) at = (at + 1) & mask;
        slots[at] = t;
    }
    slots_.swap(slots);
}

Term Terms::copy(Term t, Terms& to) const {
    if (is_constant(t)) return t;
    guard_stack();
    std::vector<Term> copies(args(t), args(t) + arity(t));
    for (Term& a : copies) a = copy(a, to);
    return to.compound(symbol(t), copies.data(), arity(t));
}

Term Terms::find(Term t, const Terms& in) const {
    if (is_constant(t)) return t;
    guard_stack();
    std::vector<Term> found(args(t), args(t) + arity(t));
    for (Term& a : found) {
        a = find(a, in);
        if (a < 0) return -1;
    }
    return in.slots_[in.place(nodes_[t].hash, symbol(t), found.data(), arity(t))];
}

std::string Terms::text(Term t, const Symbols& symbols) const {
    if (is_constant(t)) return symbols[t].name;
    guard_stack();
    std::string text = "(";
    text += symbols[symbol(t)].name;
    for (int i = 0; i < arity(t); ++i) text += " " + this->text(args(t)[i], symbols);
    return text + ")";
}

Term Terms::parse(const std::string& text, const Symbols& symbols) {
    std::size_t at = 0;
    const Term term = parse(text, at, symbols, 0);
    return text.find_first_not_of(' ', at) == std::string::npos ? term : -1;
}

Term Terms::parse(const std::string& text, std::size_t& at, const Symbols& symbols, int depth) {
    if (depth > max_nesting) throw Error("a term is nested too deeply");
    guard_stack();
    at = std::min(text.find_first_not_of(' ', at), text.size());
    const bool compound = at < text.size() && text[at] == '(';
    if (compound) at = std::min(text.find_first_not_of(' ', at + 1), text.size());
    const std::size_t end = std::min(text.find_first_of(" ()", at), text.size());
    const std::string name = text.substr(at, end - at);
    at = end;
    std::vector<Term> args;
    while (compound) {
        at = text.find_first_not_of(' ', at);
        if (at == std::string::npos) return -1;
        if (text[at] == ')') break;
        args.push_back(parse(text, at, symbols, depth + 1));
        if (args.back() < 0) return -1;
    }
    if (compound) ++at;
    for (int s = 0; s < constants_; ++s)
        if (symbols[s].arity == static_cast<int>(args.size()) && symbols[s].name == name)
            return args.empty() ? s : this->compound(s, args.data(), static_cast<int>(args.size()));
    return -1;
}

}  // namespace ludens::rules
