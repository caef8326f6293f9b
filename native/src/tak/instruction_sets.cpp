// The instruction sets for which Tak is compiled, and which of them this process may use.
#include "base/instruction_set.hpp"

#include "base/compiled_sets.hpp"
#include "tak/game.hpp"
#include "tak/td_searcher.hpp"
#include "tak/td_training.hpp"
#include "tak/tinue.hpp"

namespace ludens::tak {

// tak/machine.cpp and tak/single_positions.cpp define these for each instruction set.
using Maker = std::unique_ptr<Machine>(const TakGame&, const char* instruction_set, int lanes, std::uint64_t seed);
using RankLister = std::vector<int>(const TakGame&, const Word* state);
using Perft = std::int64_t(const TakGame&, const Word* state, int depth, bool count_ended);
using TrainingMaker = std::unique_ptr<TdTraining>(const TdOptions&, std::span<const float> weights);
using SearcherMaker = std::unique_ptr<TdSearcher>(TdShared&);
using TinueMaker = std::unique_ptr<TinueSearch>(const TakGame&, std::int64_t bytes);
using Estimator = float(const TakGame&, const Word* state, std::span<std::int32_t> terms);
// clang-format off
#define DECLARE(set) namespace set { Maker make; RankLister list_by_rank; Perft perft; TrainingMaker make_training; \
                                     SearcherMaker make_searcher; TinueMaker make_tinue; Estimator estimate; }
LUDENS_COMPILED_SETS(DECLARE)
// clang-format on

namespace {

constexpr int most_lanes = 1 << 14;

// More lanes play more games at once where a vector has many; a search is told of the first game sooner with few.
constexpr int default_lanes(int size) { return size <= 4 ? 512 : 64; }

struct Functions {
    Maker* make;
    RankLister* list_by_rank;
    Perft* perft;
    TrainingMaker* make_training;
    SearcherMaker* make_searcher;
    TinueMaker* make_tinue;
    Estimator* estimate;
};

const CompiledSet<Functions>& functions_for(const std::string& name) {
    static const auto sets = [] {
        std::vector<CompiledSet<Functions>> found;
#define ADD(set)                                                                                            \
    if (may_use_on_bytes(InstructionSet::set))                                                              \
        found.push_back({#set,                                                                              \
                         {set::make, set::list_by_rank, set::perft, set::make_training, set::make_searcher, \
                          set::make_tinue, set::estimate}});
        LUDENS_COMPILED_SETS(ADD)
        return found;
    }();
    return compiled_set(sets, name, "Tak");
}

}  // namespace

std::unique_ptr<Machine> TakGame::machine(const MachineOptions& options) const {
    const int lanes = checked_lanes(options.lanes, default_lanes(rules_.size), most_lanes);
    const auto& set = functions_for(options.instruction_set);
    return set.functions.make(*this, set.name, lanes, options.seed);
}

std::vector<int> moves_by_rank(const TakGame& game, const Word* state, const std::string& isa) {
    return functions_for(isa).functions.list_by_rank(game, state);
}

std::int64_t perft(const TakGame& game, const Word* state, int depth, bool count_ended, const std::string& isa) {
    if (depth < 0) throw Error("depth must not be negative");
    return functions_for(isa).functions.perft(game, state, depth, count_ended);
}

std::unique_ptr<TdTraining> make_td_training(const TdOptions& options, std::span<const float> weights,
                                             const std::string& isa) {
    const auto fail = [](const char* why) { throw Error(std::string("training: ") + why); };
    check(options.rules);
    if (weights.size() != static_cast<std::size_t>(td_weight_count(options.rules.size)))
        fail("the weights are those of a board of another size");
    if (options.games < 1 || options.side_by_side < 1) fail("there must be a game at least");
    if (options.random_plies < 2 || options.most_plies <= options.random_plies || options.most_plies > 4096)
        fail("a game begins with two random moves at least, goes on, and ends after 4,096 moves at most");
    if (options.side_by_side > 1 << 16) fail("there are 65,536 games side by side at most");
    if (!(options.trace >= 0 && options.trace <= 1)) fail("the trace must be from 0 to 1");
    if (!(options.rate >= 0 && options.rate <= 1 && options.end_rate >= 0 && options.end_rate <= 1))
        fail("rates of learning must be from 0 to 1");
    if (options.symmetries != 1 && options.symmetries != 8) fail("there are 1 or 8 symmetries");
    return functions_for(isa).functions.make_training(options, weights);
}

float estimate(const TakGame& game, const Word* state, std::span<std::int32_t> terms) {
    return functions_for({}).functions.estimate(game, state, terms);
}

std::unique_ptr<TdSearcher> make_td_searcher(TdShared& shared) {
    if (!shared.weights.empty() &&
        shared.weights.size() != static_cast<std::size_t>(td_weight_count(shared.game.rules().size)))
        throw Error("the weights are those of a board of another size");
    return functions_for({}).functions.make_searcher(shared);
}

std::unique_ptr<TinueSearch> make_tinue_search(const TakGame& game, std::int64_t bytes) {
    return functions_for({}).functions.make_tinue(game, bytes);
}

}  // namespace ludens::tak
