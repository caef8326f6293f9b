// Alpha-beta with iterative deepening (Slate and Atkin, "Chess 4.5", 1977), null windows (Reinefeld, "An improvement to
// the Scout tree search algorithm", 1983) and a transposition table, for one role, or for two that take turns and whose
// goals have a constant sum.
//
// Beside its estimate every state has bounds that are proven: from ends of games they move up as minima and maxima,
// hold at every depth, and stay in the table. Where they meet the state is solved, if the rules prove that the goals of
// two make up 100 (base/goal_sums.hpp) or the win is a forced one, and the search is over when
// nothing that the root's other moves may still turn out to be is better than what its best is proven to be. As
// depth grows by one ply at a time a win is found the short way; of losses the one that took the deepest search is
// played.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>

#include "base/threads.hpp"
#include "depth_first/alphabeta_table.hpp"
#include "depth_first/root_search.hpp"

namespace ludens {

namespace {

using namespace alphabeta;
using namespace depth_first;

constexpr int deepest = 250;            // plies
constexpr int lanes_for_siblings = 16;  // one lane in so many: more are made for nothing, as most are cut off

// What is known of a move at the root.
struct Report {
    int move;
    std::int64_t visits;  // states below it that were looked at
    Value value;
    int depth;  // of the search that said so
    Bounds proven;
    bool only_bound = false;  // its value is no better than this, and may be worse

    Value estimate() const { return value; }
    const Bounds& bounds() const { return proven; }
};

class AlphaBetaSearch final : public RootSearch<Report> {
public:
    AlphaBetaSearch(const Game& game, const SearchOptions& options)
        : RootSearch(game), spare_bytes_(options.memory_bytes / 16),
          expander_(game, options, StateKey(game, {}), spare_bytes_), table_(options.memory_bytes - spare_bytes_) {
        history_.resize(static_cast<std::size_t>(game.move_count()));
        set_root(nullptr);
    }

    void set_root(const Word* state) override {
        const std::lock_guard idle(running_), quiet(reporting_);
        const Word* from = state ? state : game_.initial().data();
        take_root(std::vector<Word>(from, from + game_.state_words()));
        depth_ = 0;
        line_.clear();
        report_.clear();
        solved_ = root_.over;
        if (root_.over) return;
        for (Node& child : root_.children->nodes) report_.push_back({child.move, 0, estimate(child), 0, child.proven});
        read_root();
        update_solved();
    }

    void go_on(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        most_made_ = playouts ? expander_.made() + playouts : std::numeric_limits<std::int64_t>::max();
        deadline_ = Deadline(seconds);
        try {
            while (searchable() && !solved_ && depth_ < deepest) {
                deepen(depth_ + 1);
                const std::lock_guard quiet(reporting_);
                ++depth_;
            }
        } catch (const Interrupted&) {}
    }

    void stop() override { stopped_ = true; }
    void forget_stop() override { stopped_ = false; }

    SearchStats stats() const override {
        const std::lock_guard quiet(reporting_);
        return {.playouts = made_,
                .iterations = depth_,
                .state_changes = made_,
                .root_visits = root_visits(),
                .nodes = used_,
                .recycled = 0,
                .memory_bytes = table_.bytes() + spare_bytes_,
                .depth = depth_,
                .bytes_per_node = sizeof(Entry),
                .solved = solved_};
    }

private:
    // ---- Searching ----

    // One iteration. The moves are searched best first, so that what is known when it is cut short is of use.
    void deepen(int depth) {
        auto& nodes = root_.children->nodes;
        std::vector<std::size_t> order(nodes.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return better(report_[a], report_[b]); });
        const bool rises = root_.children->mover == 0;
        Value low = lowest, high = highest;
        for (std::size_t i = 0; i < order.size(); ++i) {
            Node& child = nodes[order[i]];
            const std::int64_t before = visits_;
            if (!child.proven.exact() && depth > 1) {
                expand_ahead(nodes, order, i);
            }
            Value value = search_in_window(child, depth - 1, low, high, i == 0, rises);
            expander_.recycle(std::move(child.children));
            const std::lock_guard quiet(reporting_);
            Report& r = report_[order[i]];
            r.visits += visits_ - before;
            r.only_bound = i > 0 && (rises ? value <= low : value >= high);
            if (!(r.proven.exact() && r.proven == child.proven)) r.depth = depth;
            r.value = child.proven.clamp(value);
            r.proven = child.proven;
            (rises ? low : high) = rises ? std::max(low, value) : std::min(high, value);
            made_ = expander_.made();
            used_ = table_.used();
            update_solved();
            if (solved_) break;
        }
        store_root(depth);
        update_line();
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
        if (!node.children) expand(node);
        if (!node.children->searchable) return estimate(node);
        return search_children(node, depth, low, high, known ? known->move : -1);
    }

    Value search_children(Node& node, int depth, Value low, Value high, int first_move) {
        ChildBatch& children = *node.children;
        expander_.compute_keys(children);
        const bool rises = children.mover == 0;
        const Value alpha = low, beta = high;
        const auto order = ordered(children, first_move);
        Value best = rises ? lowest : highest;
        int best_move = -1;
        for (std::size_t i = 0; i < order.size() && low < high; ++i) {
            Node& child = children.nodes[order[i]];
            if (depth > 1 && !child.children && !child.proven.exact()) expand_ahead(children.nodes, order, i);
            const Value value = search_in_window(child, depth - 1, low, high, i == 0, rises);
            expander_.recycle(std::move(child.children));
            if (best_move < 0 || (rises ? value > best : value < best)) {
                best = value;
                best_move = child.move;
            }
            (rises ? low : high) = rises ? std::max(low, best) : std::min(high, best);
        }
        if (low >= high && best_move >= 0) raise_history(children.mover, best_move, depth);
        node.proven.meet(bounds_of(children));
        best = node.proven.clamp(best);
        Bounds estimated;
        if (best > alpha) estimated.low = best;
        if (best < beta) estimated.high = best;
        table_.store({node.key, best_move, node.proven, estimated, static_cast<std::int16_t>(depth)});
        return best;
    }

