#include "rules/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

namespace ludens::rules {

namespace {

constexpr double fan_out_unknown = 4;   // tuples for each free column of a relation that nothing is known of
constexpr double fan_out_untried = 10;  // the same, if the sampled play has found other ways
constexpr double facts_of_a_state = 100;

bool in_mask(std::uint64_t mask, int column) { return mask >> column & 1; }

}  // namespace

// Compiles one rule for one call pattern.
class ClauseCompiler {
public:
    ClauseCompiler(Plan& plan, const Rule& rule, std::uint64_t bound, std::uint64_t ignored)
        : plan_(plan), rule_(rule), registers_of_(rule.variables, -1) {
        std::vector<bool> needed(rule.variables, false);
        read_keys(bound);
        for (std::size_t i = 0; i < rule.head.size(); ++i)
            if (!in_mask(bound | ignored, i)) mark(rule.head[i], needed);
        Literals body;
        for (const Literal& literal : rule.body) body.push_back(&literal);
        order(body, needed);
        for (std::size_t i = 0; i < rule.head.size(); ++i)
            if (!in_mask(bound | ignored, i)) clause_.outputs.push_back(read(rule.head[i]));
        add({Operation::answer});
    }

    Clause take() { return std::move(clause_); }

private:
    using Literals = std::vector<const Literal*>;
    using Variables = std::vector<bool>;

    static constexpr double never = 1e30;

    void read_keys(std::uint64_t bound) {
        std::vector<std::pair<int, const Pattern*>> rest;
        for (std::size_t i = 0; i < rule_.head.size(); ++i) {
            if (!in_mask(bound, i)) continue;
            const Pattern& p = rule_.head[i];
            const int key = clause_.registers++;
            if (p.variable && registers_of_[p.id] < 0) registers_of_[p.id] = key;
            else rest.push_back({key, &p});
        }
        for (auto [key, pattern] : rest) match(Slot::read(key), *pattern);
    }

    // ---- Order ------------------------------------------------------------------------------------------------

    // Emits all literals; `needed` are the variables that somebody outside reads.
    void order(Literals rest, const Variables& needed) {
        const bool existential = !any_unbound(needed);
        while (!rest.empty()) {
            const auto parts = components(rest);
            const auto best = std::min_element(parts.begin(), parts.end(), [&](const auto& a, const auto& b) {
                return cost(a, rest, needed) < cost(b, rest, needed);
            });
            const Literals& part = *best;
            const Literal* literal = cheapest(part, rest, needed);
            if (score(*literal, rest, needed) >= never) refuse();
            const bool whole = existential && parts.size() == 1;
            if (whole || is_test(*literal) || mentions(part, needed)) {
                emit(*literal, rest, needed);
                std::erase(rest, literal);
            } else {
                const int at = open(Operation::some_of);
                order(part, Variables(rule_.variables, false));
                close(at);
                std::erase_if(rest, [&](const Literal* l) { return std::ranges::find(part, l) != part.end(); });
            }
        }
    }

    // Literals that share unbound variables, directly or through others, belong together.
    std::vector<Literals> components(const Literals& rest) const {
        std::vector<Literals> parts;
        std::vector<int> part_of(rest.size());
        std::iota(part_of.begin(), part_of.end(), 0);
        std::vector<int> seen(rule_.variables, -1);
        for (std::size_t i = 0; i < rest.size(); ++i) {
            for_variables(rest[i]->args, [&](int v) {
                if (registers_of_[v] >= 0) return;
                const int here = part_of[i], there = seen[v] < 0 ? here : part_of[seen[v]];
                std::ranges::replace(part_of, there, here);
                seen[v] = static_cast<int>(i);
            });
        }
        for (std::size_t root = 0; root < rest.size(); ++root) {
            Literals part;
            for (std::size_t i = 0; i < rest.size(); ++i)
                if (part_of[i] == static_cast<int>(root)) part.push_back(rest[i]);
            if (!part.empty()) parts.push_back(part);
        }
        return parts;
    }

