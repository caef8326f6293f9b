#include "mcts/search_thread.hpp"

#include <algorithm>

namespace ludens::mcts {

namespace {

constexpr std::size_t batches = 5;  // a fifth of the lanes is loaded, and read, at a time

constexpr std::chrono::milliseconds report_interval{3};
constexpr int exchange_share = 32;  // an exchange may take this fraction, one in so many, of a thread's time

// Part of the memory for statistics of all moves as first, where there are any.
std::int64_t amaf_bytes(const SearchOptions& options, const Selection& selection) {
    return selection.amaf() == nullptr ? 0 : options.memory_bytes / options.threads / 8;
}

}  // namespace

SearchThread::SearchThread(const Game& game, RootStats& root_stats, StatsExchange& exchange, const Selection& selection,
                           const SearchOptions& options, int thread)
    : shares_(options.threads > 1 || options.peers > 0), selection_(selection), amaf_selection_(selection.amaf()),
      knowledge_(options.knowledge.get()), insight_(selection.uses_insight() ? insight_of(game) : nullptr),
      roles_(game.roles()), playouts_per_leaf_(options.playouts_per_leaf), max_steps_(options.max_steps),
      cycle_(game.cycle()), grows_(selection.grows()), expand_after_(static_cast<std::uint32_t>(options.expand_after)),
      machine_(
          game.machine({.lanes = options.lanes, .instruction_set = "", .seed = thread_seed(options.seed, thread)})),
      lanes_(static_cast<std::size_t>(machine_->lanes())),
      batch_(std::max(lanes_ / batches, static_cast<std::size_t>(playouts_per_leaf_))),
      tree_(game, options.memory_bytes / options.threads - amaf_bytes(options, selection),
            mix(thread_seed(options.seed, thread))),
      amaf_(game, amaf_bytes(options, selection)), sync_(tree_, exchange, thread),
      reporter_(tree_, sync_, root_stats, thread), random_(thread_seed(options.seed, thread)),
      role_moves_(game.moves()), trajectories_(lanes_), leaves_(static_cast<std::size_t>(cycle_)),
      trajectory_of_(lanes_), moves_(lanes_ * static_cast<std::size_t>(roles_)), loaded_(lanes_),
      active_((lanes_ + 63) / 64), ended_(static_cast<std::size_t>(cycle_)) {
    if (playouts_per_leaf_ > machine_->lanes()) {
        throw Error("playouts_per_leaf must be at most the number of lanes, " + std::to_string(lanes_));
    }
    stats_.goals.resize(static_cast<std::size_t>(roles_));
    if (insight_) ranks_.resize(static_cast<std::size_t>(std::ranges::max(game.moves())));
    if (amaf_selection_ != nullptr) machine_->note_moves(true);
    forget_visits();
}

// Gives up all visits that are in flight.
void SearchThread::forget_visits() {
    for (auto* lanes : {&free_lanes_, &free_trajectories_, &loaded_to_expand_}) lanes->clear();
    for (auto* by_phase : {&leaves_, &ended_})
        for (std::vector<int>& some : *by_phase) some.clear();
    waiting_ = 0;
    for (int i = machine_->lanes() - 1; i >= 0; --i) free_lanes_.push_back(i);
    for (int i = static_cast<int>(trajectories_.size()) - 1; i >= 0; --i) {
        free_trajectories_.push_back(i);
        if (!trajectories_[i].handed_out) continue;
        trajectories_[i].handed_out = false;
        --handed_out_;
        ++trajectories_[i].ticket;
    }
    std::fill(active_.begin(), active_.end(), 0);
    active_count_ = 0;
    next_expiry_ = std::numeric_limits<std::int64_t>::max();
}

bool SearchThread::set_root(const RootPosition& position) {
    root_ = find_or_make(position);
    if (!root_) return false;
    root_state_.assign(position.state, position.state + tree_.state_words());
    root_position_ = position;
    root_position_.state = root_state_.data();
    tree_.pin_root(root_.index);
    amaf_.age();
    reporter_.set_root(root_);
    stats_.counted = 0;
    std::ranges::fill(stats_.goals, 0);
    report();
    return true;
}

// Returns no Ref where the node does not fit even into an empty tree. Where the game goes on, but how it ends was known,
// nothing lies below the node that there is: the tree begins anew, since one of the root's moves is wanted.
Ref SearchThread::find_or_make(const RootPosition& position) {
    const std::uint32_t hash = tree_.hash(position.state);
    if (const Ref known = tree_.find(position.state, hash)) {
        if (position.over || tree_.node(known.index).head.kind != NodeHead::terminal) return known;
        forget_all();
    }
    const auto make = [&] {
        tree_.make_room_for(position.legal.data());
        return position.over ? tree_.make_terminal(position.state, hash, position.goals.data())
                             : make_node(position.state, hash, position.legal.data(), {});
    };
    if (const Ref made = make()) return made;
    forget_all();
    return make();
}

// Gives up all visits and the tree.
void SearchThread::forget_all() {
    forget_visits();
    tree_.clear();
    sync_.forget();
    amaf_.forget();
}

bool SearchThread::compare_ends() {
    sync_.compare_ends();
    if (!tree_.goal_sums().refuted() || !tree_.assumes()) return false;
    const std::vector<Word> state = root_state_;
    RootPosition position = root_position_;
    position.state = state.data();
    forget_all();
    set_root(position);
    return true;
}

void SearchThread::run(RunLimit& limit) try {
    SearchClock::time_point next = SearchClock::now() + report_interval;
    if (compare_ends()) limit.solved = tree_.decided(tree_.node(root_.index));
    while (!limit.reached()) {
        round(limit);
        // After every round, and so at the same one whatever the machine's speed; a root that seemed solved is not,
        // unless the game is over there.
        if (compare_ends()) limit.solved = tree_.decided(tree_.node(root_.index));
        const SearchClock::time_point now = SearchClock::now();
        if (now < next) continue;
        exchange(limit);
        const SearchClock::time_point end = SearchClock::now();
        next = end + std::max<SearchClock::duration>(report_interval, exchange_share * (end - now));
    }
    // Once more before a solved root ends the run; without an answer even one that may not hold is better than none.
    if (tree_.decided(tree_.node(root_.index))) compare_ends();
    exchange(limit);
} catch (...) {
    report();
    throw;
}

void SearchThread::exchange(RunLimit& limit) {
    sync_.follow_halving();
    if (shares_) sync_.exchange(root_, stats_.costs.locks);
    report();
    if (tree_.decided(tree_.node(root_.index))) limit.solved = true;
}

void SearchThread::report() {
    sync_.follow_halving();
    stats_.counters.nodes = tree_.nodes();
    stats_.counters.recycled = tree_.recycled();
    stats_.counters.memory_bytes = tree_.bytes() + (amaf_selection_ ? amaf_.bytes() : 0);
    stats_.counters.bytes_per_node = tree_.bytes_per_node();
    reporter_.write(stats_);
}

void SearchThread::round(RunLimit& limit) {
    ++round_;
    const std::int64_t before = finished_;
    if (active_count_ > 0) machine_->advance();
    to_expand_.swap(loaded_to_expand_);
    if (const std::size_t idle = idle_lanes(); idle >= batch_ || active_count_ == 0) {
        select(idle / static_cast<std::size_t>(playouts_per_leaf_), limit);
    }
    load_in_phase();
    if (active_count_ > 0) {
        machine_->evaluate();
        expand();
        find_finished();
        if (ended_lanes() >= batch_) last_counting_ = round_ + cycle_ - 1;
        if (active_count_ == 0) backup_all(limit);
        else if (expired_ || round_ <= last_counting_) backup_finished(ended_now(), limit);
    }
    if (finished_ == before) return;
    limit.finished.fetch_add(finished_ - before, std::memory_order_relaxed);
    ++stats_.costs.updates;
}

// ---- Expand --------------------------------------------------------------------------------------------------

void SearchThread::expand() {
    if (to_expand_.empty()) return;
    const std::size_t words = static_cast<std::size_t>(tree_.state_words());
    states_.resize(to_expand_.size() * words);
    hashes_.resize(to_expand_.size());
    machine_->read_states(to_expand_, states_.data());
    for (std::size_t i = 0; i < to_expand_.size(); ++i) {
        hashes_[i] = tree_.hash(&states_[i * words]);
        tree_.prefetch_bucket(hashes_[i]);
    }
    open_rows_.clear();
    terminal_rows_.clear();
    for (std::size_t i = 0; i < to_expand_.size(); ++i) {
        const Word* state = &states_[i * words];
        const bool over = is_set(machine_->finished(), to_expand_[i]);
        if (const Ref found = tree_.find(state, hashes_[i])) {
            attach(to_expand_[i], found, true);
        } else if (const Ref known = over ? Ref{} : make_known(state, hashes_[i])) {
            attach(to_expand_[i], known, true);
        } else {
            std::vector<int>& rows = over ? terminal_rows_ : open_rows_;
            rows.push_back(static_cast<int>(i));
        }
    }
    make_nodes(open_rows_, false);
    make_nodes(terminal_rows_, true);
    to_expand_.clear();
}

// Makes nodes of these rows of what was read; all of them are terminal, or none.
void SearchThread::make_nodes(const std::vector<int>& rows, bool over) {
    if (rows.empty()) return;
    lanes_read_.clear();
    for (const int row : rows) lanes_read_.push_back(to_expand_[row]);
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
        const Ref made = over ? tree_.make_terminal(state, hash, &goals_[i * roles_])
                              : make_node(state, hash, &legal_[i * words],
                                          amaf_view(trajectories_[trajectory_of_[lanes_read_[i]]].amaf_key));
        if (made) attach(lanes_read_[i], made, over);
    }
}

