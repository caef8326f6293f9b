// Puzzles: best-first search for one role that remembers every position it has seen.
//
// Positions are kept in layers by their number of moves from the root, and in each layer by priority. A sweep goes
// through the layers and opens the most promising positions of each (a beam search); the next sweep opens the next
// best, so nothing is pruned for good and an exhausted memory of positions is a proof (Zhang, "Complete anytime
// beam search", AAAI 1998). MoveStats is what random games earn, as in Cazenave, "Monte Carlo beam search" (2012),
// smoothed along the path; every other sweep plays no games, for puzzles where they tell nothing and only the
// number of positions counts. The moves of every random game are recorded, so the best game ever seen is a plan,
// which is kept and followed (Cazenave, "Nested Monte Carlo search", IJCAI 2009). When memory is full, all but the
// plan is forgotten and the search begins anew, in another random order.
// A run may end after any step of the machine; the next goes on there.
//
// With several threads each searches by itself, with its share of the memory; they share the best plan.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "base/random.hpp"
#include "base/simulator.hpp"
#include "base/threads.hpp"
#include "search/search.hpp"

namespace ludens {

namespace {

using Index = std::uint32_t;

constexpr int own_share = 2;                // of a position's priority one part in so many is its own games'
constexpr std::size_t opened_at_once = 64;  // positions a sweep opens in a layer

// ---- Memory --------------------------------------------------------------------------------------------------

struct Entry {
    Index parent;
    std::int32_t move;       // that led here
    std::int32_t root_move;  // the first on the way
    std::int32_t depth;
    std::uint8_t priority;  // 0 ... 100
};

// Positions seen, found by their state.
class Memory {
public:
    static constexpr Index none = ~Index{0};

    Memory(std::int64_t bytes, int state_words)
        : words_(static_cast<std::size_t>(state_words)), each_(bytes_each(state_words)),
          capacity_(std::min<std::size_t>(static_cast<std::size_t>(bytes) / each_, none - 1)),
          table_(std::bit_ceil(capacity_ * 2), none) {
        if (capacity_ < 64) throw Error("memory_bytes is too small for the positions of this game");
        states_.reserve(capacity_ * words_);
        entries_.reserve(capacity_);
    }

    // Of the state, the entry, two to four places in the table, and one in a list of the frontier.
    static std::size_t bytes_each(int state_words) {
        return static_cast<std::size_t>(state_words) * sizeof(Word) + sizeof(Entry) + 5 * sizeof(Index);
    }

    std::size_t size() const { return entries_.size(); }
    // Whether there is no room for one more beside so many bytes.
    bool full(std::size_t beside) const { return (entries_.size() + 1) * each_ + beside > capacity_ * each_; }
    Entry& operator[](Index i) { return entries_[i]; }
    const Word* state(Index i) const { return &states_[i * words_]; }

    // `none` if the state is known already. There must be room.
    Index add(const Word* state, const Entry& entry) {
        std::size_t at = hash_words({state, words_}) & (table_.size() - 1);
        for (; table_[at] != none; at = (at + 1) & (table_.size() - 1)) {
            if (std::memcmp(this->state(table_[at]), state, words_ * sizeof(Word)) == 0) return none;
        }
        const Index index = static_cast<Index>(entries_.size());
        table_[at] = index;
        states_.insert(states_.end(), state, state + words_);
        entries_.push_back(entry);
        return index;
    }

    void clear() {
        states_.clear();
        entries_.clear();
        std::fill(table_.begin(), table_.end(), none);
    }

private:
    const std::size_t words_, each_, capacity_;
    std::vector<Index> table_;
    std::vector<Word> states_;
    std::vector<Entry> entries_;
};

// The positions that are to be opened: a list for each layer and priority of which there are any.
class Frontier {
public:
    void add(Index index, int layer, int priority) {
        const std::pair key{layer, priority};
        if (last_ == lists_.end() || last_->first != key) last_ = lists_.try_emplace(key).first;
        last_->second.push_back(index);
    }

    void clear() {
        lists_.clear();
        last_ = lists_.end();
    }

    // Of the lists; the places in them are counted with the positions.
    std::size_t bytes() const { return lists_.size() * bytes_each; }

    // The first layer from this one on that has positions.
    std::optional<int> layer_from(int layer) const {
        const auto found = lists_.lower_bound({layer, 0});
        return found == lists_.end() ? std::nullopt : std::optional(found->first.first);
    }