    const Literal* cheapest(const Literals& part, const Literals& rest, const Variables& needed) const {
        return *std::ranges::min_element(part, {}, [&](const Literal* l) { return score(*l, rest, needed); });
    }

    double cost(const Literals& part, const Literals& rest, const Variables& needed) const {
        return score(*cheapest(part, rest, needed), rest, needed);
    }

    // Small is early. Tests come first, then what gives few tuples; relations that need rules cost more.
    double score(const Literal& literal, const Literals& rest, const Variables& needed) const {
        if (literal.kind == Literal::distinct) return unbound(literal) ? never : 0;
        if (literal.kind == Literal::equal) return is_bound(literal.args[0]) || is_bound(literal.args[1]) ? 0 : never;
        if (literal.kind == Literal::negative) {
            if (!is_private(literal, rest, needed)) return never;
            return is_stored(literal) ? 1 : 30;
        }
        if (!unbound(literal)) return is_stored(literal) ? 1 : 25;
        return is_stored(literal) ? 10 + 10 * tuples(literal) : 40 + 10 * plan_.answers(pattern(literal, rest, needed));
    }

    // Whether its unbound variables occur nowhere else: "there is no …" may be asked.
    bool is_private(const Literal& literal, const Literals& rest, const Variables& needed) const {
        bool shared = false;
        for_variables(literal.args, [&](int v) {
            if (registers_of_[v] >= 0) return;
            shared |= needed[v];
            for (const Literal* other : rest)
                if (other != &literal) shared |= occurrences(*other, v) > 0;
        });
        return !shared;
    }

    bool is_stored(const Literal& literal) const {
        return literal.predicate == Keyword::truth || literal.predicate == Keyword::does ||
               plan_.program_.predicates[literal.predicate].rules.empty();
    }

    bool is_test(const Literal& literal) const { return literal.kind == Literal::negative || !unbound(literal); }

    double tuples(const Literal& literal) const {
        const auto [relation, args] = stored(literal);
        return plan_.tuples(relation, bound_columns(args));
    }

    bool is_bound(const Pattern& pattern) const {
        bool all = true;
        for_variables(pattern, [&](int v) { all &= registers_of_[v] >= 0; });
        return all;
    }
    bool unbound(const Literal& literal) const {
        return !std::ranges::all_of(literal.args, [&](const Pattern& p) { return is_bound(p); });
    }
    bool any_unbound(const Variables& variables) const {
        for (int v = 0; v < rule_.variables; ++v)
            if (variables[v] && registers_of_[v] < 0) return true;
        return false;
    }
    bool mentions(const Literals& part, const Variables& needed) const {
        bool found = false;
        for (const Literal* literal : part)
            for_variables(literal->args, [&](int v) { found |= needed[v] && registers_of_[v] < 0; });
        return found;
    }
    static int occurrences(const Literal& literal, int variable) {
        int count = 0;
        for_variables(literal.args, [&](int v) { count += v == variable; });
        return count;
    }
    static void mark(const Pattern& pattern, Variables& variables) {
        for_variables(pattern, [&](int v) { variables[v] = true; });
    }

    // Nobody but this literal reads the variable, and only once.
    bool is_ignored(const Pattern& p, const Literal& literal, const Literals& rest, const Variables& needed) const {
        if (!p.variable || registers_of_[p.id] >= 0 || needed[p.id]) return false;
        int count = 0;
        for (const Literal* other : rest) count += occurrences(*other, p.id);
        return count == 1 && occurrences(literal, p.id) == 1;
    }

    CallPattern pattern(const Literal& literal, const Literals& rest, const Variables& needed) const {
        std::uint64_t bound = 0, ignored = 0;
        for (std::size_t i = 0; i < literal.args.size(); ++i) {
            const std::uint64_t column = std::uint64_t{1} << i;
            if (is_bound(literal.args[i])) bound |= column;
            else if (is_ignored(literal.args[i], literal, rest, needed)) ignored |= column;
        }
        return {literal.predicate, bound, ignored};
    }

