// A rule program: GDL rules as propnet/rewrite/rule_program.py numbers them, decoded, and what can be said of them
// before a state is known.
#pragma once

#include <cstdint>
#include <vector>

#include "base/machine.hpp"
#include "rules/terms.hpp"

namespace ludens::rules {

// The numbers of the relations that GDL reserves.
enum Keyword : int { truth, does, init, legal, next, terminal, goal };

// As it comes through the C API; see ludens.h for `code`.
struct ProgramArrays {
    Symbols symbols;
    std::vector<int> arities;  // of the predicates; the first are those of Keyword
    std::vector<int> roles;    // symbols
    std::vector<int> code;
    int state_bits;
    std::vector<int> moves;  // room for each role
    int sample = 0;          // of very many legal moves so many will do; 0: all are needed
};

// A term with variables.
struct Pattern {
    bool variable;
    int id;  // of the variable, or the symbol
    std::vector<Pattern> args;
};

struct Literal {
    enum Kind { positive, negative, distinct, equal };
    Kind kind;
    int predicate;              // -1 for distinct and equal
    std::vector<Pattern> args;  // of distinct and equal: the two sides

    bool compares() const { return kind == distinct || kind == equal; }
};

struct Rule {
    int predicate;
    int variables;
    std::vector<Pattern> head;
    std::vector<Literal> body;
};

// What a relation depends on, hence how long its tuples hold: for the game, for a state, for a joint move.
enum class Level { game, state, move };
constexpr int level_count = 3;

struct Predicate {
    int arity;
    Level level = Level::game;
    std::vector<int> rules;   // other than ground facts
    std::vector<Term> facts;  // [fact_count][arity]
    int fact_count = 0;
};

struct Program {
    explicit Program(const ProgramArrays& arrays);

    Symbols symbols;
    std::vector<Predicate> predicates;
    std::vector<Rule> rules;
    std::vector<Term> roles;
    Terms terms;  // those of the rules; every evaluator starts from a copy

private:
    void add(Rule rule);
    void find_levels();
};

bool is_ground(const Pattern& pattern);
Term build(const Pattern& pattern, Terms& terms);
// Calls visit(variable) for every occurrence of a variable.
template <class Visit> void for_variables(const Pattern& pattern, Visit visit) {
    if (pattern.variable) visit(pattern.id);
    for (const Pattern& a : pattern.args) for_variables(a, visit);
}
template <class Visit> void for_variables(const std::vector<Pattern>& patterns, Visit visit) {
    for (const Pattern& p : patterns) for_variables(p, visit);
}

}  // namespace ludens::rules
