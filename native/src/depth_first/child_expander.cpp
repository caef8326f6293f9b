#include "depth_first/child_expander.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/count_bits.hpp"

namespace ludens::depth_first {

namespace {

constexpr int middle_goal = 50;  // of a role whose goal is not defined at the end

bool is_set(std::span<const Word> bits, int i) { return bits[static_cast<std::size_t>(i) / 64] >> (i % 64) & 1; }

}  // namespace

Nursery::Nursery(const Game& game, const SearchOptions& options, StateKey keys)
    : keys_(std::move(keys)),
      roles_(game.roles()),
      state_words_(game.state_words()),
      move_words_(game.move_words()),
      feature_words_(game.feature_words()),
      evaluation_(options.evaluation),
      knowledge_(options.knowledge),
      machine_(game.machine({.lanes = options.lanes, .instruction_set = "", .seed = 0})) {
    if (evaluation_ && (evaluation_->roles() != roles_ || evaluation_->feature_words() != feature_words_))
        throw Error("the evaluation is of another game");
    int first = 0;
    for (const int moves : game.moves()) {
        const int last = first + moves, words = moves ? (last - 1) / 64 - first / 64 + 1 : 0;
        ranges_.push_back({first, first / 64, words, ~Word{0} << first % 64, ~Word{0} >> (64 - last % 64) % 64});
        first = last;
    }
}

Node Nursery::node(Word* state, Word* legal) {
    const Machine::Start start{0, state, nullptr};
    machine_->load({&start, 1});
    machine_->evaluate();
    Node node{-1, is_set(machine_->parked(), 0), {}, middle, keys_(state), state, legal, nullptr};
    const int lane = 0;
    std::vector<int> goals(static_cast<std::size_t>(roles_));
    if (node.over) {
        machine_->read_goals({&lane, 1}, goals.data());
        read(node, goals.data());
    } else {
        machine_->read_legal({&lane, 1}, legal);
    }
    return node;
}

void Nursery::tell_keys(Family& family) const {
    if (family.keyed) return;
    for (Node& node : family.nodes) node.key = keys_(node.state);
    family.keyed = true;
}

std::unique_ptr<Family> Nursery::family_of(const Node& node) {
    Node copy{node.move, false, node.proven, node.guess, node.key, node.state, node.legal, nullptr};
    Node* const one[] = {&copy};
    make(one);
    tell_keys(*copy.family);
    return std::move(copy.family);
}

int Nursery::count_moves(const MoveRange& range, const Word* legal) const {
    int count = 0;
    for (int w = 0; w < range.words; ++w) {
        Word bits = legal[range.first_word + w];
        if (w == 0) bits &= range.first_mask;
        if (w == range.words - 1) bits &= range.last_mask;
        if (bits) count += (bits & (bits - 1)) == 0 ? 1 : count_bits(bits);
    }
    return count;
}

void Nursery::list_moves(const MoveRange& range, const Word* legal, std::vector<int>& out) const {
    for (int w = 0; w < range.words; ++w) {
        Word bits = legal[range.first_word + w];
        if (w == 0) bits &= range.first_mask;
        if (w == range.words - 1) bits &= range.last_mask;
        for (; bits; bits &= bits - 1)
            out.push_back((range.first_word + w) * 64 + std::countr_zero(bits) - range.first);
    }
}

Choice Nursery::choice(const Node& node) const {
    Choice most{0, 1};
    for (int r = 0; r < roles_; ++r) {
        const int count = count_moves(ranges_[static_cast<std::size_t>(r)], node.legal);
        if (count > most.moves) most = {r, count};
    }
    return most;
}

std::unique_ptr<Family> Nursery::spare() {
    if (spare_.empty()) return std::make_unique<Family>();
    auto family = std::move(spare_.back());
    spare_.pop_back();
    return family;
}

void Nursery::recycle(std::unique_ptr<Family> family) {
    if (!family) return;
    for (Node& node : family->nodes) recycle(std::move(node.family));
    recycle_alone(std::move(family));
}

void Nursery::recycle_alone(std::unique_ptr<Family> family) {
    // As many as one call of make() may want; beyond, their memory is given back.
    if (family && spare_.size() < static_cast<std::size_t>(lanes())) spare_.push_back(std::move(family));
}

// The family with its moves, but nothing known of its states.
void Nursery::prepare(Node& node) {
    node.family = spare();
    Family& family = *node.family;
    family.mover = 0;
    family.keyed = false;
    family.others.clear();
    moves_.clear();
    int choosing = 0;
    for (int r = 0; r < roles_; ++r) {
        only_.clear();
        list_moves(ranges_[static_cast<std::size_t>(r)], node.legal, only_);
        family.others.push_back(only_[0]);
        if (only_.size() > 1) ++choosing, family.mover = r, moves_.swap(only_);
    }
    family.searchable = choosing <= 1;
    if (!family.searchable) return family.nodes.clear();
    if (moves_.empty()) moves_.push_back(family.others[0]);
    family.states.resize(moves_.size() * static_cast<std::size_t>(state_words_));
    family.legal.resize(moves_.size() * static_cast<std::size_t>(move_words_));
    Word *state = family.states.data(), *legal = family.legal.data();
    family.nodes.resize(moves_.size());  // those of the last family are overwritten: they have none themselves
    auto child = family.nodes.begin();
    for (const int move : moves_) {
        *child++ = {move, false, {}, middle, 0, state, legal, nullptr};
        state += state_words_;
        legal += move_words_;
    }
}

void Nursery::make(std::span<Node* const> nodes) {
    born_.clear();
    parents_.clear();
    joint_.clear();
    for (Node* node : nodes) {
        prepare(*node);
        const Family& family = *node->family;
        for (Node& child : node->family->nodes) {
            born_.push_back(&child);
            parents_.push_back(node->state);
            for (int r = 0; r < roles_; ++r)
                joint_.push_back(r == family.mover ? child.move : family.others[static_cast<std::size_t>(r)]);
        }
    }
    const auto lanes = static_cast<std::size_t>(machine_->lanes()), roles = static_cast<std::size_t>(roles_);
    for (std::size_t i = 0; i < born_.size(); i += lanes) {
        const std::size_t count = std::min(lanes, born_.size() - i);
        starts_.clear();
        for (std::size_t j = 0; j < count; ++j)
            starts_.push_back({static_cast<int>(j), parents_[i + j], &joint_[(i + j) * roles]});
        run(std::span(born_).subspan(i, count));
    }
}

// One load of the machine: node i in lane i.
void Nursery::run(std::span<Node* const> born) {
    machine_->load(starts_);
    machine_->evaluate();
    machine_->advance();
    machine_->evaluate();
    made_ += static_cast<std::int64_t>(born.size());
    lanes_.clear();
    over_.clear();
    for (int lane = 0; lane < std::ssize(born); ++lane) {
        lanes_.push_back(lane);
        if (is_set(machine_->parked(), lane)) over_.push_back(lane);
    }
    states_.resize(born.size() * static_cast<std::size_t>(state_words_));
    machine_->read_states(lanes_, states_.data());
    goals_.resize(over_.size() * static_cast<std::size_t>(roles_));
    if (!over_.empty()) machine_->read_goals(over_, goals_.data());
    legal_.resize(born.size() * static_cast<std::size_t>(move_words_));
    if (over_.size() < born.size()) machine_->read_legal(lanes_, legal_.data());
    std::size_t ended = 0;
    std::vector<int> known(static_cast<std::size_t>(roles_));
    const Word *state = states_.data(), *legal = legal_.data();
    for (std::size_t i = 0; i < born.size(); ++i, state += state_words_, legal += move_words_) {
        Node& node = *born[i];
        for (int w = 0; w < state_words_; ++w) node.state[w] = state[w];
        node.over = ended < over_.size() && over_[ended] == static_cast<int>(i);
        if (node.over) {
            read(node, &goals_[ended++ * static_cast<std::size_t>(roles_)]);
        } else {
            for (int w = 0; w < move_words_; ++w) node.legal[w] = legal[w];
            if (knowledge_ && knowledge_->find(node.state, known.data()) != Knowledge::nothing)
                read(node, known.data());
        }
    }
    if (evaluation_) evaluate(born);
}

// The guesses of states that have just been read.
void Nursery::evaluate(std::span<Node* const> born) {
    told_.resize(born.size() * static_cast<std::size_t>(roles_));
    features_.resize(born.size() * static_cast<std::size_t>(feature_words_));
    machine_->read_features(lanes_, features_.data());
    evaluation_->values(std::ssize(born), features_.data(), told_.data());
    for (std::size_t i = 0; i < born.size(); ++i) {
        const float* goals = &told_[i * static_cast<std::size_t>(roles_)];
        born[i]->guess = static_cast<Value>(roles_ == 1 ? 100 * goals[0] : 50 * (100 + goals[0] - goals[1]));
    }
}

// What the end of a game is worth: the first role's goal, or by how much it is ahead where the roles' goals do not
// make up 100.
void Nursery::read(Node& node, const int* goals) {
    const auto goal = [&](int role) { return goals[role] < 0 ? middle_goal : goals[role]; };
    const int value = roles_ == 1 ? 100 * goal(0) : 50 * (100 + goal(0) - goal(1));
    if (roles_ == 2 && goal(0) + goal(1) != 100) zero_sum_ = false;
    node.proven = {static_cast<Value>(value), static_cast<Value>(value)};
}

std::vector<int> first_steps(const std::vector<int>& line, int room, int roles) {
    const auto length =
        std::min(line.size(), static_cast<std::size_t>(std::max(room, 0)) * static_cast<std::size_t>(roles));
    return {line.begin(), line.begin() + static_cast<std::ptrdiff_t>(length)};
}

namespace {

RootMoves any_move(const Game& game, std::span<const Word> legal, int role) {
    RootMoves found{{}, 0};
    int first = 0;
    for (int r = 0; r < role; ++r) first += game.moves()[r];
    for (int m = 0; m < game.moves()[role]; ++m)
        if (is_set(legal, first + m)) found.moves.push_back({m, 0, std::numeric_limits<double>::quiet_NaN(), -1});
    return found;
}

}  // namespace

RootMoves root_moves(const Game& game, const Node& root, std::span<const Word> legal, int role,
                     std::span<const Opinion> opinions, int best) {
    if (role < 0 || role >= game.roles()) throw Error("there is no such role");
    RootMoves found{{}, -1};
    if (root.over) return found;
    const Family& family = *root.family;
    if (!family.searchable) return any_move(game, legal, role);
    if (role != family.mover) {
        const Value value = opinions[static_cast<std::size_t>(best)].value;
        found.moves.push_back({family.others[static_cast<std::size_t>(role)], 0, goal_at(value, role), -1});
        found.best = 0;
        return found;
    }
    for (const Opinion& o : opinions)
        found.moves.push_back({o.move, o.visits, goal_at(o.value, role), proven_goal(o.proven, role)});
    found.best = best;
    return found;
}

}  // namespace ludens::depth_first