    [[noreturn]] void refuse() const {
        const auto number = &rule_ - plan_.program_.rules.data();
        throw Error("rule " + std::to_string(number) + " has a variable that no positive condition binds");
    }

    // ---- Emit -------------------------------------------------------------------------------------------------

    void emit(const Literal& literal, const Literals& rest, const Variables& needed) {
        if (literal.kind == Literal::distinct) {
            const Slot left = read(literal.args[0]), right = read(literal.args[1]);
            add({Operation::differ, 0, 0, slots({left, right})});
            return;
        }
        if (literal.kind == Literal::equal) {
            const int known = is_bound(literal.args[0]) ? 0 : 1;
            match(read(literal.args[known]), literal.args[1 - known]);
            return;
        }
        const bool negative = literal.kind == Literal::negative;
        const int at = negative ? open(Operation::none_of) : 0;
        if (is_stored(literal)) emit_stored(literal);
        else emit_call(literal, rest, needed);
        if (negative) close(at);
    }

    // The relation that holds the tuples of a literal without rules, and the patterns of its columns.
    std::pair<int, const std::vector<Pattern>&> stored(const Literal& literal) const {
        const Pattern* first = literal.args.data();
        if (literal.predicate == Keyword::truth && !first->variable)
            return {plan_.relation(Relation::holding, static_cast<int>(first->args.size()), first->id), first->args};
        const auto kind = literal.predicate == Keyword::truth  ? Relation::state
                          : literal.predicate == Keyword::does ? Relation::moves
                                                               : Relation::facts;
        return {plan_.relation(kind, static_cast<int>(literal.args.size()), literal.predicate), literal.args};
    }

    std::vector<int> bound_columns(const std::vector<Pattern>& args) const {
        std::vector<int> columns;
        for (std::size_t i = 0; i < args.size(); ++i)
            if (is_bound(args[i])) columns.push_back(static_cast<int>(i));
        return columns;
    }

    void emit_stored(const Literal& literal) {
        if (literal.predicate == Keyword::truth && !unbound(literal)) {
            const Slot fact = read(literal.args[0]);
            add({Operation::holds, 0, 0, slots({fact})});
            return;
        }
        const auto [relation, args] = stored(literal);
        const auto kind = unbound(literal) ? Operation::scan : Operation::test;
        const int index = plan_.index(relation, bound_columns(args));
        const auto columns = accept(args);
        add({kind, relation, index, slots(columns)});
        take_deferred_apart();
    }

    void emit_call(const Literal& literal, const Literals& rest, const Variables& needed) {
        const CallPattern call = pattern(literal, rest, needed);
        const auto [predicate, bound, ignored] = call;
        std::vector<Slot> keys;
        std::vector<Pattern> wanted;
        for (std::size_t i = 0; i < literal.args.size(); ++i) {
            if (in_mask(bound, i)) keys.push_back(read(literal.args[i]));
            else if (!in_mask(ignored, i)) wanted.push_back(literal.args[i]);
        }
        const int procedure = plan_.number_of(call);
        const auto outputs = accept(wanted);
        const auto kind = wanted.empty() ? Operation::ask : Operation::call;
        const Slots in = slots(keys);
        add({kind, procedure, 0, in, slots(outputs)});
        take_deferred_apart();
    }

    // Slots that accept terms of these patterns; compound ones with unbound variables are taken apart afterwards.
    std::vector<Slot> accept(const std::vector<Pattern>& patterns) {
        std::vector<Slot> list(patterns.size());
        std::vector<bool> fresh(patterns.size());
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            fresh[i] = !is_bound(patterns[i]);
            if (!fresh[i]) list[i] = read(patterns[i]);
        }
        for (std::size_t i = 0; i < patterns.size(); ++i)
            if (fresh[i]) list[i] = accept_unbound(patterns[i]);
        return list;
    }

    Slot accept_unbound(const Pattern& p) {
        if (p.variable && registers_of_[p.id] >= 0) return Slot::read(registers_of_[p.id]);
        const int reg = clause_.registers++;
        if (p.variable) registers_of_[p.id] = reg;
        else deferred_.push_back({reg, &p});
        return Slot::write(reg);
    }

