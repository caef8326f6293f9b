// How a rule program is evaluated: what can be asked of a relation, compiled to straight nested loops.
//
// A *procedure* is a relation with a call pattern: each column is bound by the caller, wanted as an answer, or
// ignored (the caller does not care, so one witness is enough). Its *clauses* are the rules, their bodies put in
// order once: tests as soon as their variables are bound, else the literal that is likely to give the fewest
// tuples, as measured on the facts and the initial state. A part of a body that binds nothing that is needed
// elsewhere becomes an existence test, left at its first success.
//
// Ordering by cost: P. G. Selinger et al., "Access path selection in a relational database management system",
// 1979. Call patterns: F. Bancilhon et al., "Magic sets and other strange ways to implement logic programs", 1986.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "rules/join_statistics.hpp"
#include "rules/program.hpp"

namespace ludens::rules {

// Where an operation finds or puts a term: a constant, a register to read, or a register to write.
struct Slot {
    static Slot constant(Term t) { return {~t}; }
    static Slot read(int reg) { return {2 * reg}; }
    static Slot write(int reg) { return {2 * reg + 1}; }

    bool writes() const { return code >= 0 && code & 1; }
    int reg() const { return code >> 1; }
    Term value(const Term* registers) const { return code < 0 ? ~code : registers[reg()]; }
    // Whether `t` agrees with the slot, which is always so for one that is written.
    bool accept(Term t, Term* registers) const {
        if (writes()) return registers[reg()] = t, true;
        return value(registers) == t;
    }

    std::int32_t code;
};

struct Slots {
    std::uint32_t first = 0, count = 0;  // in the clause's `slots`
};

struct Operation {
    enum Kind {
        copy,        // register `target` = slots[in.first]
        build,       // register `target` = term of `symbol` over `in`
        take_apart,  // fails unless slots[in.first] is a term of `symbol`; its arguments go to `out`
        same,        // fails unless the two of `in` are equal
        differ,      // fails if the two of `in` are equal
        holds,       // fails unless slots[in.first] is a fact of the state
        test,        // fails unless `relation` has the tuple `in`
        scan,        // for each tuple of `relation` that agrees with `in`
        ask,         // fails unless `procedure` has an answer for the key `in`
        call,        // for each answer `out` of `procedure` for the key `in`
        none_of,     // fails if the operations up to `end` succeed
        some_of,     // fails unless the operations up to `end` succeed
        answer,      // the last: here the outputs of the clause are an answer
    };
    Kind kind;
    std::int32_t target = 0;  // register, relation or procedure
    std::int32_t detail = 0;  // symbol, index of the relation (-1: none), or end
    Slots in = {}, out = {};
};

struct Clause {
    int registers = 0;
    std::vector<Operation> operations;
    std::vector<Slot> slots;
    std::vector<Slot> outputs;
};

struct Procedure {
    CallPattern pattern;
    Level level;
    int keys;  // they arrive in the first registers
    int outputs;
    std::vector<Clause> clauses;
};

// Tuples chained by the hash of some of their columns.
class Buckets {
public:
    // row(i) is a pointer to the terms of tuple i.
    template <class Row> void fill(std::span<const int> columns, int rows, Row row) {
        std::size_t size = 8;
        while (size < 2 * static_cast<std::size_t>(rows)) size *= 2;
        heads_.assign(size, -1);
        next_.resize(rows);
        for (int i = rows - 1; i >= 0; --i) {
            std::uint32_t h = 0;
            const Term* tuple = row(i);
            for (int c : columns) h = mix(h, tuple[c]);
            int& head = heads_[h & (size - 1)];
            next_[i] = head;
            head = i;
        }
    }
    static std::uint32_t mix(std::uint32_t h, Term t) {
        h = (h ^ static_cast<std::uint32_t>(t)) * 0x9e3779b1u;
        return h ^ (h >> 15);
    }
    int first(std::uint32_t hash) const { return heads_[hash & (heads_.size() - 1)]; }
    int next(int row) const { return next_[row]; }

private:
    std::vector<std::int32_t> heads_, next_;
};

// A set of tuples that is known without evaluating rules.
struct Relation {
    enum Kind {
        facts,    // ground facts of a predicate
        holding,  // arguments of the facts of the state with a certain functor
        state,    // all facts of the state, as terms
        moves,    // role and move of the joint move
    };
    Kind kind;
    int arity;
    int id;                                 // predicate or functor
    std::vector<std::vector<int>> indexes;  // columns of each
    std::vector<Buckets> buckets;           // of each; facts only
};

class Plan {
public:
    // Bodies are ordered for what `statistics` has seen of the program, which must outlive the plan.
    Plan(const Program& program, JoinStatistics statistics);

    // The number of the procedure for a call pattern, compiled with all that it calls if it is new. Bit i of a mask is
    // column i.
    int procedure(int predicate, std::uint64_t bound, std::uint64_t ignored = 0);

    const Program& program() const { return program_; }
    const Terms& terms() const { return statistics_.terms; }  // with those that clauses mention
    const std::vector<Procedure>& procedures() const { return procedures_; }
    const std::vector<Relation>& relations() const { return relations_; }

    const Term* fact(int predicate, int row) const {
        const Predicate& p = program_.predicates[predicate];
        return p.facts.data() + static_cast<std::size_t>(row) * p.arity;
    }

private:
    friend class ClauseCompiler;

    int number_of(const CallPattern& pattern);  // of a procedure, which is compiled later if it is new
    void compile(int procedure);
    int relation(Relation::Kind kind, int arity, int id);
    int index(int relation, const std::vector<int>& columns);
    double answers(const CallPattern& pattern) const;  // expected
    Clause facts_clause(int predicate, std::uint64_t bound, std::uint64_t ignored);
    double tuples(int relation, const std::vector<int>& bound);  // expected, for one choice of the bound columns

    const Program& program_;
    JoinStatistics statistics_;
    std::vector<Procedure> procedures_;
    int compiled_ = 0;  // the first of them
    std::vector<Relation> relations_;
    std::map<CallPattern, int> procedure_numbers_;
    std::map<std::pair<int, std::vector<int>>, double> expectations_;
};

// What is asked of every state, as procedures of a plan.
struct Questions {
    explicit Questions(Plan& plan);

    int legal;  // role -> move
    int next;   // -> fact
    int terminal;
    int goal;  // role -> value
};

}  // namespace ludens::rules