    static Bounds bounds_of(const ChildBatch& children) {
        return best_of(children.nodes, &Node::proven, children.mover == 0);
    }

    // What a state is taken to be worth where the search ends.
    static Value estimate(const Node& node) { return node.proven.clamp(node.heuristic); }

    // The children in the order to search them in: the table's move, proven good ones, those that were good
    // elsewhere, and proven bad ones.
    std::vector<std::size_t> ordered(ChildBatch& children, int first_move) {
        std::vector<std::pair<std::int64_t, std::size_t>> scored;
        for (std::size_t i = 0; i < children.nodes.size(); ++i) {
            Node& child = children.nodes[i];
            if (!child.over)
                if (const Entry* known = table_.find(child.key)) child.proven.meet(known->proven);
            const int sign = children.mover == 0 ? 1 : -1;
            std::int64_t score = sign * (std::int64_t{child.proven.low} + child.proven.high - highest) << 32;
            if (child.move == first_move) score += std::int64_t{1} << 40;
            score += history_[history_of(children.mover, child.move)];
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
    void raise_history(int mover, int move, int depth) {
        std::uint32_t& score = history_[history_of(mover, move)];
        score += static_cast<std::uint32_t>(depth * depth);
        if (score >> 30)
            for (auto& s : history_) s /= 2;
    }

    // ---- States ----

    void expand(Node& node) {
        check_limit();
        Node* const one[] = {&node};
        expander_.expand(one);
    }

    // Makes the children of the i-th child in order, and those of the next few.
    void expand_ahead(std::vector<Node>& nodes, const std::vector<std::size_t>& order, std::size_t i) {
        check_limit();
        to_expand_.clear();
        for (int room = expander_.lanes() / lanes_for_siblings; i < order.size(); ++i) {
            Node& node = nodes[order[i]];
            if (node.children || node.over || node.proven.exact()) continue;
            room -= expander_.branching(node).moves;
            if (room < 0 && !to_expand_.empty()) break;
            to_expand_.push_back(&node);
        }
        expander_.expand(to_expand_);
    }

    void check_limit() const {
        if (stopped_.load(std::memory_order_relaxed) || expander_.made() >= most_made_ || deadline_.passed())
            throw Interrupted();
    }

    // ---- The root ----

    // Makes a state the root, with its children; where that fails the root is the one before.
    void take_root(std::vector<Word> state) {
        std::vector<Word> legal(static_cast<std::size_t>(game_.move_words()));
        Node made = expander_.root(state.data(), legal.data());
        if (!made.over) {
            expander_.expand(std::vector<Node*>{&made});
            expander_.compute_keys(*made.children);
        }
        root_state_ = std::move(state);
        root_legal_ = std::move(legal);
        root_ = std::move(made);
    }

    // Whether one report is better than another for who moves at the root: by value; of losses the one that is not
    // proven, or took longest to prove.
    bool better(const Report& a, const Report& b) const {
        const int sign = root_.children->mover == 0 ? 1 : -1;
        if (a.value != b.value) return sign * a.value > sign * b.value;
        const Value worst = sign > 0 ? lowest : highest;
        if (a.value == worst && a.proven.exact() != b.proven.exact()) return b.proven.exact();
        if (a.only_bound != b.only_bound) return b.only_bound;
        return a.value == worst && a.depth > b.depth;
    }

    const Node& root() const override { return root_; }

    const Report& best() const override {
        return *std::ranges::min_element(report_, [&](const Report& a, const Report& b) { return better(a, b); });
    }

    // What earlier searches have proven of the root's moves.
    void read_root() {
        for (std::size_t i = 0; i < report_.size(); ++i) {
            Node& child = root_.children->nodes[i];
            const Entry* known = child.over ? nullptr : table_.find(child.key);
            if (!known) continue;
            child.proven.meet(known->proven);
            report_[i].proven = child.proven;
            report_[i].value = estimate(child);
            report_[i].depth = known->depth;
        }
    }

    void store_root(int depth) {
        const Report& chosen = best();
        root_.proven.meet(bounds_of(*root_.children));
        table_.store(
            {root_.key, chosen.move, root_.proven, {chosen.value, chosen.value}, static_cast<std::int16_t>(depth)});
    }

    // The line of best moves, as far as the table knows it.
    void update_line() {
        int move = best().move;
        RootSearch::update_line(expander_, [&](const ChildBatch& children) -> std::pair<const Node*, bool> {
            const auto node = std::ranges::find(children.nodes, move, &Node::move);
            if (node == children.nodes.end()) return {};
            const Entry* known = node->over ? nullptr : table_.find(node->key);
            move = known ? known->move : -1;
            return {&*node, move >= 0};
        });
    }

    const std::int64_t spare_bytes_;
    ChildExpander expander_;
    Table table_;
    std::vector<std::uint32_t> history_;  // by move of either role
    std::vector<Node*> to_expand_;

    std::vector<Word> root_state_, root_legal_;
    Node root_{};
    int depth_ = 0;  // searched in full
    std::int64_t visits_ = 0, made_ = 0, used_ = 0;

    std::atomic<bool> stopped_ = false;
    std::int64_t most_made_ = 0;
    Deadline deadline_;
};

}  // namespace

std::unique_ptr<Search> make_alphabeta(const Game& game, const SearchOptions& options) {
    return std::make_unique<AlphaBetaSearch>(game, options);
}

}  // namespace ludens
