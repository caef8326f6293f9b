// Search guided by an evaluation, of any game: that of games by turns as long as one role chooses at the root, and where
// several do, the one that plays such games too. It goes on with that one until nobody meets such a position soon any
// more, for the search of games by turns sees nothing beyond them.
#include <memory>
#include <mutex>
#include <new>

#include "base/role_moves.hpp"
#include "guided/searches.hpp"
#include "search/search.hpp"
#include "search/sharing_costs.hpp"

namespace ludens::guided {

namespace {

constexpr int lanes = 64;       // of the machine that looks at roots and plays random games
constexpr int soon_steps = 16;  // of these: about as deep as the search of games by turns goes where that matters

class GuidedSearch final : public Search {
public:
    GuidedSearch(const Game& game, const SearchOptions& options)
        : game_(game), options_(options), inspector_(game.machine({.lanes = lanes, .instruction_set = "", .seed = 0})),
          role_moves_(game.moves()) {
        look_at(game.initial().data(), 1);
        joint_ = has_joint_ = several_choose();
        search_ = joint_ ? make_joint_search(game, options) : make_turn_search(game, options);
    }

    void set_root(const Word* state) override {
        const std::lock_guard alone(running_);
        const Word* root = state ? state : game_.initial().data();
        if (const bool joint = needs_joint(root); !search_ || joint != joint_) {
            const std::lock_guard quiet(reporting_);
            search_.reset();  // its memory first
            search_ = joint ? make_joint_search(game_, options_) : make_turn_search(game_, options_, root);
            joint_ = joint;
        }
        search().set_root(root);
    }

    void go_on(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        search().go_on(seconds, playouts);
    }
    void stop() override {
        const std::lock_guard quiet(reporting_);
        if (search_) search_->stop();
    }
    void forget_stop() override {
        const std::lock_guard quiet(reporting_);
        if (search_) search_->forget_stop();
    }
    std::vector<Word> shared_stats(int most) const override {
        const std::lock_guard quiet(reporting_);
        return search().shared_stats(most);
    }
    void take_stats(int peer, std::span<const Word> words) override {
        const std::lock_guard quiet(reporting_);
        search().take_stats(peer, words);
    }
    SearchStats stats() const override {
        const std::lock_guard quiet(reporting_);
        return search().stats();
    }
    SharingCosts sharing_costs() const override {
        const std::lock_guard quiet(reporting_);
        return search().sharing_costs();
    }
    RootMoves root_moves(int role) const override {
        const std::lock_guard quiet(reporting_);
        return search().root_moves(role);
    }
    std::vector<int> expected_line(int room) const override {
        const std::lock_guard quiet(reporting_);
        return search().expected_line(room);
    }

private:
    // What searches; raises std::bad_alloc after there was no memory for it, until a root has been set.
    Search& search() const {
        if (!search_) throw std::bad_alloc();
        return *search_;
    }

    // Whether a search from this root meets positions in which several roles choose. Before the first such root nobody
    // asks what comes: most games have none.
    bool needs_joint(const Word* root) {
        look_at(root, 1);
        if (is_set(inspector_->finished(), 0)) return joint_;
        if (several_choose()) return has_joint_ = true;
        return has_joint_ && several_choose_soon(root);
    }

    // So many games of the inspector go on from that state.
    void look_at(const Word* state, int games) {
        starts_.clear();
        for (int lane = 0; lane < games; ++lane) starts_.push_back({lane, state, nullptr});
        inspector_->look_at(starts_);
    }

    bool several_choose_soon(const Word* root) {
        look_at(root, lanes);
        for (int step = 0; step < soon_steps; ++step) {
            inspector_->advance();
            inspector_->evaluate();
            if (several_choose()) return true;
        }
        return false;
    }

    // In any of the games that the inspector looked at last.
    bool several_choose() {
        const auto words = static_cast<std::size_t>(game_.move_words());
        playing_.clear();
        for (const Machine::Start& start : starts_)
            if (!is_set(inspector_->finished(), start.lane)) playing_.push_back(start.lane);
        legal_.resize(playing_.size() * words);
        inspector_->read_legal(playing_, legal_.data());
        for (std::size_t i = 0; i < playing_.size(); ++i)
            if (role_moves_.chooser(&legal_[i * words]) == JointChoice::several) return true;
        return false;
    }

    const Game& game_;
    const SearchOptions options_;
    const std::unique_ptr<Machine> inspector_;
    const RoleMoves role_moves_;
    std::vector<Machine::Start> starts_;
    std::vector<int> playing_;
    std::vector<Word> legal_;
    std::mutex running_;
    mutable std::mutex reporting_;  // held while search_ is another
    std::unique_ptr<Search> search_;
    bool joint_ = false;      // it is the one for several roles that choose at once
    bool has_joint_ = false;  // the game has such positions, as far as roots have shown
};

}  // namespace

}  // namespace ludens::guided

std::unique_ptr<ludens::Search> ludens::make_guided(const Game& game, const SearchOptions& options) {
    return std::make_unique<guided::GuidedSearch>(game, options);
}
