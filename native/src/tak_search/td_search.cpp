// The search `td`, for games of Tak on their own core: alpha-beta with iterative deepening (Slate and Atkin, "Chess 4.5",
// 1977), leaves judged by an evaluation fitted to games, or by a network trained by temporal differences.
//
// Threads search the same root on their own and share what they know through the table alone (lazy SMP); the first one
// reports. A run with a limit of playouts looks at that many positions in all, unless it finds out who wins before, or
// the first thread is done with its depth. With a fixed depth there is one iteration of that depth by one thread,
// which chooses what plain minimax does: the first of the best moves.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "search/search.hpp"
#include "tak/td_searcher.hpp"
#include "tak_search/road_wins.hpp"

namespace ludens {

namespace {

using tak::TakGame;
using tak::TdSearcher;

constexpr int deepest = 100;  // plies
constexpr int longest_line = 40;
constexpr float infinite = 10;

// What is known of a move at the root.
struct Report {
    int move;
    std::int64_t visits = 0;  // positions below it that were looked at
    float value = 0;
    bool only_bound = false;  // it may be worse than its value

    // The goal of who makes it; -1: unknown.
    int proven() const {
        if (value < -tak::least_win) return 0;
        return value > tak::least_win && !only_bound ? 100 : -1;
    }
    double goal() const { return 50 + 50 * static_cast<double>(std::clamp(value, -1.0f, 1.0f)); }
};

class TdSearch final : public Search {
public:
    TdSearch(const TakGame& game, const SearchOptions& options)
        : game_(game), fixed_depth_(options.depth),
          shared_(game, options.td_weights, options.memory_bytes - memory_for_roads(options), options.depth > 0),
          roads_(game, share_for_roads(options), memory_for_roads(options)) {
        const int threads = fixed_depth_ ? 1 : options.threads;
        for (int i = 0; i < threads; ++i) searchers_.push_back(tak::make_td_searcher(shared_));
        set_root(nullptr);
    }

    void set_root(const Word* state) override {
        const std::lock_guard idle(running_), quiet(reporting_);
        const std::span<const Word> words(state ? state : game_.initial().data(), game_.initial().size());
        for (auto& searcher : searchers_) searcher->set_root(words.data());
        roads_.set_root(words);
        shared_.table.begin_root();
        mover_ = first().ply() % 2;
        searched_before_ = first().positions();
        moves_ = first().moves();
        std::ranges::sort(moves_);
        report_.clear();
        for (const int move : moves_)
            if (first().first_like(move) == move) report_.push_back({move});
        line_.clear();
        best_ = report_.empty() ? -1 : 0;
        depth_ = 0;
        solved_ = report_.empty();
    }

    void go_on(double seconds, std::int64_t playouts) override {
        if (!(seconds >= 0) || playouts < 0) throw Error("a limit of a search must not be negative");
        const std::lock_guard alone(running_);
        if (done()) return;
        shared_.limit.begin_unless_stopped(seconds, playouts);
        for (auto& searcher : searchers_) searcher->begin_run();
        std::vector<int> places(searchers_.size());
        std::iota(places.begin(), places.end(), 0);
        std::vector<int*> workers;
        for (int& place : places) workers.push_back(&place);
        run_in_threads(workers, shared_.limit.stopped, [&](const int& place) {
            try {
                place == 0 ? search() : help(place);
            } catch (const Interrupted&) {}
            if (place == 0) shared_.limit.stopped = true;
        });
        const std::lock_guard quiet(reporting_);
        shared_.limit.finished = 0;
        positions_ = roads_.positions();
        for (const auto& searcher : searchers_) positions_ += searcher->positions();
        leave_lost_move();
    }

    void stop() override { shared_.limit.stopped = true; }
    void forget_stop() override { shared_.limit.stopped = false; }

    SearchStats stats() const override {
        const std::lock_guard quiet(reporting_);
        const std::int64_t looked_at = positions_ + shared_.limit.finished;
        std::int64_t visits = 0;
        for (const Report& r : report_) visits += r.visits;
        return {.playouts = looked_at,
                .iterations = depth_,
                .state_changes = looked_at,
                .root_visits = visits,
                .nodes = shared_.table.used(),
                .recycled = 0,
                .memory_bytes = shared_.table.bytes() + roads_.memory_bytes(),
                .depth = depth_,
                .bytes_per_node = tak::TdTable::bytes_per_entry,
                .solved = solved_};
    }

