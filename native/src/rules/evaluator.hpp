// Answers questions about one state and joint move: goal-directed and tabled.
//
// A call of a procedure is evaluated once, and its answers are kept in a table for as long as they hold: those of
// static relations for the game, those that depend on `true` for the state, those that depend on `does` for the
// joint move. A call that recursion leads back to while it is being evaluated yields the answers found so far;
// the tables that depend on each other so form a component, whose lowest table evaluates again the clauses that
// have missed answers until there are none, and then declares all complete. Negation asks complete tables only,
// so it is stratified by calls, not by the names of relations.
//
// W. Chen and D. S. Warren, "Tabled evaluation with delaying for general logic programs", JACM 1996 (SLG);
// N.-F. Zhou et al., "Linear tabling strategies and optimizations", TPLP 2008; components as in R. Tarjan, 1972.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "rules/plan.hpp"
#include "rules/tables.hpp"

namespace ludens::rules {

struct OutOfBudget : Error {
    OutOfBudget() : Error("the rules take more steps of inference than allowed") {}
};

class Evaluator {
public:
    explicit Evaluator(const Plan& plan);

    Terms& terms() { return terms_; }
    // Whether so much has been kept for the game that it is time for a new evaluator.
    bool worn_out() const;

    void set_state(std::span<const Term> facts);
    // A move for each role; -1: none.
    void set_moves(std::span<const Term> moves);

    // The answers of a procedure for a key; walk them through Answer::next. Valid until the state changes.
    // After an Error the evaluator is of no more use.
    const Table& ask(int procedure, std::span<const Term> key);
    // The same, but no more than the first `most` answers.
    const Table& ask_some(int procedure, std::span<const Term> key, int most);
    // The same, but no more than `most` answers, drawn by lot; so many are found soon, however many there are.
    const Table& sample(int procedure, std::span<const Term> key, int most, std::uint64_t seed);

    // Throws OutOfBudget after so many more steps of inference.
    void set_budget(std::int64_t steps) { budget_ = steps; }
    // Adds how many answers the calls of each kind have had on average.
    void report(std::map<CallPattern, double>& answers) const;

private:
    struct IndexNow {
        std::uint32_t generation = 0;
        Buckets buckets;
    };
    struct RelationNow {
        std::vector<Term> rows;
        std::vector<IndexNow> indexes;
    };
    // What a running clause needs to know of its surroundings.
    struct Frame {
        const Clause& clause;
        Table& table;
        int number;  // of the clause in its procedure
        Term* registers;
        bool negated = false;  // within none_of
    };

    Table& solve(int procedure, const Term* key);
    Table& create(int procedure, const Term* key, Level level);
    bool bounded(Table& table, int most);
    bool is_sampled(const Table& table) const { return turn_ != 0 && &table == bounded_; }
    // What the turn draws for one use of it: an operation of a clause, or -1, the choice of the clause.
    std::uint64_t lot(int use) const { return mix(turn_ + static_cast<std::uint64_t>(use) * golden_ratio); }
    std::uint64_t lot(const Frame& frame, const Operation& operation) const {
        return lot(static_cast<int>(&operation - frame.clause.operations.data()));
    }
    void evaluate(Table& table);
    void finish(Table& table);
    bool refresh(Table& table);
    void run_clause(Table& table, int number);

    bool run(const Frame& frame, int at, int end);
    bool emit(const Frame& frame);
    bool scan(const Frame& frame, int at, int end);
    bool test(const Frame& frame, const Operation& operation);
    bool call(const Frame& frame, int at, int end);
    Table& answers(const Frame& frame, const Operation& operation);
    bool ask(const Frame& frame, const Operation& operation);
    bool take_apart(const Frame& frame, const Operation& operation);
    void build(const Frame& frame, const Operation& operation);
    void note_read(const Frame& frame, Table& read, int seen);

    const Answer* drawn_answer(Table& table, int width, std::uint64_t drawn);
    template <class GoOn> bool visit_relation(const Frame& frame, const Operation& operation, GoOn go_on);
    const Term* row(const Relation& relation, const RelationNow& now, int i) const;
    int row_count(const Relation& relation, const RelationNow& now) const;
    const Buckets& buckets(const Operation& operation);
    void forget(Level level);
    void begin_stack();
    void guard_stack() const;

    const Plan& plan_;
    Terms terms_;
    std::vector<RelationNow> relations_;
    std::vector<int> relation_of_functor_;  // -1: no rule looks into facts with this functor
    int state_relation_ = -1;
    std::vector<Term> moves_;           // [roles present][2]
    std::vector<std::uint32_t> holds_;  // generation of the state in which a term last held
    std::array<std::uint32_t, level_count> generations_{1, 1, 1};
    std::array<Arena, level_count> arenas_;
    std::vector<Directory> directories_;              // of each procedure
    std::vector<std::array<std::int64_t, 2>> tally_;  // of each procedure: calls and answers
    std::vector<Table*> incomplete_;
    std::unique_ptr<Term[]> registers_;
    std::size_t registers_used_ = 0;
    const char* stack_end_ = nullptr;  // beyond which a question may not recurse
    bool small_stack_ = false;         // since the thread has no more of it
    const Table* bounded_ = nullptr;   // the table that is complete when it has `most_` answers
    int most_ = 0;
    std::uint32_t turn_ = 0;  // decides with which clause and rows a sample begins; 0: with the first ones
    std::int64_t budget_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace ludens::rules