    void take_deferred_apart() {
        while (!deferred_.empty()) {
            const auto [reg, pattern] = deferred_.front();
            deferred_.erase(deferred_.begin());
            match(Slot::read(reg), *pattern);
        }
    }

    void match(Slot term, const Pattern& pattern) {
        if (is_bound(pattern)) {
            const Slot other = read(pattern);
            add({Operation::same, 0, 0, slots({term, other})});
            return;
        }
        if (pattern.variable) {
            registers_of_[pattern.id] = clause_.registers++;
            add({Operation::copy, registers_of_[pattern.id], 0, slots({term})});
            return;
        }
        const auto args = accept(pattern.args);
        const Slots in = slots({term});
        add({Operation::take_apart, 0, pattern.id, in, slots(args)});
        take_deferred_apart();
    }

    // A slot that holds the term of a bound pattern.
    Slot read(const Pattern& pattern) {
        if (!is_bound(pattern)) refuse();
        if (pattern.variable) return Slot::read(registers_of_[pattern.id]);
        if (is_ground(pattern)) return Slot::constant(rules::build(pattern, plan_.statistics_.terms));
        std::vector<Slot> args;
        for (const Pattern& a : pattern.args) args.push_back(read(a));
        const int reg = clause_.registers++;
        add({Operation::build, reg, pattern.id, slots(args)});
        return Slot::read(reg);
    }

    void add(const Operation& operation) { clause_.operations.push_back(operation); }
    Slots slots(const std::vector<Slot>& list) {
        const auto first = static_cast<std::uint32_t>(clause_.slots.size());
        clause_.slots.insert(clause_.slots.end(), list.begin(), list.end());
        return {first, static_cast<std::uint32_t>(list.size())};
    }
    int open(Operation::Kind kind) {
        add({kind});
        return static_cast<int>(clause_.operations.size()) - 1;
    }
    void close(int at) { clause_.operations[at].detail = static_cast<int>(clause_.operations.size()); }

    Plan& plan_;
    const Rule& rule_;
    std::vector<int> registers_of_;  // of each variable; -1: unbound
    std::vector<std::pair<int, const Pattern*>> deferred_;
    Clause clause_;
};

Plan::Plan(const Program& program, JoinStatistics statistics) : program_(program), statistics_(std::move(statistics)) {}

int Plan::procedure(int predicate, std::uint64_t bound, std::uint64_t ignored) {
    const int number = number_of({predicate, bound, ignored});
    while (compiled_ < static_cast<int>(procedures_.size())) compile(compiled_++);
    return number;
}

int Plan::number_of(const CallPattern& pattern) {
    const auto [known, is_new] = procedure_numbers_.try_emplace(pattern, static_cast<int>(procedures_.size()));
    if (is_new) {
        const auto [predicate, bound, ignored] = pattern;
        const Predicate& p = program_.predicates[predicate];
        const int keys = std::popcount(bound);
        procedures_.push_back({pattern, p.level, keys, p.arity - keys - std::popcount(ignored), {}});
    }
    return known->second;
}

// Calls within are left for later, so that no chain of them is too long.
void Plan::compile(int procedure) {
    const auto [predicate, bound, ignored] = procedures_[procedure].pattern;
    const Predicate& p = program_.predicates[predicate];
    std::vector<Clause> clauses;
    if (p.fact_count > 0) clauses.push_back(facts_clause(predicate, bound, ignored));
    for (int r : p.rules) clauses.push_back(ClauseCompiler(*this, program_.rules[r], bound, ignored).take());
    procedures_[procedure].clauses = std::move(clauses);
}