    // Takes up to `most` of the most promising positions of a layer, at random among equal ones.
    std::vector<Index> take(int layer, std::size_t most, Random& random) {
        std::vector<Index> taken;
        last_ = lists_.end();
        const auto end = lists_.lower_bound({layer + 1, 0});
        while (taken.size() < most && end != lists_.begin()) {
            const auto best = std::prev(end);
            if (best->first.first != layer) break;
            take(best->second, most, random, taken);
            if (best->second.empty()) lists_.erase(best);
        }
        return taken;
    }

private:
    using Lists = std::map<std::pair<int, int>, std::vector<Index>>;

    static constexpr std::size_t bytes_each = 112;  // a node of the map, and the least that is allocated for a list

    static void take(std::vector<Index>& list, std::size_t most, Random& random, std::vector<Index>& taken) {
        for (; taken.size() < most && !list.empty(); list.pop_back()) {
            std::swap(list[random.below(static_cast<std::uint32_t>(list.size()))], list.back());
            taken.push_back(list.back());
        }
    }

    Lists lists_;
    Lists::iterator last_ = lists_.end();  // that was added to: often the next position goes there too
};

// ---- What threads share --------------------------------------------------------------------------------------

struct Plan {
    std::vector<int> moves;
    int goal = -1;
    bool cut = false;  // never comes back to a position
};

// What is known of a move of the root.
struct MoveStats {
    std::int64_t games = 0;
    int best = -1;  // goal
};

// Guarded by `lock`, but for the counters.
struct SharedResults {
    std::mutex lock;
    Plan plan;
    std::vector<MoveStats> move_stats;

    std::atomic<int> goal = -1;  // of the plan
    std::atomic<bool> exhausted = false;
    Limit limit;
    std::atomic<std::int64_t> playouts = 0, opened = 0, state_changes = 0, positions = 0, forgotten = 0;
    std::atomic<int> depth = 0;

    bool solved() const { return exhausted || goal == best_goal; }
    bool finished() const { return solved() || limit.reached(); }

    // What a game tells of the positions on its way, 0 ... 100: what it earned, or, as long as all games have earned
    // the same, how long it took to get stuck. Under `lock`.
    int score(int earned, int length) {
        least = std::min(least, earned);
        most = std::max(most, earned);
        longest = std::max(longest, length);
        return least < most ? std::max(earned, 0) : 100 * length / std::max(longest, 1);
    }
    int least = best_goal, most = -1, longest = 0;
};

// ---- One thread ----------------------------------------------------------------------------------------------

class BeamSearcher {
public:
    BeamSearcher(const Game& game, const SearchOptions& options, std::uint64_t seed, SharedResults& results)
        : game_(game), max_steps_(options.max_steps), results_(results),
          machine_(game.machine({.lanes = options.lanes, .instruction_set = "", .seed = seed})),
          lanes_(static_cast<std::size_t>(machine_->lanes())),
          memory_(options.memory_bytes / options.threads, game.state_words()), random_(seed), records_(lanes_) {}

    // `state` becomes the root, and all else is forgotten.
    void begin(const Word* state) {
        memory_.clear();
        frontier_.clear();
        next_ = 0;
        untried_ = trying_ = {};
        frontier_.add(memory_.add(state, {Memory::none, -1, -1, 0, 0}), 0, 0);
    }

    // Goes on where the last run was interrupted, by at least one step of the machine.
    void run() {
        do {
            if (trying_.empty() && !begin_round()) return;
            if (!play_on()) end_round();
        } while (!results_.finished());
    }

private:
    struct Child {
        Index parent;
        int move;
    };

    void restart() {
        const auto forgotten = static_cast<std::int64_t>(memory_.size()) - 1;  // all but the root
        results_.forgotten += forgotten;
        results_.positions -= forgotten;
        const std::vector<Word> root(memory_.state(0), memory_.state(0) + game_.state_words());
        begin(root.data());
    }

    // The next layer with positions, of this sweep or, at its end, of another one; none where there is nothing to open.
    std::optional<int> next_layer() {
        auto layer = frontier_.layer_from(next_);
        if (!layer) {
            plays_ = !plays_;
            layer = frontier_.layer_from(0);
        }
        return layer;
    }

