#include "guided/searched_play.hpp"

#include <algorithm>

#include "base/threads.hpp"

namespace ludens::guided {

namespace {

constexpr std::int64_t memory_bytes = 64 << 20;
constexpr double exploration = 0.4;         // as players have
constexpr int lanes = 64;                   // of the machine that reads positions, mostly one at a time
constexpr std::size_t read_at_once = 1024;  // positions of trees

SearchOptions search_options(const std::shared_ptr<const Evaluation>& evaluation, std::uint64_t seed) {
    return {.strategy = "guided",
            .threads = 1,
            .lanes = 0,
            .memory_bytes = memory_bytes,
            .exploration = exploration,
            .playouts_per_leaf = 1,
            .expand_after = 1,
            .max_steps = 1,
            .seed = seed,
            .evaluation = evaluation,
            .knowledge = nullptr};
}

}  // namespace

SearchedPlay::SearchedPlay(const Game& game, const SelfPlayOptions& options, SearchEffort effort)
    : game_(game), options_(options), effort_(effort), expander_(game, lanes), random_(options.seed),
      words_(static_cast<std::size_t>(game.state_words())), roles_(static_cast<std::size_t>(game.roles())) {
    playing_ = begun_game(game_, options_.random_moves, random_);
}

TrainingSamples SearchedPlay::play(const std::shared_ptr<const Evaluation>& evaluation, std::int64_t states,
                                   double seconds) {
    evaluation->check_fits(game_);
    search_ = make_turn_search(game_, search_options(evaluation, options_.seed));
    const Deadline deadline(seconds);
    samples_ = {};
    const std::int64_t before = states_, others = steps_ + expander_.state_changes();
    while (states_ < before + states && !deadline.passed()) {
        ++steps_;
        move();
        if (playing_.over) playing_ = begun_game(game_, options_.random_moves, random_);
        // Steps count too, since where all is proven no states are made any more.
        states_ = before + search_->stats().state_changes + expander_.state_changes() + steps_ - others;
    }
    search_.reset();
    add_known();
    return std::move(samples_);
}

// One move of the game.
void SearchedPlay::move() {
    const Transition transition{playing_.state.data(), playing_.moves.empty() ? nullptr : playing_.moves.data()};
    expander_.read({&transition, 1}, position_);
    if (position_.positions[0].over) return finish(position_.goals.data());
    if (playing_.steps == options_.max_steps) return finish(nullptr);
    playing_.state = position_.states;
    const int chooser = expander_.role_moves().chooser(position_.legal.data());
    if (playing_.steps < playing_.opening || chooser == JointChoice::several)
        draw_moves(expander_.role_moves(), position_.legal.data(), random_, playing_.moves);
    else search();
    ++playing_.steps;
}

// Searches the position, keeps what was found out, and chooses a move.
void SearchedPlay::search() {
    std::vector<float> values(roles_);
    search_->set_root(playing_.state.data());
    if (search_->read_root(values.data())) {
        known_.put(playing_.state, values);
        return finish(values.data());
    }
    search_->run(0, effort_.leaves);
    search_->read_visited(static_cast<std::uint32_t>(effort_.learned_visits), known_);
    ++searched_;
    const bool proven = search_->read_root(values.data());
    playing_.features.insert(playing_.features.end(), position_.features.begin(), position_.features.end());
    playing_.values.insert(playing_.values.end(), values.begin(), values.end());
    if (proven) finish(values.data());
    else choose();
}

void SearchedPlay::choose() {
    playing_.moves.clear();
    for (int role = 0; role < game_.roles(); ++role) {
        const RootMoves known = search_->root_moves(role);
        if (known.moves.empty()) {
            playing_.moves.push_back(-1);
            continue;
        }
        worth_.clear();
        for (const RootMove& move : known.moves) worth_.push_back(static_cast<float>(move.value));
        playing_.moves.push_back(known.moves[draw_softmax(worth_, options_.temperature, random_)].move);
    }
}

// Null: the game was cut.
void SearchedPlay::finish(const float* goals) {
    playing_.over = true;
    ++samples_.games;
    add_returns(playing_, roles_, goals, options_.lambda, samples_);
}

// Adds the positions that searches have visited or proven to the samples.
void SearchedPlay::add_known() {
    for (std::size_t first = 0; first < known_.count(); first += read_at_once) {
        transitions_.clear();
        for (std::size_t i = first; i < std::min(known_.count(), first + read_at_once); ++i)
            transitions_.push_back({&known_.states()[i * words_], nullptr});
        expander_.read(transitions_, position_);
        samples_.features.insert(samples_.features.end(), position_.features.begin(), position_.features.end());
    }
    samples_.targets.insert(samples_.targets.end(), known_.values().begin(), known_.values().end());
    samples_.count += static_cast<std::int64_t>(known_.count());
    known_ = {};
}

}  // namespace ludens::guided
