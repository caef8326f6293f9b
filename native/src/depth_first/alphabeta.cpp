// Alpha-beta with iterative deepening (Slate and Atkin, "Chess 4.5", 1977), null windows (Reinefeld, "An improvement
// to the Scout tree search algorithm", 1983) and a transposition table, for one role, or two that move in turn and
// of whom one loses what the other wins.
//
// Beside its estimate every state has bounds that are proven: from ends of games they move up as minima and maxima,
// hold at every depth, and stay in the table. Where they meet the state is solved, and the search is over when
// nothing that the root's other moves may still turn out to be is better than what its best is proven to be. As
// depth grows by one ply at a time a win is found the short way; of losses the one that took the deepest search is
// played.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <ranges>

#include "base/threads.hpp"
#include "depth_first/alphabeta_table.hpp"
#include "depth_first/child_expander.hpp"
#include "search/search.hpp"

namespace ludens {

namespace {

using namespace alphabeta;
using namespace depth_first;

constexpr int deepest = 250;            // plies
constexpr int lanes_for_siblings = 16;  // one lane in so many: more are made for nothing, as most are cut off

struct Interrupted {};

class AlphaBeta final : public Search {
public:
    AlphaBeta(const Game& game, const SearchOptions& options)
        : game_(game), nursery_(game, options, StateKey(game, {})), table_(options.memory_bytes) {
        history_.resize(static_cast<std::size_t>(game.move_count()));
        set_root(nullptr);
    }

    void set_root(const Word* state) override {
        const std::lock_guard idle(running_), quiet(reporting_);
        const Word* from = state ? state : game_.initial().data();
        root_state_.assign(from, from + game_.state_words());
        root_legal_.resize(static_cast<std::size_t>(game_.move_words()));
        root_ = nursery_.node(root_state_.data(), root_legal_.data());
        depth_ = 0;
        line_.clear();
        report_.clear();
        solved_ = root_.over;
        if (root_.over) return;
        nursery_.make(std::vector<Node*>{&root_});
        nursery_.tell_keys(*root_.family);
        clear_ = root_.family->searchable;
        for (Node& child : root_.family->nodes) report_.push_back({child.move, 0, estimate(child), 0, child.proven});
        zero_sum_ = nursery_.zero_sum();
        recall_root();
        judge();
    }

    void run(double seconds, std::int64_t playouts) override {
        if (!(seconds >= 0) || playouts < 0) throw Error("a search cannot run for less than nothing");
        const std::lock_guard alone(running_);
        stopped_ = false;
        most_made_ = playouts ? nursery_.made() + playouts : std::numeric_limits<std::int64_t>::max();
        deadline_ = Deadline(seconds);
        try {
            while (!root_.over && clear_ && !solved_ && depth_ < deepest) {
                deepen(depth_ + 1);
                const std::lock_guard quiet(reporting_);
                ++depth_;
            }
        } catch (const Interrupted&) {}
    }

    void stop() override { stopped_ = true; }

    SearchStats stats() const override {
        const std::lock_guard quiet(reporting_);
        SearchStats stats{};
        stats.playouts = stats.state_changes = made_;
        stats.iterations = depth_;
        for (const Report& r : report_) stats.root_visits += r.visits;
        stats.nodes = used_;
        stats.memory_bytes = table_.bytes();
        stats.depth = depth_;
        stats.bytes_per_node = sizeof(Entry);
        stats.solved = solved_;
        return stats;
    }

    RootMoves root_moves(int role) const override {
        const std::lock_guard quiet(reporting_);
        std::vector<Opinion> opinions;
        for (const Report& r : report_)
            opinions.push_back({r.move, r.visits, r.value, zero_sum_ ? r.proven : Bounds{}});
        return depth_first::root_moves(game_, root_, root_legal_, role, opinions, report_.empty() ? -1 : chosen());
    }

    std::vector<int> expected_line(int room) const override {
        const std::lock_guard quiet(reporting_);
        return first_steps(line_, room, game_.roles());
    }

private:
    // What is known of a move at the root.
    struct Report {
        int move;
        std::int64_t visits;  // states below it that were looked at
        Value value;
        int depth;  // of the search that said so
        Bounds proven;
        bool doubtful = false;  // its value is no better than this, and may be worse
    };

    // ---- Searching ----