    // Makes the next moves of the batch, one a lane. False when there is nothing left to open.
    bool begin_round() {
        while (untried_.empty()) {
            const auto layer = next_layer();
            if (!layer) {
                results_.exhausted = true;
                return false;
            }
            open(*layer);
            next_ = *layer + 1;
        }
        trying_ = untried_.first(std::min(lanes_, untried_.size()));
        untried_ = untried_.subspan(trying_.size());
        make_moves();
        return true;
    }

    // Takes positions of a layer; all their moves are a batch.
    void open(int layer) {
        const std::vector<Index> opened = frontier_.take(layer, std::min(opened_at_once, lanes_), random_);
        list_children(opened);
        untried_ = children_;
        results_.opened += static_cast<std::int64_t>(opened.size());
    }

    void list_children(const std::vector<Index>& opened) {
        starts_.clear();
        for (const Index index : opened) starts_.push_back({lane(starts_.size()), memory_.state(index), nullptr});
        machine_->look_at(starts_);
        lanes_read_.resize(opened.size());
        std::iota(lanes_read_.begin(), lanes_read_.end(), 0);
        const std::size_t words = static_cast<std::size_t>(game_.move_words());
        legal_.resize(opened.size() * words);
        machine_->read_legal(lanes_read_, legal_.data());
        children_.clear();
        for (std::size_t i = 0; i < opened.size(); ++i)
            each_bit(std::span(legal_).subspan(i * words, words),
                     [&](int move) { children_.push_back({opened[i], move}); });
    }

    void make_moves() {
        starts_.clear();
        for (const Child& child : trying_) {
            starts_.push_back({lane(starts_.size()), memory_.state(child.parent), &child.move});
        }
        machine_->follow(starts_);
        for (auto& record : records_) record.clear();
        ended_.clear();
        playing_.clear();
        for (int i = 0; i < lane(trying_.size()); ++i) {
            if (is_set(machine_->finished(), i)) ended_.push_back(i);
            else playing_.push_back(i);
        }
        alive_ = playing_;
        states_.resize(alive_.size() * static_cast<std::size_t>(game_.state_words()));
        machine_->read_states(alive_, states_.data());
        step_ = 1;
    }

    // The random games go on by a step, and are recorded. False when there is none to be made.
    bool play_on() {
        if (!plays_ || playing_.empty() || step_ >= max_steps_) return false;
        ++step_;
        machine_->advance();
        moves_.resize(playing_.size());
        machine_->read_moves(playing_, moves_.data());
        machine_->evaluate();
        std::size_t kept = 0;
        for (std::size_t i = 0; i < playing_.size(); ++i) {
            records_[static_cast<std::size_t>(playing_[i])].push_back(moves_[i]);
            if (is_set(machine_->finished(), playing_[i])) ended_.push_back(playing_[i]);
            else playing_[kept++] = playing_[i];
        }
        results_.state_changes += static_cast<std::int64_t>(playing_.size());
        playing_.resize(kept);
        return true;
    }

    // The positions after the moves whose game goes on and that are new are kept.
    void end_round() {
        read_ends(trying_);
        for (std::size_t i = 0; i < alive_.size(); ++i) {
            const Child& child = trying_[static_cast<std::size_t>(alive_[i])];
            keep(child, &states_[i * static_cast<std::size_t>(game_.state_words())],
                 score_of_[static_cast<std::size_t>(alive_[i])]);
        }
        results_.playouts += static_cast<std::int64_t>(trying_.size());
        results_.limit.finished += static_cast<std::int64_t>(trying_.size());
        trying_ = {};
        if (untried_.empty() && full()) restart();
    }

    // Reads what the games that have ended earned; a game that is stuck has earned nothing.
    void read_ends(std::span<const Child> children) {
        goals_.resize(ended_.size());
        machine_->read_goals(ended_, goals_.data());
        score_of_.assign(lanes_, -1);
        const std::lock_guard lock(results_.lock);
        for (std::size_t i = 0; i < ended_.size(); ++i) {
            const Child& child = children[static_cast<std::size_t>(ended_[i])];
            const std::size_t length =
                memory_[child.parent].depth + records_[static_cast<std::size_t>(ended_[i])].size();
            score_of_[static_cast<std::size_t>(ended_[i])] = results_.score(goals_[i], static_cast<int>(length));
            MoveStats& stats = results_.move_stats[static_cast<std::size_t>(root_move(child))];
            ++stats.games;
            stats.best = std::max(stats.best, goals_[i]);
            if (goals_[i] > results_.plan.goal)
                keep_plan(child, records_[static_cast<std::size_t>(ended_[i])], goals_[i]);
        }
    }