    RootMoves root_moves(int role) const override {
        if (role < 0 || role > 1) throw Error("there is no such role");
        const std::lock_guard quiet(reporting_);
        RootMoves found{{}, -1};
        if (report_.empty()) return found;
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        if (role != mover_) {
            const Report& best = report_[static_cast<std::size_t>(best_)];
            const int proven = solved_ ? 100 - best.proven() : -1;
            return {{{game_.waiting(), best.visits, best.visits ? 100 - best.goal() : unknown, proven}}, 0};
        }
        for (const int move : moves_) {
            const Report& r = report_[place_of(move)];
            found.moves.push_back({move, r.visits, r.visits ? r.goal() : unknown, r.visits ? r.proven() : -1});
        }
        const int best = report_[static_cast<std::size_t>(best_)].move;
        found.best = static_cast<int>(std::ranges::lower_bound(moves_, best) - moves_.begin());
        return found;
    }

    std::vector<int> expected_line(int room) const override {
        const std::lock_guard quiet(reporting_);
        std::vector<int> joint;
        int mover = mover_;
        for (std::size_t i = 0; i < line_.size() && static_cast<int>(i) < room; ++i, mover = 1 - mover) {
            joint.push_back(mover == 0 ? line_[i] : game_.waiting());
            joint.push_back(mover == 1 ? line_[i] : game_.waiting());
        }
        return joint;
    }

private:
    // A search to a fixed depth finds what is that deep, and no more.
    static double share_for_roads(const SearchOptions& options) { return options.depth > 0 ? 0 : options.solver_share; }
    static std::int64_t memory_for_roads(const SearchOptions& options) {
        constexpr std::int64_t part = 16, most = 64 << 20;
        return share_for_roads(options) > 0 ? std::min(options.memory_bytes / part, most) : 0;
    }

    TdSearcher& first() const { return *searchers_[0]; }
    bool done() const { return solved_ || depth_ >= (fixed_depth_ ? 1 : deepest); }

    // The moves of the root in the order of plain minimax, of those that are the same but for a turn or reflection one.
    static std::vector<int> different_moves(const TdSearcher& searcher) {
        std::vector<int> moves = searcher.moves();
        std::erase_if(moves, [&](int move) { return searcher.first_like(move) != move; });
        return moves;
    }
    // Where the report of a move, or of the one that it is the same as, stands.
    std::size_t place_of(int move) const {
        const auto place = std::ranges::lower_bound(report_, first().first_like(move), {}, &Report::move);
        return static_cast<std::size_t>(place - report_.begin());
    }

    // ---- The first thread ----

    void search() {
        std::vector<std::size_t> order;
        for (const int move : different_moves(first())) order.push_back(place_of(move));
        while (!done()) {
            if (!fixed_depth_) put_best_first(order);
            deepen(fixed_depth_ ? fixed_depth_ : depth_ + 1, order);
            const std::lock_guard quiet(reporting_);
            ++depth_;
        }
    }

    void put_best_first(std::vector<std::size_t>& order) const {
        const auto best = static_cast<std::size_t>(best_);
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            if (a == best || b == best) return a == best && b != best;
            return report_[a].value > report_[b].value;
        });
    }

    // One iteration. The best move of before is searched first, so that what is known when it is cut short is of use.
    void deepen(int depth, const std::vector<std::size_t>& order) {
        float low = -infinite;
        std::size_t leader = order.front();
        for (std::size_t rank = 0; rank < order.size(); ++rank) {
            const std::size_t i = order[rank];
            if (wins_by_road()) return;
            if (low < -tak::least_win) leave_lost_move_for(i);
            const std::int64_t before = first().positions();
            const int move = report_[i].move;
            const float value =
                value_of(first(), move, depth, low, fixed_depth_ ? 0 : tak::late_move_reduction(depth, rank));
            const bool better = value > low;
            const auto line = better ? first().line_from(move, longest_line) : std::vector<int>();
            const std::lock_guard quiet(reporting_);
            Report& r = report_[i];
            r.visits += first().positions() - before;
            r.value = value;
            r.only_bound = !better;
            if (!better) {
                if (r.proven() == 0 && best_ == static_cast<int>(i)) choose(leader);
                continue;
            }
            leader = i;
            low = value;
            best_ = static_cast<int>(i);
            line_ = line;
            solved_ = r.proven() == 100;
            if (solved_) return;
        }
        const std::lock_guard quiet(reporting_);
        solved_ = report_[static_cast<std::size_t>(best_)].proven() == 0;
    }