// Makes a node that nothing lies below if something is known of the state from elsewhere.
Ref SearchThread::make_known(const Word* state, std::uint32_t hash) {
    if (!knowledge_ && !insight_) return {};
    goals_.resize(static_cast<std::size_t>(roles_));
    const int steps = find_goals(state);
    return steps < 0 ? Ref{} : tree_.make_terminal(state, hash, goals_.data(), steps);
}

// Writes the goals that are known of a state, and returns how many steps away the end is; less than 0: nothing is known.
int SearchThread::find_goals(const Word* state) {
    const int steps = knowledge_ ? knowledge_->find(state, goals_.data()) : Knowledge::nothing;
    return steps == Knowledge::nothing && insight_ ? insight_->find(state, goals_.data()) : steps;
}

Ref SearchThread::make_node(const Word* state, std::uint32_t hash, const Word* legal, AmafView amaf) {
    if (insight_) insight_->rank(state, ranks_);
    return tree_.make(state, hash, legal, amaf, ranks_);
}

void SearchThread::attach(int lane, Ref child, bool has_proof) {
    Trajectory& trajectory = trajectories_[trajectory_of_[lane]];
    trajectory.has_proof = has_proof;
    const Index parent = trajectory.nodes.back();
    Node& node = tree_.node(parent);
    tree_.set_child(node, parent, last_choices(trajectory), child);
}

}  // namespace ludens::mcts