    void keep_plan(const Child& child, const std::vector<int>& after, int goal) {
        std::vector<int> moves{child.move};
        for (Index at = child.parent; memory_[at].parent != Memory::none; at = memory_[at].parent) {
            moves.push_back(memory_[at].move);
        }
        std::ranges::reverse(moves);
        moves.insert(moves.end(), after.begin(), after.end());
        results_.plan = {std::move(moves), goal};
        results_.goal = goal;
    }

    bool full() const { return memory_.full(frontier_.bytes()); }

    void keep(const Child& child, const Word* state, int score) {
        if (full()) return;
        const Entry& parent = memory_[child.parent];
        const int own = score < 0 ? parent.priority : score;
        const int priority = parent.priority + (own - parent.priority) / own_share;
        const int depth = parent.depth + 1;
        const Index index = memory_.add(
            state, {child.parent, child.move, root_move(child), depth, static_cast<std::uint8_t>(priority)});
        if (index == Memory::none) return;
        frontier_.add(index, depth, priority);
        ++results_.positions;
        if (depth > results_.depth) results_.depth = depth;
    }

    int root_move(const Child& child) {
        const Entry& parent = memory_[child.parent];
        return parent.parent == Memory::none ? child.move : parent.root_move;
    }

    static int lane(std::size_t number) { return static_cast<int>(number); }

    const Game& game_;
    const int max_steps_;
    SharedResults& results_;
    std::unique_ptr<Machine> machine_;
    const std::size_t lanes_;
    Memory memory_;
    Random random_;
    Frontier frontier_;
    int next_ = 0;       // layer of the sweep
    bool plays_ = true;  // this sweep plays random games

    // Of a batch, the moves of positions that were opened together.
    std::vector<Child> children_;
    std::span<const Child> untried_;

    // Of a round of the machine, with a child of the batch in each lane. It may be interrupted after any step.
    std::span<const Child> trying_;
    int step_ = 1;            // of the random games
    std::vector<int> alive_;  // lanes whose game went on after the child's move
    std::vector<Machine::Start> starts_;
    std::vector<int> lanes_read_, playing_, ended_, moves_, goals_;
    std::vector<int> score_of_;              // of each lane's game, -1: none
    std::vector<std::vector<int>> records_;  // moves of each lane's random game
    std::vector<Word> states_, legal_;
};

// ---- The search ----------------------------------------------------------------------------------------------

class PuzzleSearch final : public Search {
public:
    PuzzleSearch(const Game& game, const SearchOptions& options)
        : game_(game), options_(options), simulator_(game.machine({.lanes = 64, .instruction_set = "", .seed = 0})) {
        for (int i = 0; i < options.threads; ++i)
            searchers_.push_back(std::make_unique<BeamSearcher>(game, options, thread_seed(options.seed, i), results_));
        set_root(nullptr);
    }

    void set_root(const Word* state) override {
        const std::lock_guard idle(running_), quiet(results_.lock);
        const Word* given = state == nullptr ? game_.initial().data() : state;
        const std::vector<Word> root(given, given + game_.state_words());
        if (root == root_) return;
        follow(root);
        root_ = root;
        legal_ = legal_moves(root_);
        results_.move_stats.assign(static_cast<std::size_t>(game_.move_count()), {});
        for (const auto& searcher : searchers_) searcher->begin(root_.data());
        results_.positions = options_.threads;
    }

    void go_on(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        results_.limit.begin_unless_stopped(seconds, playouts);
        if (legal_.empty() || results_.solved()) return;
        run_in_threads(searchers_, results_.limit.stopped, [](BeamSearcher& searcher) { searcher.run(); });
        cut_cycles();
    }

    void stop() override { results_.limit.stopped = true; }
    void forget_stop() override { results_.limit.stopped = false; }

    void suggest(const std::vector<int>& moves) override {
        const std::lock_guard idle(running_), quiet(results_.lock);
        const int goal = goal_of(moves);
        if (goal <= results_.plan.goal) return;
        results_.plan = {moves, goal};
        results_.goal = goal;
    }