// Facts beside rules: one clause that scans them.
Clause Plan::facts_clause(int predicate, std::uint64_t bound, std::uint64_t ignored) {
    const int arity = program_.predicates[predicate].arity;
    Clause clause;
    std::vector<int> columns;
    for (int i = 0; i < arity; ++i)
        if (in_mask(bound, i)) columns.push_back(i);
    clause.registers = static_cast<int>(columns.size());
    int key = 0;
    for (int i = 0; i < arity; ++i) {
        const int reg = in_mask(bound, i) ? key++ : clause.registers++;
        clause.slots.push_back(in_mask(bound, i) ? Slot::read(reg) : Slot::write(reg));
        if (!in_mask(bound | ignored, i)) clause.outputs.push_back(Slot::read(reg));
    }
    const int facts = relation(Relation::facts, arity, predicate);
    const auto kind = static_cast<int>(columns.size()) == arity ? Operation::test : Operation::scan;
    clause.operations.push_back({kind, facts, index(facts, columns), {0, static_cast<std::uint32_t>(arity)}});
    clause.operations.push_back({Operation::answer});
    return clause;
}

int Plan::relation(Relation::Kind kind, int arity, int id) {
    for (std::size_t i = 0; i < relations_.size(); ++i)
        if (relations_[i].kind == kind && relations_[i].id == id) return static_cast<int>(i);
    relations_.push_back({kind, arity, id, {}, {}});
    return static_cast<int>(relations_.size()) - 1;
}

int Plan::index(int relation, const std::vector<int>& columns) {
    Relation& r = relations_[relation];
    if (columns.empty() || r.kind == Relation::state || r.kind == Relation::moves) return -1;
    const auto known = std::ranges::find(r.indexes, columns);
    if (known != r.indexes.end()) return static_cast<int>(known - r.indexes.begin());
    r.indexes.push_back(columns);
    r.buckets.emplace_back();
    if (r.kind == Relation::facts)
        r.buckets.back().fill(columns, program_.predicates[r.id].fact_count, [&](int i) { return fact(r.id, i); });
    return static_cast<int>(r.indexes.size()) - 1;
}

// The mean over the choices of the bound columns that occur.
double Plan::tuples(int relation, const std::vector<int>& bound) {
    const Relation& r = relations_[relation];
    const auto free = static_cast<double>(r.arity) - static_cast<double>(bound.size());
    if (r.kind == Relation::moves) return bound.empty() ? static_cast<double>(program_.roles.size()) : 0.9;
    if (r.kind == Relation::state) return facts_of_a_state;
    const auto [known, is_new] = expectations_.try_emplace({relation, bound}, 0);
    if (!is_new) return known->second;
    double rows = 0;
    std::set<std::vector<Term>> keys;
    const auto count = [&](int state, const Term* row) {
        std::vector<Term> key{state};
        for (int c : bound) key.push_back(row[c]);
        keys.insert(key);
        ++rows;
    };
    if (r.kind == Relation::facts) {
        for (int i = 0; i < program_.predicates[r.id].fact_count; ++i) count(0, fact(r.id, i));
        return known->second = keys.empty() ? 0 : rows / static_cast<double>(keys.size());
    }
    const Terms& terms = statistics_.terms;
    for (std::size_t i = 0; i < statistics_.states.size(); ++i)
        for (Term t : statistics_.states[i])
            if (terms.symbol(t) == r.id && !terms.is_constant(t)) count(static_cast<int>(i), terms.args(t));
    return known->second = keys.empty() ? std::pow(fan_out_unknown, free) : rows / static_cast<double>(keys.size());
}

double Plan::answers(const CallPattern& pattern) const {
    const auto known = statistics_.answers.find(pattern);
    if (known != statistics_.answers.end()) return known->second;
    const auto [predicate, bound, ignored] = pattern;
    const double fan_out = statistics_.answers.empty() ? fan_out_unknown : fan_out_untried;
    return std::pow(fan_out, program_.predicates[predicate].arity - std::popcount(bound | ignored));
}

Questions::Questions(Plan& plan)
    : legal(plan.procedure(Keyword::legal, 0b01)), next(plan.procedure(Keyword::next, 0)),
      terminal(plan.procedure(Keyword::terminal, 0)), goal(plan.procedure(Keyword::goal, 0b01)) {}

}  // namespace ludens::rules
