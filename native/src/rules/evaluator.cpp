#include "rules/evaluator.hpp"

#include <algorithm>

#include "base/thread_stack.hpp"

namespace ludens::rules {

namespace {

constexpr std::size_t max_registers = 1 << 20;
constexpr std::ptrdiff_t max_stack = 3 << 19;        // bytes, if the thread has as many
constexpr std::size_t worn_out_memory = 512u << 20;  // bytes held for answers, of all levels
constexpr int worn_out_terms = 1 << 22;
constexpr std::uint32_t worn_out_generations = 1u << 31;

constexpr int level_index(Level level) { return static_cast<int>(level); }

// Copies the terms that slots of a clause hold.
void read(const Clause& clause, Slots slots, const Term* registers, Term* terms) {
    const Slot* slot = clause.slots.data() + slots.first;
    for (std::uint32_t i = 0; i < slots.count; ++i) terms[i] = slot[i].value(registers);
}

// Whether terms agree with slots of a clause; registers that these write are set on the way.
bool accept(const Clause& clause, Slots slots, const Term* terms, Term* registers) {
    const Slot* slot = clause.slots.data() + slots.first;
    for (std::uint32_t i = 0; i < slots.count; ++i)
        if (!slot[i].accept(terms[i], registers)) return false;
    return true;
}

// The turns of a sample, from 1 on; none comes again before all others. There are few in all, so that a game has room
// for the moves that are found at them, and for the facts that these leave behind.
class Turns {
public:
    explicit Turns(std::uint64_t seed) : Turns(Random(seed)) {}
    std::uint32_t operator[](int i) const { return 1 + (first_ + static_cast<std::uint32_t>(i) * step_) % count; }

private:
    static constexpr std::uint32_t count = 1 << 10;

    explicit Turns(Random random) : first_(random.below(count)), step_(random.below(count) | 1) {}

