#include "backward_induction/position_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ludens::backward_induction {

namespace {

constexpr std::size_t positions_at_once = 64, enough_joint = 4096;  // that are explored together
constexpr std::size_t most_joint = 16'384;                          // of one position
constexpr std::size_t least_index = 1024;
constexpr int solved_at_once = 1024;
constexpr double per_goal = 100;  // hundredths
constexpr std::size_t most_positions = std::numeric_limits<std::int32_t>::max() / 2;

// What the end of a game is worth. `goals`: one, or two.
std::int32_t hundredths(std::span<const float> goals) {
    const float value = goals.size() == 1 ? goals[0] : (best_goal + goals[0] - goals[1]) / 2;
    return static_cast<std::int32_t>(std::lround(per_goal * value));
}

template <class T> void release(std::vector<T>& vector) { std::vector<T>().swap(vector); }

// The keys of states, which take up memory where images are one; where that is most of what there is they are not.
StateKey keys_of(const Game& game, const Symmetries& symmetries, std::int64_t memory_bytes) {
    StateKey keys(game, symmetries);
    return 2 * keys.bytes() <= memory_bytes ? keys : StateKey(game, {});
}

}  // namespace

PositionGraph::PositionGraph(const Game& game, const SearchOptions& options, std::int64_t memory_bytes)
    : memory_bytes_(memory_bytes), roles_(static_cast<std::size_t>(game.roles())),
      state_words_(static_cast<std::size_t>(game.state_words())),
      move_words_(static_cast<std::size_t>(game.move_words())), keys_(keys_of(game, options.symmetries, memory_bytes)),
      expander_(game, options.lanes) {
    clear();
}

void PositionGraph::clear() {
    release(positions_);
    release(states_);
    release(successors_);
    release(path_);
    index_keys_ = std::vector<std::uint64_t>(least_index);
    index_ = std::vector<std::int32_t>(least_index, -1);
    explored_ = 0;
}

void PositionGraph::set_root(const Word* state) {
    const bool same = std::ranges::equal(std::span(state, state_words_), root_) && !root_moves_.of[0].empty();
    if (same) return;
    root_.assign(state, state + state_words_);
    const Transition here{root_.data(), nullptr};
    expander_.read({&here, 1}, read_);
    over_ = read_.positions[0].over;
    list(read_.legal.data(), root_moves_);
    root_outcomes_.clear();
    if (over_ || (progress_ == Progress::solved && find(root_.data()) >= 0 && read_outcomes())) return;
    clear();
    find_or_add(root_.data());
    progress_ = Progress::exploring;
}

bool PositionGraph::go_on(Limit& limit) {
    if (over_ || progress_ == Progress::solved || progress_ == Progress::given_up) return false;
    progress_ == Progress::exploring ? explore(limit) : solve(limit);
    return true;
}

std::int64_t PositionGraph::bytes() const {
    const auto held = [](const auto& vector) { return vector.capacity() * sizeof(vector[0]); };
    return keys_.bytes() + static_cast<std::int64_t>(held(positions_) + held(states_) + held(successors_) +
                                                     held(index_keys_) + held(index_) + held(path_));
}

// ---- Exploring ----

// The place in the index of a key, or of none, where it would be.
std::size_t PositionGraph::place_of(std::uint64_t key) const {
    const std::size_t mask = index_.size() - 1;
    std::size_t place = key & mask;
    while (index_[place] >= 0 && index_keys_[place] != key) place = (place + 1) & mask;
    return place;
}

std::int32_t PositionGraph::find(const Word* state) const { return index_[place_of(keys_(state))]; }

std::int32_t PositionGraph::find_or_add(const Word* state) {
    const std::uint64_t key = keys_(state);
    const std::size_t place = place_of(key);
    if (index_[place] >= 0) return index_[place];
    const auto added = static_cast<std::int32_t>(positions_.size());
    index_keys_[place] = key;
    index_[place] = added;
    positions_.push_back({});
    states_.insert(states_.end(), state, state + state_words_);
    if (2 * positions_.size() > index_.size()) grow_index();
    return added;
}

void PositionGraph::grow_index() {
    std::vector<std::uint64_t> keys(2 * index_.size());
    std::vector<std::int32_t> places(2 * index_.size(), -1);
    keys.swap(index_keys_);
    places.swap(index_);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (places[i] < 0) continue;
        const std::size_t place = place_of(keys[i]);
        index_keys_[place] = keys[i];
        index_[place] = places[i];
    }
}

void PositionGraph::list(const Word* legal, Moves& out) const {
    for (const std::size_t role : {0, 1}) {
        out.of[role].clear();
        if (role < roles_) expander_.role_moves().list(legal, static_cast<int>(role), out.of[role]);
        if (out.of[role].empty()) out.of[role].push_back(-1);
    }
}

void PositionGraph::explore(Limit& limit) {
    if (explored_ == positions_.size()) {
        progress_ = Progress::solving;
        path_.push_back({0, 0});
        return;
    }
    const std::int64_t before = expander_.state_changes();
    const std::int64_t left = limit.playouts > 0 ? limit.playouts - limit.finished : enough_joint;
    add_successors(static_cast<std::size_t>(std::min<std::int64_t>(left, enough_joint)));
    limit.finished += expander_.state_changes() - before;
}

void PositionGraph::give_up() {
    clear();
    progress_ = Progress::given_up;
}

