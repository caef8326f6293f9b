#include "rules/program.hpp"

#include <algorithm>

namespace ludens::rules {

namespace {

constexpr int max_conditions = 1000;  // of a rule: an evaluation may be nested as deeply

// Reads the code of the rules: terms in prefix order, a variable as its complement.
class Decoder {
public:
    explicit Decoder(const ProgramArrays& arrays) : arrays_(arrays) {}

    bool at_end() const { return at_ == arrays_.code.size(); }

    Rule rule() {
        Rule rule;
        rule.predicate = predicate();
        rule.variables = next();
        if (rule.variables < 0) throw Error("rules: a negative number of variables");
        rule.head = patterns(arrays_.arities[rule.predicate], rule.variables);
        const int conditions = next();
        if (conditions > max_conditions)
            throw Error("a rule has more than " + std::to_string(max_conditions) + " conditions");
        for (int n = conditions; n > 0; --n) rule.body.push_back(literal(rule.variables));
        return rule;
    }

private:
    int next() {
        if (at_end()) throw Error("rules: the code ends within a rule");
        return arrays_.code[at_++];
    }

    int predicate() {
        const int p = next();
        if (p < 0 || p >= static_cast<int>(arrays_.arities.size())) throw Error("rules: no such predicate");
        return p;
    }

    Literal literal(int variables) {
        const int kind = next();
        if (kind < Literal::positive || kind > Literal::equal) throw Error("rules: no such kind of literal");
        if (kind >= Literal::distinct) return {static_cast<Literal::Kind>(kind), -1, patterns(2, variables)};
        const int p = predicate();
        return {static_cast<Literal::Kind>(kind), p, patterns(arrays_.arities[p], variables)};
    }

    std::vector<Pattern> patterns(int count, int variables) {
        std::vector<Pattern> list;
        for (int i = 0; i < count; ++i) list.push_back(pattern(variables));
        return list;
    }

    Pattern pattern(int variables) {
        const int code = next();
        if (code < 0) {
            if (~code >= variables) throw Error("rules: no such variable");
            return {true, ~code, {}};
        }
        if (code >= static_cast<int>(arrays_.symbols.size())) throw Error("rules: no such symbol");
        return {false, code, patterns(arrays_.symbols[code].arity, variables)};
    }

    const ProgramArrays& arrays_;
    std::size_t at_ = 0;
};

void check_arity(int arity) {
    if (arity < 0 || arity > max_arity) throw Error("rules: the number of arguments must be from 0 to 64");
}

}  // namespace

bool is_ground(const Pattern& pattern) {
    return !pattern.variable && std::all_of(pattern.args.begin(), pattern.args.end(), is_ground);
}

Term build(const Pattern& pattern, Terms& terms) {
    if (pattern.args.empty()) return pattern.id;
    std::vector<Term> args;
    for (const Pattern& a : pattern.args) args.push_back(build(a, terms));
    return terms.compound(pattern.id, args.data(), static_cast<int>(args.size()));
}

Program::Program(const ProgramArrays& arrays) : symbols(arrays.symbols), roles(arrays.roles), terms(arrays.symbols) {
    for (const Symbol& symbol : symbols) check_arity(symbol.arity);
    for (int arity : arrays.arities) {
        check_arity(arity);
        predicates.push_back({.arity = arity, .rules = {}, .facts = {}});
    }
    static constexpr int keyword_arities[] = {1, 2, 1, 2, 1, 0, 2};
    if (arrays.arities.size() < std::size(keyword_arities) ||
        !std::equal(std::begin(keyword_arities), std::end(keyword_arities), arrays.arities.begin()))
        throw Error("rules: the first relations must be those that GDL reserves");
    for (int role : roles)
        if (role < 0 || role >= static_cast<int>(symbols.size()) || symbols[role].arity > 0)
            throw Error("rules: a role is no constant");
    Decoder decoder(arrays);
    while (!decoder.at_end()) add(decoder.rule());
    find_levels();
}

void Program::add(Rule rule) {
    Predicate& predicate = predicates[rule.predicate];
    if (rule.body.empty() && std::all_of(rule.head.begin(), rule.head.end(), is_ground)) {
        for (const Pattern& p : rule.head) predicate.facts.push_back(build(p, terms));
        ++predicate.fact_count;
        return;
    }
    predicate.rules.push_back(static_cast<int>(rules.size()));
    rules.push_back(std::move(rule));
}

void Program::find_levels() {
    std::vector<std::vector<int>> readers(predicates.size());
    for (const Rule& rule : rules)
        for (const Literal& literal : rule.body)
            if (!literal.compares()) readers[literal.predicate].push_back(rule.predicate);
    const auto raise = [&](int keyword, Level level) {
        std::vector<int> pending{keyword};
        while (!pending.empty()) {
            const int predicate = pending.back();
            pending.pop_back();
            if (predicates[predicate].level == level) continue;
            predicates[predicate].level = level;
            pending.insert(pending.end(), readers[predicate].begin(), readers[predicate].end());
        }
    };
    raise(Keyword::truth, Level::state);
    raise(Keyword::does, Level::move);
}

}  // namespace ludens::rules