    // One iteration. The moves are searched best first, so that what is known when it is cut short is of use.
    void deepen(int depth) {
        auto& nodes = root_.family->nodes;
        std::vector<std::size_t> order(nodes.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return better(report_[a], report_[b]); });
        const bool rises = root_.family->mover == 0;
        Value low = lowest, high = highest;
        for (std::size_t i = 0; i < order.size(); ++i) {
            Node& child = nodes[order[i]];
            const std::int64_t before = visits_;
            if (!child.proven.exact() && depth > 1) {
                prefetch(nodes, order, i);
            }
            Value value = search_in_window(child, depth - 1, low, high, i == 0, rises);
            nursery_.recycle(std::move(child.family));
            const std::lock_guard quiet(reporting_);
            Report& r = report_[order[i]];
            r.visits += visits_ - before;
            r.doubtful = i > 0 && (rises ? value <= low : value >= high);
            if (!(r.proven.exact() && r.proven == child.proven)) r.depth = depth;
            r.value = child.proven.clamp(value);
            r.proven = child.proven;
            (rises ? low : high) = rises ? std::max(low, value) : std::min(high, value);
            made_ = nursery_.made(), used_ = table_.used(), zero_sum_ = nursery_.zero_sum();
            judge();
            if (solved_) break;
        }
        remember_root(depth);
        note_line();
    }

    // The first move with the whole window, others with an empty one and again if they turn out better.
    Value search_in_window(Node& node, int depth, Value low, Value high, bool first, bool rises) {
        if (first || high - low <= 1) return search(node, depth, low, high);
        const Value value = rises ? search(node, depth, low, static_cast<Value>(low + 1))
                                  : search(node, depth, static_cast<Value>(high - 1), high);
        const bool better = rises ? value > low : value < high;
        const bool inside = value > low && value < high;
        return better && inside ? search(node, depth, low, high) : value;
    }

    // The value of a node, right if it lies between low and high, else a bound; its proven bounds may get narrower.
    Value search(Node& node, int depth, Value low, Value high) {
        ++visits_;
        const Entry* known = nullptr;
        if (!node.proven.exact()) known = table_.find(node.key);
        if (known) node.proven.meet(known->proven);
        if (node.proven.exact() || node.proven.low >= high) return node.proven.low;
        if (node.proven.high <= low) return node.proven.high;
        if (known && known->depth >= depth) {
            if (known->estimated.low >= high || known->estimated.exact())
                return node.proven.clamp(known->estimated.low);
            if (known->estimated.high <= low) return node.proven.clamp(known->estimated.high);
        }
        if (depth <= 0) return estimate(node);
        if (!node.family) make(node);
        if (!node.family->searchable) return estimate(node);
        return search_children(node, depth, low, high, known ? known->move : -1);
    }

    Value search_children(Node& node, int depth, Value low, Value high, int first_move) {
        Family& family = *node.family;
        nursery_.tell_keys(family);
        const bool rises = family.mover == 0;
        const Value alpha = low, beta = high;
        const auto order = promising(family, first_move);
        Value best = rises ? lowest : highest;
        int best_move = -1;
        for (std::size_t i = 0; i < order.size() && low < high; ++i) {
            Node& child = family.nodes[order[i]];
            if (depth > 1 && !child.family && !child.proven.exact()) prefetch(family.nodes, order, i);
            const Value value = search_in_window(child, depth - 1, low, high, i == 0, rises);
            nursery_.recycle(std::move(child.family));
            if (best_move < 0 || (rises ? value > best : value < best)) best = value, best_move = child.move;
            (rises ? low : high) = rises ? std::max(low, best) : std::min(high, best);
        }
        if (low >= high && best_move >= 0) credit(family.mover, best_move, depth);
        node.proven.meet(bounds_of(family));
        best = node.proven.clamp(best);
        Bounds estimated;
        if (best > alpha) estimated.low = best;
        if (best < beta) estimated.high = best;
        table_.store({node.key, best_move, node.proven, estimated, static_cast<std::int16_t>(depth)});
        return best;
    }

    static Bounds bounds_of(const Family& family) { return best_of(family.nodes, &Node::proven, family.mover == 0); }

    // What a state is taken to be worth where the search ends.
    static Value estimate(const Node& node) { return node.proven.clamp(node.guess); }

    // The children in the order to search them in: the table's move, proven good ones, those that were good
    // elsewhere, and proven bad ones.
    std::vector<std::size_t> promising(Family& family, int first_move) {
        std::vector<std::pair<std::int64_t, std::size_t>> scored;
        for (std::size_t i = 0; i < family.nodes.size(); ++i) {
            Node& child = family.nodes[i];
            if (!child.over)
                if (const Entry* known = table_.find(child.key)) child.proven.meet(known->proven);
            const int sign = family.mover == 0 ? 1 : -1;
            std::int64_t score = sign * (std::int64_t{child.proven.low} + child.proven.high - highest) << 32;
            if (child.move == first_move) score += std::int64_t{1} << 40;
            score += history_[history_of(family.mover, child.move)];
            scored.push_back({-score, i});
        }
        std::ranges::sort(scored);
        std::vector<std::size_t> order;
        for (const auto& [score, i] : scored) order.push_back(i);
        return order;
    }

    std::size_t history_of(int mover, int move) const {
        return static_cast<std::size_t>(move + (mover == 0 ? 0 : game_.moves()[0]));
    }