    std::uint32_t first_, step_;
};

// Rows of terms, one after the other.
template <class Item, class Next, class Terms> struct Rows {
    Item first, end;
    Next next;
    Terms terms;

    // Calls visit() with each of them, beginning anywhere, until it returns true.
    template <class Visit> bool visit_from(Item begin, Visit visit) const {
        for (Item i = begin; i != end; i = next(i))
            if (visit(terms(i))) return true;
        for (Item i = first; i != begin; i = next(i))
            if (visit(terms(i))) return true;
        return false;
    }
    template <class Weight> Item lightest(Weight weight) const {
        Item found = first;
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        for (Item i = first; i != end; i = next(i)) {
            const std::uint64_t weighed = weight(terms(i));
            if (weighed < least) found = i;
            least = std::min(least, weighed);
        }
        return found;
    }
};

}  // namespace

Evaluator::Evaluator(const Plan& plan)
    : plan_(plan), terms_(plan.terms()), relations_(plan.relations().size()),
      relation_of_functor_(plan.program().symbols.size(), -1), directories_(plan.procedures().size()),
      tally_(plan.procedures().size()), registers_(std::make_unique_for_overwrite<Term[]>(max_registers)) {
    for (std::size_t i = 0; i < relations_.size(); ++i) {
        const Relation& relation = plan.relations()[i];
        relations_[i].indexes.resize(relation.indexes.size());
        if (relation.kind == Relation::holding) relation_of_functor_[relation.id] = static_cast<int>(i);
        if (relation.kind == Relation::state) state_relation_ = static_cast<int>(i);
    }
}

// ---- State -----------------------------------------------------------------------------------------------------

void Evaluator::forget(Level level) {
    for (int l = level_index(level); l < level_count; ++l) {
        ++generations_[l];
        arenas_[l].reset();
    }
}

void Evaluator::set_state(std::span<const Term> facts) {
    forget(Level::state);
    moves_.clear();
    for (RelationNow& relation : relations_) relation.rows.clear();
    holds_.resize(static_cast<std::size_t>(terms_.size()), 0);
    for (Term fact : facts) {
        holds_[fact] = generations_[level_index(Level::state)];
        if (const int r = relation_of_functor_[terms_.symbol(fact)]; r >= 0) relations_[r].rows.push_back(fact);
        if (state_relation_ >= 0) relations_[state_relation_].rows.push_back(fact);
    }
}

void Evaluator::set_moves(std::span<const Term> moves) {
    forget(Level::move);
    moves_.clear();
    for (std::size_t r = 0; r < moves.size(); ++r)
        if (moves[r] >= 0) moves_.insert(moves_.end(), {plan_.program().roles[r], moves[r]});
}

const Table& Evaluator::ask(int procedure, std::span<const Term> key) {
    begin_stack();
    return solve(procedure, key.data());
}

// Adds answers to a table until it has `most`; false if there are not so many.
bool Evaluator::bounded(Table& table, int most) {
    begin_stack();
    table.complete = false;
    table.reads = nullptr;
    bounded_ = &table;
    most_ = most;
    evaluate(table);
    bounded_ = nullptr;
    return table.count >= most;
}

const Table& Evaluator::ask_some(int procedure, std::span<const Term> key, int most) {
    const Procedure& p = plan_.procedures()[procedure];
    const std::uint32_t generation = generations_[level_index(p.level)];
    if (const Table* known = directories_[procedure].find(key.data(), p.keys, generation)) return *known;
    Table& table = create(procedure, key.data(), p.level);  // rules that ask the same in the meantime get all answers
    if (!bounded(table, most)) directories_[procedure].at(key.data(), p.keys, generation) = &table;
    return table;
}

const Table& Evaluator::sample(int procedure, std::span<const Term> key, int most, std::uint64_t seed) {
    Table& table = create(procedure, key.data(), Level::state);  // whatever it depends on, it is drawn for the state
    const Turns turns(seed);
    do turn_ = turns[table.count];
    while (bounded(table, table.count + 1) && table.count < most);
    turn_ = 0;
    return table;
}

bool Evaluator::worn_out() const {
    std::size_t held = 0;
    for (const Arena& arena : arenas_) held += arena.held();
    return held > worn_out_memory || terms_.size() > worn_out_terms ||
           generations_[level_index(Level::move)] > worn_out_generations;
}

// From here on down a question may take so much of the stack.
void Evaluator::begin_stack() {
    const std::ptrdiff_t left = stack_left();
    small_stack_ = left < max_stack;
    stack_end_ = static_cast<const char*>(__builtin_frame_address(0)) - std::min(left, max_stack);
}

void Evaluator::guard_stack() const {
    if (static_cast<const char*>(__builtin_frame_address(0)) >= stack_end_) return;
    if (small_stack_) throw Error("the rules recurse too deeply for the small stack of this thread (see ulimit -s)");
    throw Error("the rules recurse too deeply");
}

// ---- Tables ----------------------------------------------------------------------------------------------------

Table& Evaluator::solve(int procedure, const Term* key) {
    const Procedure& p = plan_.procedures()[procedure];
    Table*& entry = directories_[procedure].at(key, p.keys, generations_[level_index(p.level)]);
    if (entry) return *entry;
    entry = &create(procedure, key, p.level);
    Table& table = *entry;  // the entry may move from here on
    evaluate(table);
    return table;
}

Table& Evaluator::create(int procedure, const Term* key, Level level) {
    const auto keys = static_cast<std::size_t>(plan_.procedures()[procedure].keys);
    Arena& arena = arenas_[level_index(level)];
    ++tally_[procedure][0];
    Term* kept = arena.array<Term>(keys);
    std::copy_n(key, keys, kept);
    const int position = static_cast<int>(incomplete_.size());
    return *new (arena.array<std::byte>(sizeof(Table)))
        Table{arena, procedure, position, position, 0, false, kept, nullptr, nullptr, nullptr, nullptr, 0, nullptr};
}

void Evaluator::evaluate(Table& table) {
    incomplete_.push_back(&table);
    const int clauses = static_cast<int>(plan_.procedures()[table.procedure].clauses.size());
    const int begin = is_sampled(table) ? static_cast<int>(lot(-1) % static_cast<std::uint64_t>(clauses)) : 0;
    for (int c = 0; c < clauses && !table.complete; ++c) run_clause(table, (begin + c) % clauses);
    finish(table);
}

// If nothing below on the stack is involved, completes the component that ends here.
void Evaluator::finish(Table& table) {
    const auto first = static_cast<std::size_t>(table.position);
    for (bool changed = true; changed && table.lowest == table.position;) {
        changed = false;
        for (std::size_t i = first; i < incomplete_.size(); ++i) {
            changed |= refresh(*incomplete_[i]);
            table.lowest = std::min(table.lowest, incomplete_[i]->lowest);
        }
    }
    if (table.lowest < table.position) return;
    for (std::size_t i = first; i < incomplete_.size(); ++i) incomplete_[i]->complete = true;
    incomplete_.resize(first);
}

// Runs again the clauses that have read a table before it had all its answers.
bool Evaluator::refresh(Table& table) {
    Read* old = table.reads;
    std::uint64_t stale = 0;
    for (Read* r = old; r; r = r->next)
        if (r->table->count > r->seen) stale |= std::uint64_t{1} << std::min(r->clause, 63);
    if (stale == 0 || table.complete) return false;
    table.reads = nullptr;
    for (Read* r = old; r;) {
        Read* next = r->next;
        if (!(stale >> std::min(r->clause, 63) & 1)) {
            r->next = table.reads;
            table.reads = r;
        }
        r = next;
    }
    const int clauses = static_cast<int>(plan_.procedures()[table.procedure].clauses.size());
    for (int c = 0; c < clauses && !table.complete; ++c)
        if (stale >> std::min(c, 63) & 1) run_clause(table, c);
    return true;
}

void Evaluator::run_clause(Table& table, int number) {
    const Procedure& procedure = plan_.procedures()[table.procedure];
    const Clause& clause = procedure.clauses[number];
    Term* registers = registers_.get() + registers_used_;
    registers_used_ += static_cast<std::size_t>(clause.registers);
    if (registers_used_ > max_registers) throw Error("the rules recurse too deeply");
    std::copy_n(table.key, procedure.keys, registers);
    run({clause, table, number, registers}, 0, static_cast<int>(clause.operations.size()));
    registers_used_ -= static_cast<std::size_t>(clause.registers);
}

void Evaluator::note_read(const Frame& frame, Table& read, int seen) {
    if (read.complete) return;
    if (frame.negated) throw Error("the rules deny something that depends on itself (not stratified)");
    frame.table.lowest = std::min(frame.table.lowest, read.lowest);
    frame.table.reads =
        new (frame.table.arena.array<std::byte>(sizeof(Read))) Read{frame.table.reads, &read, seen, frame.number};
}

void Evaluator::report(std::map<CallPattern, double>& answers) const {
    for (std::size_t p = 0; p < tally_.size(); ++p)
        if (const auto [calls, found] = tally_[p]; calls > 0)
            answers[plan_.procedures()[p].pattern] = static_cast<double>(found) / static_cast<double>(calls);
}

// ---- Clauses ---------------------------------------------------------------------------------------------------

// Runs the operations [at, end) in every way; true: enough is known, stop.
bool Evaluator::run(const Frame& frame, int at, int end) {
    if (--budget_ < 0) throw OutOfBudget();
    guard_stack();
    for (; at < end; ++at) {
        const Operation& operation = frame.clause.operations[at];
        const Slot* in = frame.clause.slots.data() + operation.in.first;
        bool success = true;
        switch (operation.kind) {
            case Operation::copy: frame.registers[operation.target] = in[0].value(frame.registers); break;
            case Operation::build: build(frame, operation); break;
            case Operation::take_apart: success = take_apart(frame, operation); break;
            case Operation::same: success = in[0].value(frame.registers) == in[1].value(frame.registers); break;
            case Operation::differ: success = in[0].value(frame.registers) != in[1].value(frame.registers); break;
            case Operation::holds: {
                const auto fact = static_cast<std::size_t>(in[0].value(frame.registers));
                success = fact < holds_.size() && holds_[fact] == generations_[level_index(Level::state)];
                break;
            }
            case Operation::test: success = test(frame, operation); break;
            case Operation::ask: success = ask(frame, operation); break;
            case Operation::scan: return scan(frame, at, end);
            case Operation::call: return call(frame, at, end);
            case Operation::none_of: {
                Frame negated = frame;
                negated.negated = true;
                success = !run(negated, at + 1, operation.detail);
                at = operation.detail - 1;
                break;
            }
            case Operation::some_of:
                success = run(frame, at + 1, operation.detail);
                at = operation.detail - 1;
                break;
            case Operation::answer: return emit(frame);
        }
        if (!success) return false;
    }
    return true;
}

bool Evaluator::emit(const Frame& frame) {
    Term answer[max_arity];
    const int width = static_cast<int>(frame.clause.outputs.size());
    for (int i = 0; i < width; ++i) answer[i] = frame.clause.outputs[i].value(frame.registers);
    tally_[frame.table.procedure][1] += frame.table.add(answer, width);
    const bool enough = &frame.table == bounded_ && frame.table.count >= most_;
    frame.table.complete = width == 0 || enough;  // of width 0 one answer is all there can be
    return frame.table.complete;
}

void Evaluator::build(const Frame& frame, const Operation& operation) {
    Term args[max_arity];
    read(frame.clause, operation.in, frame.registers, args);
    frame.registers[operation.target] = terms_.compound(operation.detail, args, static_cast<int>(operation.in.count));
}

bool Evaluator::take_apart(const Frame& frame, const Operation& operation) {
    const Term term = frame.clause.slots[operation.in.first].value(frame.registers);
    return terms_.symbol(term) == operation.detail &&
           accept(frame.clause, operation.out, terms_.args(term), frame.registers);
}

const Term* Evaluator::row(const Relation& relation, const RelationNow& now, int i) const {
    switch (relation.kind) {
        case Relation::facts: return plan_.fact(relation.id, i);
        case Relation::holding: return terms_.args(now.rows[i]);
        case Relation::state: return &now.rows[i];
        case Relation::moves: break;
    }
    return &moves_[2 * static_cast<std::size_t>(i)];
}

int Evaluator::row_count(const Relation& relation, const RelationNow& now) const {
    if (relation.kind == Relation::facts) return plan_.program().predicates[relation.id].fact_count;
    if (relation.kind == Relation::moves) return static_cast<int>(moves_.size() / 2);
    return static_cast<int>(now.rows.size());
}

const Buckets& Evaluator::buckets(const Operation& operation) {
    const Relation& relation = plan_.relations()[operation.target];
    if (relation.kind == Relation::facts) return relation.buckets[operation.detail];
    RelationNow& now = relations_[operation.target];
    IndexNow& index = now.indexes[operation.detail];
    if (index.generation != generations_[level_index(Level::state)]) {
        index.generation = generations_[level_index(Level::state)];
        index.buckets.fill(relation.indexes[operation.detail], row_count(relation, now),
                           [&](int i) { return row(relation, now, i); });
    }
    return index.buckets;
}

// Calls go_on() with the registers set for each tuple that agrees, until it returns true. For a sample they begin where
// the turn says. In what the state holds that is up to the terms of a tuple, not to its place: so in states that are
// much alike the moves drawn are the same, and a game has room for all of them.
template <class GoOn> bool Evaluator::visit_relation(const Frame& frame, const Operation& operation, GoOn go_on) {
    const Relation& relation = plan_.relations()[operation.target];
    const RelationNow& now = relations_[operation.target];
    const Slot* slots = frame.clause.slots.data() + operation.in.first;
    const auto terms = [&](int i) { return row(relation, now, i); };
    const auto agrees = [&](const Term* row) {
        return accept(frame.clause, operation.in, row, frame.registers) && go_on();
    };
    const bool sampled = is_sampled(frame.table);
    const std::uint64_t drawn = sampled ? lot(frame, operation) : 0;
    const auto weight = [&](const Term* row) { return mix(drawn + terms_.hash(0, row, relation.arity)); };
    if (operation.detail < 0) {
        const int count = row_count(relation, now);
        const Rows rows{0, count, [](int i) { return i + 1; }, terms};
        if (!sampled || count == 0) return rows.visit_from(0, agrees);
        if (relation.kind != Relation::facts) return rows.visit_from(rows.lightest(weight), agrees);
        return rows.visit_from(static_cast<int>(drawn % static_cast<std::uint64_t>(count)), agrees);
    }
    const Buckets& chains = buckets(operation);
    std::uint32_t hash = 0;
    for (int c : relation.indexes[operation.detail]) hash = Buckets::mix(hash, slots[c].value(frame.registers));
    const Rows rows{chains.first(hash), -1, [&](int i) { return chains.next(i); }, terms};
    return rows.visit_from(sampled ? rows.lightest(weight) : rows.first, agrees);
}

bool Evaluator::scan(const Frame& frame, int at, int end) {
    return visit_relation(frame, frame.clause.operations[at], [&] { return run(frame, at + 1, end); });
}

bool Evaluator::test(const Frame& frame, const Operation& operation) {
    return visit_relation(frame, operation, [] { return true; });
}

Table& Evaluator::answers(const Frame& frame, const Operation& operation) {
    Term key[max_arity];
    read(frame.clause, operation.in, frame.registers, key);
    return solve(operation.target, key);
}

bool Evaluator::ask(const Frame& frame, const Operation& operation) {
    Table& table = answers(frame, operation);
    if (table.count > 0) return true;
    note_read(frame, table, 0);
    return false;
}

// The answer of a complete table with which a sample begins: the first one from `drawn` on, in the order of the hashes
// of their terms.
const Answer* Evaluator::drawn_answer(Table& table, int width, std::uint64_t drawn) {
    if (table.count == 0) return nullptr;
    const auto count = static_cast<std::size_t>(table.count);
    if (!table.order) {
        table.order = table.arena.array<HashedAnswer>(count);
        HashedAnswer* next = table.order;
        for (const Answer* a = table.first; a; a = a->next) *next++ = {terms_.hash(0, a->terms(), width), a};
        std::ranges::stable_sort(table.order, next, {}, &HashedAnswer::hash);
    }
    const std::span order(table.order, count);
    const auto found = std::ranges::lower_bound(order, static_cast<std::uint32_t>(drawn), {}, &HashedAnswer::hash);
    return (found == order.end() ? order.front() : *found).answer;
}

bool Evaluator::call(const Frame& frame, int at, int end) {
    const Operation& operation = frame.clause.operations[at];
    Table& table = answers(frame, operation);
    int seen = 0;
    const auto go_on = [&](const Term* answer) {
        ++seen;
        return accept(frame.clause, operation.out, answer, frame.registers) && run(frame, at + 1, end);
    };
    const auto next = [](const Answer* a) -> const Answer* { return a->next; };
    const auto terms = [](const Answer* a) { return a->terms(); };
    const Rows rows{static_cast<const Answer*>(table.first), static_cast<const Answer*>(nullptr), next, terms};
    const Answer* begin = rows.first;
    if (is_sampled(frame.table) && table.complete)
        begin = drawn_answer(table, static_cast<int>(operation.out.count), lot(frame, operation));
    if (rows.visit_from(begin, go_on)) return true;
    note_read(frame, table, seen);
    return false;
}

}  // namespace ludens::rules
