// Search guided by an evaluation, of any game: that of games by turns as long as one role chooses at the root, and from
// the first root on where several do, the one that plays such games too.
#include <memory>
#include <mutex>
#include <new>

#include "base/role_moves.hpp"
#include "guided/searches.hpp"
#include "search/search.hpp"
#include "search/sharing_costs.hpp"

namespace ludens::guided {

namespace {

class GuidedSearch final : public Search {
public:
    GuidedSearch(const Game& game, const SearchOptions& options)
        : game_(game), options_(options), inspector_(game.machine({.lanes = 64, .instruction_set = "", .seed = 0})),
          role_moves_(game.moves()) {
        joint_ = several_choose(game.initial().data());
        search_ = joint_ ? make_joint_search(game, options) : make_turn_search(game, options);
    }

    void set_root(const Word* state) override {
        const std::lock_guard alone(running_);
        const Word* root = state ? state : game_.initial().data();
        if (!search_ || (!joint_ && several_choose(root))) {
            const std::lock_guard quiet(reporting_);
            search_.reset();  // its memory first
            search_ = make_joint_search(game_, options_);
            joint_ = true;
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

    bool several_choose(const Word* state) {
        const Machine::Start start{0, state, nullptr};
        inspector_->look_at({&start, 1});
        if (is_set(inspector_->finished(), 0)) return false;
        legal_.resize(static_cast<std::size_t>(game_.move_words()));
        const int lane = 0;
        inspector_->read_legal({&lane, 1}, legal_.data());
        return role_moves_.chooser(legal_.data()) == JointChoice::several;
    }

    const Game& game_;
    const SearchOptions options_;
    const std::unique_ptr<Machine> inspector_;
    const RoleMoves role_moves_;
    std::vector<Word> legal_;
    std::mutex running_;
    mutable std::mutex reporting_;  // held while search_ is another
    std::unique_ptr<Search> search_;
    bool joint_ = false;
};

}  // namespace

}  // namespace ludens::guided

std::unique_ptr<ludens::Search> ludens::make_guided(const Game& game, const SearchOptions& options) {
    return std::make_unique<guided::GuidedSearch>(game, options);
}