    // Whether there is a forced win at the root, which settles it. Nobody looks for one before there is any move to play.
    bool wins_by_road() {
        const int moves = depth_ > 0 ? roads_.wins(first().positions() - searched_before_, shared_.limit) : 0;
        if (moves == 0) return false;
        const std::lock_guard quiet(reporting_);
        const std::size_t place = place_of(roads_.move());
        Report& r = report_[place];
        ++r.visits;
        r.value = tak::win_at(first().ply() + 2 * moves - 1);
        r.only_bound = false;
        choose(place);
        return solved_ = true;
    }

    // Chooses a move of which it is not known that it loses instead of one that does.
    void leave_lost_move_for(std::size_t i) {
        const std::lock_guard quiet(reporting_);
        if (report_[static_cast<std::size_t>(best_)].proven() == 0) choose(i);
    }

    void choose(std::size_t i) {
        best_ = static_cast<int>(i);
        line_ = {report_[i].move};
    }

    // Where an iteration was cut short after its first moves were proven to lose: chooses one that is not.
    void leave_lost_move() {
        if (solved_ || report_[static_cast<std::size_t>(best_)].proven() != 0) return;
        choose(static_cast<std::size_t>(std::ranges::max_element(report_, {}, &Report::value) - report_.begin()));
    }

    // The value of a move, if it is more than `low`; else one that it is no better than, perhaps as a search that is
    // `less` plies less deep says.
    static float value_of(TdSearcher& searcher, int move, int depth, float low, int less) {
        if (low > -infinite) {
            if (less > 0) {
                const float value = searcher.value_after(move, depth - less, low, std::nextafter(low, infinite));
                if (value <= low) return value;
            }
            const float value = searcher.value_after(move, depth, low, std::nextafter(low, infinite));
            if (value <= low) return value;
        }
        return searcher.value_after(move, depth, low, infinite);
    }

    // ---- The others ----

    // Every second one is a ply ahead, and each begins with another move.
    void help(int place) {
        TdSearcher& searcher = *searchers_[static_cast<std::size_t>(place)];
        std::vector<int> moves = different_moves(searcher);
        std::ranges::rotate(moves, moves.begin() + place % static_cast<int>(moves.size()));
        for (int depth = 1 + place % 2; depth <= deepest; ++depth) {
            float low = -infinite;
            for (int& move : moves) {
                const float value = value_of(searcher, move, depth, low, 0);
                if (value <= low) continue;
                low = value;
                std::rotate(moves.data(), &move, &move + 1);
            }
        }
    }

    const TakGame& game_;
    const int fixed_depth_;  // 0: none
    tak::TdShared shared_;
    tak::RoadWins roads_;
    std::vector<std::unique_ptr<TdSearcher>> searchers_;  // one a thread
    std::vector<int> moves_;                              // of the root by number; none where the game is over
    std::vector<Report> report_;                          // of those that are different, by number
    std::vector<int> line_;
    int mover_ = 0, best_ = -1, depth_ = 0;  // iterations that are complete
    std::int64_t positions_ = 0;             // looked at before this run, by all threads
    std::int64_t searched_before_ = 0;       // of those, by the first thread's alpha-beta at other roots
    bool solved_ = false;
    std::mutex running_;            // held by run() and set_root(), before:
    mutable std::mutex reporting_;  // held while reporting and while what is reported changes
};

}  // namespace

std::unique_ptr<Search> make_td(const Game& game, const SearchOptions& options) {
    const auto* tak = dynamic_cast<const TakGame*>(&game);
    if (!tak) throw Error("the strategy 'td' plays Tak on its own game core only");
    return std::make_unique<TdSearch>(*tak, options);
}

}  // namespace ludens
