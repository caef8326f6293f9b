#include "alphabeta_family.hpp"

#include <algorithm>
#include <bit>

#include "search_random.hpp"

namespace ludens::alphabeta {

namespace {

constexpr int middle_goal = 50;  // of a role whose goal is not defined at the end

bool is_set(std::span<const Word> bits, int i) { return bits[static_cast<std::size_t>(i) / 64] >> (i % 64) & 1; }

}  // namespace

Nursery::Nursery(const Game& game, const SearchOptions& options)
    : game_(game),
      evaluation_(options.evaluation),
      knowledge_(options.knowledge),
      machine_(game.machine({.lanes = options.lanes, .instruction_set = "", .seed = 0})) {
    if (evaluation_ && (evaluation_->roles() != game.roles() || evaluation_->feature_words() != game.feature_words()))
        throw Error("the evaluation is of another game");
}

std::uint64_t Nursery::key(const Word* state) const {
    std::uint64_t key = 0;
    for (int w = 0; w < game_.state_words(); ++w) key = mix(key + state[w] + 0x9e3779b97f4a7c15u);
    return key;
}

Node Nursery::node(Word* state, Word* legal) {
    const Machine::Start start{0, state, nullptr};
    machine_->load({&start, 1});
    machine_->evaluate();
    Node node{-1, is_set(machine_->parked(), 0), {}, middle, key(state), state, legal, nullptr};
    const int lane = 0;
    std::vector<int> goals(static_cast<std::size_t>(game_.roles()));
    if (node.over) {
        machine_->read_goals({&lane, 1}, goals.data());
        read(node, goals.data());
    } else {
        machine_->read_legal({&lane, 1}, legal);
    }
    return node;
}

// How many moves a role has; they are appended to `out` if there is one.
int Nursery::moves_of(int role, const Node& node, std::vector<int>* out) const {
    int first = 0, count = 0;
    for (int r = 0; r < role; ++r) first += game_.moves()[r];
    const int last = first + game_.moves()[role];
    for (int w = first / 64; w * 64 < last; ++w) {
        Word bits = node.legal[w];
        if (w == first / 64) bits &= ~Word{0} << (first % 64);
        if (last - w * 64 < 64) bits &= ~(~Word{0} << (last % 64));
        count += std::popcount(bits);
        for (; out && bits; bits &= bits - 1) out->push_back(w * 64 + std::countr_zero(bits) - first);
    }
    return count;
}

int Nursery::choices(const Node& node) const {
    int most = 1;
    for (int r = 0; r < game_.roles(); ++r) most = std::max(most, moves_of(r, node, nullptr));
    return most;
}

// The family with its moves, but nothing known of its states.
void Nursery::prepare(Node& node) {
    node.family = std::make_unique<Family>();
    Family& family = *node.family;
    int choosing = 0;
    std::vector<int> moves, only;
    for (int r = 0; r < game_.roles(); ++r) {
        only.clear();
        const int count = moves_of(r, node, &only);
        family.others.push_back(only[0]);
        if (count > 1) ++choosing, family.mover = r, moves = only;
    }
    family.searchable = choosing <= 1;
    if (!family.searchable) return;
    if (moves.empty()) moves.push_back(family.others[0]);
    family.states.resize(moves.size() * static_cast<std::size_t>(game_.state_words()));
    family.legal.resize(moves.size() * static_cast<std::size_t>(game_.move_words()));
    for (const int move : moves) {
        const auto i = family.nodes.size();
        family.nodes.push_back({move, false, {}, middle, 0, &family.states[i * game_.state_words()],
                                &family.legal[i * game_.move_words()], nullptr});
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
            for (int r = 0; r < game_.roles(); ++r)
                joint_.push_back(r == family.mover ? child.move : family.others[r]);
        }
    }
    const auto lanes = static_cast<std::size_t>(machine_->lanes());
    for (std::size_t i = 0; i < born_.size(); i += lanes) {
        const std::size_t count = std::min(lanes, born_.size() - i);
        starts_.clear();
        for (std::size_t j = 0; j < count; ++j)
            starts_.push_back({static_cast<int>(j), parents_[i + j], &joint_[(i + j) * game_.roles()]});
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
    states_.resize(born.size() * static_cast<std::size_t>(game_.state_words()));
    machine_->read_states(lanes_, states_.data());
    goals_.resize(over_.size() * static_cast<std::size_t>(game_.roles()));
    if (!over_.empty()) machine_->read_goals(over_, goals_.data());
    legal_.resize(born.size() * static_cast<std::size_t>(game_.move_words()));
    if (over_.size() < born.size()) machine_->read_legal(lanes_, legal_.data());
    std::size_t ended = 0;
    std::vector<int> known;
    for (std::size_t i = 0; i < born.size(); ++i) {
        Node& node = *born[i];
        std::copy_n(&states_[i * game_.state_words()], game_.state_words(), node.state);
        node.key = key(node.state);
        node.over = ended < over_.size() && over_[ended] == static_cast<int>(i);
        if (node.over) {
            read(node, &goals_[ended++ * static_cast<std::size_t>(game_.roles())]);
        } else {
            std::copy_n(&legal_[i * game_.move_words()], game_.move_words(), node.legal);
            known.resize(static_cast<std::size_t>(game_.roles()));
            if (knowledge_ && knowledge_->find(node.state, known.data()) != Knowledge::nothing) read(node, known.data());
        }
    }
    if (evaluation_) evaluate(born);
}

// The guesses of states that have just been read.
void Nursery::evaluate(std::span<Node* const> born) {
    told_.resize(born.size() * static_cast<std::size_t>(game_.roles()));
    features_.resize(born.size() * static_cast<std::size_t>(game_.feature_words()));
    machine_->read_features(lanes_, features_.data());
    evaluation_->values(std::ssize(born), features_.data(), told_.data());
    for (std::size_t i = 0; i < born.size(); ++i) {
        const float* goals = &told_[i * static_cast<std::size_t>(game_.roles())];
        born[i]->guess = static_cast<Value>(game_.roles() == 1 ? 100 * goals[0] : 50 * (100 + goals[0] - goals[1]));
    }
}

// What the end of a game is worth: the first role's goal, or by how much it is ahead where the roles' goals do not
// make up 100.
void Nursery::read(Node& node, const int* goals) {
    const auto goal = [&](int role) { return goals[role] < 0 ? middle_goal : goals[role]; };
    const int value = game_.roles() == 1 ? 100 * goal(0) : 50 * (100 + goal(0) - goal(1));
    if (game_.roles() == 2 && goal(0) + goal(1) != 100) zero_sum_ = false;
    node.proven = {static_cast<Value>(value), static_cast<Value>(value)};
}

}  // namespace ludens::alphabeta