// Makes what all joint moves of the next positions lead to, until there are `most` of them.
void PositionGraph::add_successors(std::size_t most) {
    const std::size_t count = list_transitions(most);
    if (count == 0 || !has_room_for(transitions_.size())) return give_up();
    explored_ += count;
    expander_.read(transitions_, made_);
    for (std::size_t i = 0; i < transitions_.size(); ++i)
        successors_.push_back(made_.positions[i].over ? end_code(i) : find_or_add(&made_.states[i * state_words_]));
}

// Whether that many joint moves may be added, whatever they lead to. A vector that grows is copied into one twice as
// large.
bool PositionGraph::has_room_for(std::size_t joint) const {
    std::size_t more = 0;
    const auto grow = [&](const auto& vector, std::size_t size) {
        if (size > vector.capacity()) more += 2 * std::max(size, vector.capacity()) * sizeof(vector[0]);
    };
    const std::size_t positions = positions_.size() + joint;
    grow(positions_, positions);
    grow(states_, positions * state_words_);
    grow(successors_, successors_.size() + joint);
    grow(index_keys_, 2 * positions);
    grow(index_, 2 * positions);
    return positions <= most_positions && bytes() + static_cast<std::int64_t>(more) <= memory_bytes_;
}

// Lists the joint moves of the next positions as transitions, until there are `most`, and returns of how many positions;
// 0: the next one has too many.
std::size_t PositionGraph::list_transitions(std::size_t most) {
    const std::size_t positions = std::min(positions_at_once, positions_.size() - explored_);
    transitions_.clear();
    for (std::size_t i = explored_; i < explored_ + positions; ++i)
        transitions_.push_back({&states_[i * state_words_], nullptr});
    expander_.read(transitions_, read_);
    joint_.clear();
    parents_.clear();
    std::size_t count = 0;
    for (; count < positions && parents_.size() < most; ++count) {
        list(&read_.legal[count * move_words_], moves_);
        if (moves_.joint() > most_joint) break;
        positions_[explored_ + count] = {.first = std::ssize(successors_) + std::ssize(parents_),
                                         .rows = static_cast<std::int32_t>(moves_.of[0].size()),
                                         .columns = static_cast<std::int32_t>(moves_.of[1].size())};
        moves_.list_joint(joint_);
        parents_.resize(joint_.size() / 2, count);
    }
    transitions_.clear();
    for (std::size_t i = 0; i < parents_.size(); ++i)
        transitions_.push_back({&read_.states[parents_[i] * state_words_], &joint_[2 * i]});
    return count;
}

// ---- Solving ----

// Depth first, so that what can follow a position is solved before it. The first position is the root.
void PositionGraph::solve(Limit& limit) {
    for (int solved = 0; solved < solved_at_once && !path_.empty();) {
        Frame& frame = path_.back();
        Position& position = positions_[static_cast<std::size_t>(frame.position)];
        position.open = true;
        if (frame.next < std::int64_t{position.rows} * position.columns) {
            const std::int32_t next = successors_[static_cast<std::size_t>(position.first + frame.next++)];
            if (next < 0 || positions_[static_cast<std::size_t>(next)].solved) continue;
            if (positions_[static_cast<std::size_t>(next)].open) return give_up();
            path_.push_back({next, 0});
            continue;
        }
        if (!finish(position)) return give_up();
        path_.pop_back();
        ++solved;
        ++solved_;
        ++limit.finished;
        if (limit.reached()) break;
    }
    if (!path_.empty()) return;
    release(path_);
    progress_ = Progress::solved;
    read_outcomes();
}

// Solves a position after all that can follow it; returns whether rounding let it.
bool PositionGraph::finish(Position& position) {
    const auto rows = static_cast<std::size_t>(position.rows), columns = static_cast<std::size_t>(position.columns);
    const auto after = std::span(successors_).subspan(static_cast<std::size_t>(position.first), rows * columns);
    payoffs_.clear();
    for (const std::int32_t successor : after) payoffs_.push_back(outcome(successor).value);
    if (!matrix_.solve(payoffs_, rows, columns)) return false;
    const std::ptrdiff_t saddle = matrix_.saddle();
    const bool sure = saddle >= 0 && outcome(after[static_cast<std::size_t>(saddle)]).sure;
    position.outcome = {.value = matrix_.value(), .sure = sure};
    position.solved = true;
    position.open = false;
    return true;
}

Outcome PositionGraph::outcome(std::int32_t successor) const {
    if (successor >= 0) return positions_[static_cast<std::size_t>(successor)].outcome;
    return {.value = (-1 - successor) / per_goal, .sure = true};
}

// Finds out what the joint moves of the root lead to; returns whether all of that is known. It need not be where an image
// of the root was solved in its stead, for what follows the one may be an image of what follows the other by a symmetry
// that is not among those that are known.
bool PositionGraph::read_outcomes() {
    joint_.clear();
    root_moves_.list_joint(joint_);
    transitions_.clear();
    for (std::size_t i = 0; i < root_moves_.joint(); ++i) transitions_.push_back({root_.data(), &joint_[2 * i]});
    expander_.read(transitions_, made_);
    root_outcomes_.clear();
    for (std::size_t i = 0; i < transitions_.size(); ++i) {
        const std::int32_t found = made_.positions[i].over ? end_code(i) : find(&made_.states[i * state_words_]);
        if (found < 0 && !made_.positions[i].over) return false;
        root_outcomes_.push_back(outcome(found));
    }
    return true;
}

// The successor that the i-th of the positions made last is, which is the end of a game.
std::int32_t PositionGraph::end_code(std::size_t i) const {
    return -1 - hundredths({&made_.goals[i * roles_], roles_});
}

}  // namespace ludens::backward_induction