    SearchStats stats() const override {
        SearchStats stats{};
        stats.playouts = results_.playouts;
        stats.iterations = results_.opened;
        stats.state_changes = results_.state_changes + results_.playouts;
        stats.nodes = results_.positions;
        stats.recycled = results_.forgotten;
        stats.memory_bytes = options_.memory_bytes;
        stats.depth = results_.depth;
        stats.bytes_per_node = static_cast<int>(Memory::bytes_each(game_.state_words()));
        stats.solved = results_.solved();
        const std::lock_guard quiet(results_.lock);
        for (const MoveStats& each : results_.move_stats) stats.root_visits += each.games;
        return stats;
    }

    // A value is the best goal that was seen, not a mean.
    RootMoves root_moves(int) const override {
        const std::lock_guard quiet(results_.lock);
        const Plan& plan = results_.plan;
        RootMoves known{{}, -1};
        for (const int move : legal_) {
            const MoveStats& seen = results_.move_stats[static_cast<std::size_t>(move)];
            const bool planned = !plan.moves.empty() && plan.moves[0] == move;
            if (planned) known.best = static_cast<int>(known.moves.size());
            const double best = planned ? plan.goal : seen.best;
            known.moves.push_back({move, seen.games, best < 0 ? std::numeric_limits<double>::quiet_NaN() : best,
                                   planned && results_.solved() ? plan.goal : -1});
        }
        if (known.best < 0 && !known.moves.empty()) known.best = best_mean(known.moves);
        return known;
    }

    std::vector<int> expected_line(int room) const override {
        const std::lock_guard quiet(results_.lock);
        const auto& moves = results_.plan.moves;
        return {moves.begin(), moves.begin() + std::min<std::ptrdiff_t>(std::max(room, 0), std::ssize(moves))};
    }

private:
    // Keeps what is left of the plan if it led here, else forgets it.
    void follow(const std::vector<Word>& root) {
        auto& moves = results_.plan.moves;
        if (!moves.empty() && after(root_, moves[0]) == root) {
            moves.erase(moves.begin());
            return;
        }
        results_.plan = {};
        results_.goal = -1;
        results_.exhausted = false;
    }

    // Cuts out of a new plan what comes back to where it began: random games of puzzles without a counter go round in
    // circles. It takes a step of a machine for each move, and meanwhile reports do not wait.
    void cut_cycles() {
        Plan& plan = results_.plan;
        if (plan.cut) return;
        std::vector<int> kept = without_cycles(plan.moves);
        const std::lock_guard quiet(results_.lock);
        plan = {std::move(kept), plan.goal, true};
    }

    std::vector<int> without_cycles(const std::vector<int>& moves) {
        std::map<std::vector<Word>, std::size_t> met{{root_, 0}};
        std::vector<Word> state = root_;
        std::vector<int> kept;
        for (const int move : moves) {
            state = after(state, move);
            kept.push_back(move);
            const auto [known, fresh] = met.try_emplace(state, kept.size());
            if (fresh) continue;
            kept.resize(known->second);
            std::erase_if(met, [&](const auto& entry) { return entry.second > kept.size(); });
        }
        return kept;
    }

    std::vector<Word> after(const std::vector<Word>& state, int move) {
        std::vector<Word> next(state.size());
        simulator_.next(1, state.data(), &move, next.data());
        return next;
    }

    // The goal at the end of a line from the root; -1 where it is not legal or not the end.
    int goal_of(const std::vector<int>& moves) {
        std::vector<Word> state = root_;
        for (const int move : moves) {
            if (!std::ranges::binary_search(legal_moves(state), move)) return -1;
            state = after(state, move);
        }
        if (!legal_moves(state).empty()) return -1;
        int goal = -1;
        simulator_.inspect(1, state.data(), nullptr, nullptr, &goal);
        return goal;
    }

    // None where the game is over.
    std::vector<int> legal_moves(const std::vector<Word>& state) {
        std::vector<Word> legal(static_cast<std::size_t>(game_.move_words()));
        std::uint8_t over;
        simulator_.inspect(1, state.data(), legal.data(), &over, nullptr);
        std::vector<int> moves;
        if (!over) each_bit(legal, [&](int move) { moves.push_back(move); });
        return moves;
    }

    const Game& game_;
    const SearchOptions options_;
    Simulator simulator_;
    mutable SharedResults results_;
    std::vector<std::unique_ptr<BeamSearcher>> searchers_;
    std::vector<Word> root_;
    std::vector<int> legal_;
    std::mutex running_;
};

}  // namespace

std::unique_ptr<Search> make_puzzle(const Game& game, const SearchOptions& options) {
    return std::make_unique<PuzzleSearch>(game, options);
}

}  // namespace ludens
