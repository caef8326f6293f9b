#include "mcts/worker.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "mcts/regret.hpp"

namespace ludens {

namespace {

constexpr std::size_t batches = 8;         // lanes are launched and settled an eighth of them at a time
constexpr std::uint32_t learn_after = 16;  // visits of a node until it has statistics of all moves as first
constexpr std::size_t look_ahead = 4;      // paths fetched before they are needed

constexpr std::chrono::milliseconds between_accounts{3};
constexpr int share_of_exchange = 32;  // an exchange may take one part in so many of a thread's time

// Part of the memory for statistics of all moves as first, where there are any.
std::int64_t amaf_bytes(const SearchOptions& options, const Selection& selection) {
    return selection.amaf() == nullptr ? 0 : options.memory_bytes / options.threads / 8;
}

std::uint64_t seed_of(const SearchOptions& options, int thread) {
    return mix(options.seed + static_cast<std::uint64_t>(thread) * 0x9e3779b97f4a7c15u);
}

}  // namespace

Worker::Worker(const Game& game, RootBoard& board, BulletinBoard& bulletins, const Selection& selection,
               const SearchOptions& options, int thread)
    : shares_(options.threads > 1),
      selection_(selection),
      amaf_selection_(selection.amaf()),
      knowledge_(options.knowledge.get()),
      roles_(game.roles()),
      playouts_per_leaf_(options.playouts_per_leaf),
      max_steps_(options.max_steps),
      grows_(selection.grows()),
      expand_after_(static_cast<std::uint32_t>(options.expand_after)),
      machine_(game.machine({.lanes = options.lanes, .instruction_set = "", .seed = seed_of(options, thread)})),
      lanes_(static_cast<std::size_t>(machine_->lanes())),
      batch_(std::max(lanes_ / batches, static_cast<std::size_t>(playouts_per_leaf_))),
      tree_(game, options.memory_bytes / options.threads - amaf_bytes(options, selection),
            mix(seed_of(options, thread))),
      amaf_(game, amaf_bytes(options, selection)),
      share_(tree_, bulletins, thread),
      report_(tree_, share_, board, thread),
      random_(seed_of(options, thread)),
      first_moves_of_(static_cast<std::size_t>(roles_)),
      descents_(lanes_),
      descent_of_(lanes_),
      moves_(lanes_ * static_cast<std::size_t>(roles_)),
      loaded_(lanes_),
      active_((lanes_ + 63) / 64) {
    if (playouts_per_leaf_ > machine_->lanes()) {
        throw Error("playouts_per_leaf must be at most the number of lanes, " + std::to_string(lanes_));
    }
    account_.goals.resize(static_cast<std::size_t>(roles_));
    for (int r = 1; r < roles_; ++r) first_moves_of_[r] = first_moves_of_[r - 1] + game.moves()[r - 1];
    if (amaf_selection_ != nullptr) machine_->note_moves(true);
    forget();
}

void Worker::forget() {
    for (auto* lanes : {&free_, &idle_, &ended_, &first_moves_}) lanes->clear();
    for (int i = machine_->lanes() - 1; i >= 0; --i) free_.push_back(i);
    for (int i = static_cast<int>(descents_.size()) - 1; i >= 0; --i) {
        idle_.push_back(i);
        if (descents_[i].handed_out) descents_[i].handed_out = false, ++descents_[i].ticket;
    }
    std::fill(active_.begin(), active_.end(), 0);
    active_count_ = 0;
    next_expiry_ = std::numeric_limits<std::int64_t>::max();
}

// What is in flight below an earlier root goes on.
bool Worker::set_root(const Reading& reading) {
    root_ = find_or_make(reading);
    if (!root_) return false;
    root_state_.assign(reading.state, reading.state + tree_.state_words());
    root_reading_ = reading;
    root_reading_.state = root_state_.data();
    tree_.keep(root_.index);
    amaf_.age();
    report_.enter(root_);
    account_.counted = 0;
    std::ranges::fill(account_.goals, 0);
    report();
    return true;
}

// No Ref where it does not fit even into an empty tree.
Ref Worker::find_or_make(const Reading& reading) {
    const std::uint32_t hash = tree_.hash(reading.state);
    if (const Ref known = tree_.find(reading.state, hash)) return known;
    const auto make = [&] {
        tree_.make_room_for(reading.legal.data());
        return reading.over ? tree_.make_terminal(reading.state, hash, reading.goals.data())
                            : tree_.make(reading.state, hash, reading.legal.data());
    };
    if (const Ref made = make()) return made;
    forget_all();
    return make();
}

void Worker::forget_all() {
    forget();
    tree_.clear();
    share_.forget();
    amaf_.forget();
}

// What rests on equal sums of all ends is given up once two of them differ.
void Worker::compare_ends() {
    share_.compare_ends();
    if (!tree_.ends_differ() || !tree_.assumes()) return;
    const std::vector<Word> state = root_state_;
    Reading reading = root_reading_;
    reading.state = state.data();
    forget_all();
    set_root(reading);
}

// What was found out before a failure is reported all the same.
void Worker::run(RunLimit& limit) try {
    SearchClock::time_point next = SearchClock::now() + between_accounts;
    compare_ends();
    while (!limit.reached()) {
        round(limit);
        const SearchClock::time_point now = SearchClock::now();
        if (now < next) continue;
        compare_ends();
        exchange(limit);
        const SearchClock::time_point end = SearchClock::now();
        next = end + std::max<SearchClock::duration>(between_accounts, share_of_exchange * (end - now));
    }
    // Else an answer that may not hold is better than none.
    if (tree_.decided(tree_.node(root_.index))) compare_ends();
    exchange(limit);
} catch (...) {
    report();
    throw;
}

void Worker::exchange(RunLimit& limit) {
    if (shares_) share_.exchange(root_);
    report();
    if (tree_.decided(tree_.node(root_.index))) limit.solved = true;
}

void Worker::report() {
    account_.stats.nodes = tree_.nodes();
    account_.stats.recycled = tree_.recycled();
    account_.stats.memory_bytes = tree_.bytes();
    account_.stats.bytes_per_node = tree_.bytes_per_node();
    report_.write(account_);
}

void Worker::round(RunLimit& limit) {
    ++round_;
    const std::int64_t before = finished_;
    if (active_count_ > 0) machine_->advance();
    due_.swap(first_moves_);
    if (free_.size() >= batch_ || active_count_ == 0) {
        launch(free_.size() / static_cast<std::size_t>(playouts_per_leaf_), playouts_per_leaf_, limit);
    }
    if (active_count_ > 0) {
        machine_->evaluate();
        expand();
        collect();
        if (ended_.size() >= batch_ || expired_ || active_count_ == 0) settle(limit);
    }
    if (finished_ > before) limit.finished.fetch_add(finished_ - before, std::memory_order_relaxed);
}

// ---- Expand --------------------------------------------------------------------------------------------------

void Worker::expand() {
    if (due_.empty()) return;
    const std::size_t words = static_cast<std::size_t>(tree_.state_words());
    states_.resize(due_.size() * words);
    hashes_.resize(due_.size());
    machine_->read_states(due_, states_.data());
    for (std::size_t i = 0; i < due_.size(); ++i) {
        hashes_[i] = tree_.hash(&states_[i * words]);
        tree_.prefetch_bucket(hashes_[i]);
    }
    open_.clear();
    over_.clear();
    for (std::size_t i = 0; i < due_.size(); ++i) {
        const Word* state = &states_[i * words];
        const bool over = holds(machine_->parked(), due_[i]);
        if (const Ref found = tree_.find(state, hashes_[i])) {
            attach(due_[i], found, true);
        } else if (const Ref known = over ? Ref{} : make_known(state, hashes_[i])) {
            attach(due_[i], known, true);
        } else {
            (over ? over_ : open_).push_back(static_cast<int>(i));
        }
    }
    make_nodes(open_, false);
    make_nodes(over_, true);
    due_.clear();
}

// `rows` of what was read; all of them terminal, or none.
void Worker::make_nodes(const std::vector<int>& rows, bool over) {
    if (rows.empty()) return;
    lanes_read_.clear();
    for (const int row : rows) lanes_read_.push_back(due_[row]);
    const std::size_t words = static_cast<std::size_t>(machine_->game().move_words());
    legal_.resize(rows.size() * words);
    goals_.resize(rows.size() * static_cast<std::size_t>(roles_));
    if (over) {
        machine_->read_goals(lanes_read_, goals_.data());
        std::replace(goals_.begin(), goals_.end(), -1, middle_goal);
    } else {
        machine_->read_legal(lanes_read_, legal_.data());
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Word* state = &states_[rows[i] * static_cast<std::size_t>(tree_.state_words())];
        const std::uint32_t hash = hashes_[rows[i]];
        const Ref made =
            over ? tree_.make_terminal(state, hash, &goals_[i * roles_])
                 : tree_.make(state, hash, &legal_[i * words], known(descents_[descent_of_[lanes_read_[i]]].known));
        if (made) attach(lanes_read_[i], made, over);
    }
}

// A node if something is known of the state from elsewhere.
Ref Worker::make_known(const Word* state, std::uint32_t hash) {
    if (!knowledge_) return {};
    goals_.resize(static_cast<std::size_t>(roles_));
    const int steps = knowledge_->find(state, goals_.data());
    return steps == Knowledge::nothing ? Ref{} : tree_.make_terminal(state, hash, goals_.data(), steps);
}

void Worker::attach(int lane, Ref child, bool informed) {
    Descent& descent = descents_[descent_of_[lane]];
    descent.informed = informed;
    const Index parent = descent.nodes.back();
    Node& node = tree_.node(parent);
    tree_.set_child(node, parent, last_choices(descent), child);
}

// ---- Collect -------------------------------------------------------------------------------------------------

void Worker::collect() {
    const std::span<const Word> parked = machine_->parked();
    for (std::size_t w = 0; w < active_.size(); ++w) {
        for (Word over = parked[w] & active_[w]; over != 0; over &= over - 1) {
            end(static_cast<int>(w) * 64 + std::countr_zero(over));
        }
    }
    if (round_ >= next_expiry_) collect_expired();
}

// These play on in the machine, so their goals must be read before it advances.
void Worker::collect_expired() {
    next_expiry_ = std::numeric_limits<std::int64_t>::max();
    for (int lane = 0; lane < static_cast<int>(lanes_); ++lane) {
        if (!holds(active_, lane)) continue;
        if (loaded_[lane] + max_steps_ <= round_) {
            end(lane);
            expired_ = true;
        } else {
            next_expiry_ = std::min(next_expiry_, loaded_[lane] + max_steps_);
        }
    }
}

void Worker::end(int lane) {
    active_[lane / 64] &= ~(Word{1} << (lane % 64));
    --active_count_;
    ended_.push_back(lane);
    account_.stats.state_changes += round_ - loaded_[lane];
}

// ---- Settle --------------------------------------------------------------------------------------------------

void Worker::settle(RunLimit& limit) {
    goals_.resize(ended_.size() * static_cast<std::size_t>(roles_));
    machine_->read_goals(ended_, goals_.data());
    std::ranges::replace(goals_, -1, middle_goal);
    machine_->learn(ended_, goals_.data());
    const std::size_t words = static_cast<std::size_t>(machine_->game().move_words());
    if (amaf_selection_ != nullptr) {
        noted_.resize(ended_.size() * words);
        machine_->read_noted(ended_, noted_.data());
    }
    for (std::size_t i = 0; i < ended_.size(); ++i) {
        if (i + look_ahead < ended_.size()) prefetch_path(descents_[descent_of_[ended_[i + look_ahead]]]);
        int* const goals = &goals_[i * static_cast<std::size_t>(roles_)];
        if (amaf_selection_ != nullptr) learn(descents_[descent_of_[ended_[i]]], &noted_[i * words], goals);
        settle(ended_[i], goals, limit);
    }
    account_.stats.playouts += static_cast<std::int64_t>(ended_.size());
    finished_ += static_cast<std::int64_t>(ended_.size());
    ended_.clear();
    expired_ = false;
}

// Counts a game for all moves that it and its descent made below each node, `moves` those below the last.
void Worker::learn(const Descent& descent, Word* moves, const int* goals) {
    const Choice* choices = last_choices(descent);
    for (std::size_t level = descent.nodes.size(); level-- > 0;) {
        const Index at = descent.nodes[level];
        Node& node = tree_.node(at);
        for (int r = 0; r < roles_; ++r) {
            const int move = first_moves_of_[r] + tree_.move(node, r, tree_.edge_of(node, choices, r));
            if (move >= first_moves_of_[r]) moves[move / 64] |= Word{1} << (move % 64);
        }
        if (node.head.visits >= learn_after)
            amaf_.add(key_of({at, node.head.generation}), node.head.visits, moves, goals);
        if (level > 0) choices -= tree_.choices(tree_.node(descent.nodes[level - 1]));
    }
}

void Worker::settle(int lane, const int* goals, RunLimit& limit) {
    if (holds(machine_->parked(), lane)) tree_.observe_end(std::accumulate(goals, goals + roles_, 0));
    const int index = descent_of_[lane];
    Descent& descent = descents_[index];
    for (int r = 0; r < roles_; ++r) descent.goals[r] += static_cast<double>(goals[r]) / descent.lanes;
    free_.push_back(lane);
    if (--descent.playing == 0) back_up(index, limit);
}

void Worker::prefetch_path(const Descent& descent) const {
    const bool turns = descent.choices.size() == descent.nodes.size();
    for (std::size_t i = 0; i < descent.nodes.size(); ++i) {
        const Index node = descent.nodes[i];
        tree_.prefetch_chunk(node);
        if (turns && descent.choices[i].edge.chunk != node) tree_.prefetch_chunk(descent.choices[i].edge.chunk);
    }
    if (turns) return;
    for (const Choice& choice : descent.choices) {
        if (choice.edge) tree_.prefetch_chunk(choice.edge.chunk);
    }
}

// From the leaf to the root, what is proven below first, so that no result goes up that is known to be wrong.
void Worker::back_up(int index, RunLimit& limit) {
    Descent& descent = descents_[index];
    const Choice* choices = last_choices(descent);
    tree_.copy_proof(descent.informed ? child_of(descent) : Ref{}, proof_);
    for (std::size_t level = descent.nodes.size(); level-- > 0;) {
        const Index at = descent.nodes[level];
        Node& node = tree_.node(at);
        if (proof_.known) {
            proof_.clamp(descent.goals);
            if (node.head.kind >= NodeHead::turn_of) tree_.refine(node, at, choices->edge, proof_);
        }
        tree_.arrive(node, choices, descent.goals.data());
        if (node.head.kind == NodeHead::simultaneous) learn_regrets(tree_, node, choices, descent.goals.data());
        proof_.known = (node.head.flags & NodeHead::bounded) != 0;
        if (proof_.known) tree_.copy_proof(node, proof_);
        if (level > 0) choices -= tree_.choices(tree_.node(descent.nodes[level - 1]));
    }
    if (proof_.known) proof_.clamp(descent.goals);
    const Index top = descent.nodes.front();
    if (top == root_.index && tree_.decided(tree_.node(top))) limit.solved.store(true, std::memory_order_relaxed);
    idle_.push_back(index);
    count(descent);
}

// Where the last choices lead.
Ref Worker::child_of(const Descent& descent) const {
    const Index last = descent.nodes.back();
    Node& node = tree_.node(last);
    return tree_.child(node, last, last_choices(descent));
}

void Worker::count(const Descent& descent) {
    if (descent.resolves) return;
    ++account_.stats.iterations;
    if (descent.nodes.front() == root_.index) {
        ++account_.counted;
        for (int r = 0; r < roles_; ++r) account_.goals[r] += descent.goals[r];
    }
    account_.stats.depth = std::max(account_.stats.depth, static_cast<int>(descent.nodes.size()));
}

}  // namespace ludens