    // History heuristic (Schaeffer, 1983).
    void credit(int mover, int move, int depth) {
        std::uint32_t& score = history_[history_of(mover, move)];
        score += static_cast<std::uint32_t>(depth * depth);
        if (score >> 30)
            for (auto& s : history_) s /= 2;
    }

    // ---- States ----

    void make(Node& node) {
        check_limit();
        Node* const one[] = {&node};
        nursery_.make(one);
    }

    // Makes the family of the i-th child in order, and those of the next few.
    void prefetch(std::vector<Node>& nodes, const std::vector<std::size_t>& order, std::size_t i) {
        check_limit();
        wanted_.clear();
        for (int room = nursery_.lanes() / lanes_for_siblings; i < order.size(); ++i) {
            Node& node = nodes[order[i]];
            if (node.family || node.over || node.proven.exact()) continue;
            room -= nursery_.choice(node).moves;
            if (room < 0 && !wanted_.empty()) break;
            wanted_.push_back(&node);
        }
        nursery_.make(wanted_);
    }

    void check_limit() const {
        if (stopped_.load(std::memory_order_relaxed) || nursery_.made() >= most_made_ || deadline_.passed())
            throw Interrupted();
    }

    // ---- The root ----

    // Whether one report is better than another for who moves at the root: by value; of losses the one that is not
    // proven, or took longest to prove.
    bool better(const Report& a, const Report& b) const {
        const int sign = root_.family->mover == 0 ? 1 : -1;
        if (a.value != b.value) return sign * a.value > sign * b.value;
        const Value worst = sign > 0 ? lowest : highest;
        if (a.value == worst && a.proven.exact() != b.proven.exact()) return b.proven.exact();
        if (a.doubtful != b.doubtful) return b.doubtful;
        return a.value == worst && a.depth > b.depth;
    }

    const Report& best() const {
        return *std::ranges::min_element(report_, [&](const Report& a, const Report& b) { return better(a, b); });
    }

    int chosen() const { return static_cast<int>(&best() - report_.data()); }

    // Whether what to play is proven: all moves lead to the same, or one is proven to be as good as any can be.
    void judge() {
        if (!clear_ || !zero_sum_) return void(solved_ = root_.over);
        solved_ = settles(best().proven, report_, &Report::proven, root_.family->mover == 0);
    }

    // What earlier searches have proven of the root's moves.
    void recall_root() {
        for (std::size_t i = 0; i < report_.size(); ++i) {
            Node& child = root_.family->nodes[i];
            const Entry* known = child.over ? nullptr : table_.find(child.key);
            if (!known) continue;
            child.proven.meet(known->proven);
            report_[i].proven = child.proven;
            report_[i].value = estimate(child);
            report_[i].depth = known->depth;
        }
    }

    void remember_root(int depth) {
        const Report& chosen = best();
        root_.proven.meet(bounds_of(*root_.family));
        table_.store(
            {root_.key, chosen.move, root_.proven, {chosen.value, chosen.value}, static_cast<std::int16_t>(depth)});
    }

    // The line of best moves, as far as the table knows it.
    void note_line() {
        std::vector<int> line;
        std::vector<std::unique_ptr<Family>> families;
        int move = best().move;
        const Family* family = root_.family.get();
        while (family->searchable && move >= 0 &&
               line.size() < longest_line * static_cast<std::size_t>(game_.roles())) {
            for (int r = 0; r < game_.roles(); ++r) line.push_back(r == family->mover ? move : family->others[r]);
            const auto child = std::ranges::find(family->nodes, move, &Node::move);
            const Entry* known = child->over ? nullptr : table_.find(child->key);
            if (!known || known->move < 0) break;
            move = known->move;
            family = families.emplace_back(nursery_.family_of(*child)).get();
            if (std::ranges::find(family->nodes, move, &Node::move) == family->nodes.end()) break;
        }
        const std::lock_guard quiet(reporting_);
        line_ = std::move(line);
    }

    const Game& game_;
    Nursery nursery_;
    Table table_;
    std::vector<std::uint32_t> history_;  // by move of either role
    std::vector<Node*> wanted_;

    std::vector<Word> root_state_, root_legal_;
    Node root_{};
    bool clear_ = false;  // one role at most chooses at the root
    std::vector<Report> report_;
    std::vector<int> line_;
    bool solved_ = false, zero_sum_ = true;
    int depth_ = 0;  // searched in full
    std::int64_t visits_ = 0, made_ = 0, used_ = 0;

    std::atomic<bool> stopped_ = false;
    std::int64_t most_made_ = 0;
    Deadline deadline_;
    std::mutex running_;            // held by run() and set_root(), before:
    mutable std::mutex reporting_;  // held while reporting and while what is reported changes
};

}  // namespace

std::unique_ptr<Search> make_alphabeta(const Game& game, const SearchOptions& options) {
    return std::make_unique<AlphaBeta>(game, options);
}

}  // namespace ludens
