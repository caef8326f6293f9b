// Search guided by an evaluation, of any game: that of games by turns as long as one role chooses at the root, and where
// several do, the one that plays such games too. It goes on with that one until nobody meets such a position soon any
// more, for the search of games by turns sees nothing beyond them.
#include <memory>
#include <mutex>
#include <new>

#include "base/choice_probe.hpp"
#include "guided/searches.hpp"
#include "search/search.hpp"
#include "search/sharing_costs.hpp"

namespace ludens::guided {

namespace {

// Of random games: about as deep as the search of games by turns goes where that matters.
constexpr int soon_steps = 16;

class GuidedSearch final : public Search {
public:
    GuidedSearch(const Game& game, const SearchOptions& options) : game_(game), options_(options), probe_(game) {
        joint_ = has_joint_ = probe_.several_choose(game.initial().data());
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
        if (probe_.over(root)) return joint_;
        if (probe_.several_choose(root)) return has_joint_ = true;
        return has_joint_ && probe_.several_choose_soon(root, soon_steps);
    }

    const Game& game_;
    const SearchOptions options_;
    ChoiceProbe probe_;
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
