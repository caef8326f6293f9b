#include "base/batch.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"

namespace ludens {
namespace {

template <class T> T* at(T* array, std::int64_t row, std::size_t width) {
    return array ? array + static_cast<std::size_t>(row) * width : nullptr;
}

}  // namespace

Batch::Batch(const Game& game, std::int64_t count, const MachineOptions& options, StepLayout layout,
             Autoreset autoreset)
    : game_(game), count_(count), layout_(std::make_unique<StepLayout>(std::move(layout))), autoreset_(autoreset) {
    for (std::int64_t first = 0; first < count;) {
        MachineOptions own = options;
        own.seed = mix(options.seed + golden_ratio * static_cast<std::uint64_t>(blocks_.size() + 1));
        Block block{game.machine(own), nullptr, first, {}, {}, {}, {}};
        block.stepper = block.machine->stepper();
        if (!block.stepper) throw Error("games of this kind cannot be stepped side by side: only networks can");
        const int lanes = block.machine->lanes();
        block.lanes.resize(static_cast<std::size_t>(std::min<std::int64_t>(lanes, count - first)));
        std::iota(block.lanes.begin(), block.lanes.end(), 0);
        block.used.assign(static_cast<std::size_t>(words_for(lanes)), 0);
        block.over = block.waiting = block.used;
        for (const int lane : block.lanes) set_bit(block.used.data(), lane);
        block.stepper->prepare(*layout_, static_cast<int>(block.lanes.size()));
        block.stepper->begin(block.used, game.initial().data());
        note_over(block);
        first += lanes;
        blocks_.push_back(std::move(block));
    }
}

void Batch::reset(const std::uint8_t* rows) {
    const auto roles = static_cast<std::size_t>(game_.roles());
    for (Block& block : blocks_) {
        std::vector<Word> anew(block.used.size(), 0);
        for (const int lane : block.lanes) {
            const std::int64_t row = block.first + lane;
            if (rows && !rows[row]) continue;
            set_bit(anew.data(), lane);
            if (arrays_.done) arrays_.done[row] = 0;
            if (arrays_.rewards) std::fill_n(at(arrays_.rewards, row, roles), roles, 0.0f);
        }
        block.stepper->begin(anew, game_.initial().data());
        note_over(block);
        write(block);
    }
}

void Batch::load(const Word* states) {
    std::vector<Machine::Start> starts;
    for (Block& block : blocks_) {
        starts.clear();
        for (const int lane : block.lanes)
            starts.push_back({lane, at(states, block.first + lane, static_cast<std::size_t>(game_.state_words())), {}});
        block.machine->load(starts);
        block.stepper->begin(std::vector<Word>(block.used.size(), 0), game_.initial().data());
        note_over(block);
        const auto rows = static_cast<std::ptrdiff_t>(block.lanes.size());
        if (arrays_.rewards)
            std::fill_n(at(arrays_.rewards, block.first, static_cast<std::size_t>(game_.roles())), rows * game_.roles(),
                        0.0f);
        for (const int lane : block.lanes)
            if (arrays_.done) arrays_.done[block.first + lane] = is_set(block.over, lane);
        write(block);
    }
}

std::vector<std::int64_t> Batch::step(const std::int32_t* actions) {
    std::vector<std::int64_t> wrong;
    const std::size_t width = layout_->joint ? static_cast<std::size_t>(game_.roles()) : 1;
    for (Block& block : blocks_) {
        std::vector<Word> set(block.used.size(), 0);
        std::ranges::fill(block.waiting, 0);
        if (actions) block.stepper->propose(at(actions, block.first, width), set.data(), block.waiting.data());
        // A game that has ended and does not begin anew has no moves.
        if (actions && autoreset_ == Autoreset::never)
            each_bit(block.over, [&](int lane) {
                const std::int32_t* const row = at(actions, block.first + lane, width);
                if (std::any_of(row, row + width, [](int action) { return action >= 0; })) set_bit(set.data(), lane);
            });
        each_bit(set, [&](int lane) { wrong.push_back(block.first + lane); });
    }
    if (wrong.empty())
        for (Block& block : blocks_) {
            if (!actions) block.stepper->propose_random();
            play(block);
        }
    return wrong;
}

void Batch::play(Block& block) {
    const auto roles = static_cast<std::size_t>(game_.roles());
    std::vector<Word> anew(block.used.size(), 0);
    if (autoreset_ == Autoreset::next_step)
        for (std::size_t w = 0; w < anew.size(); ++w) anew[w] = block.over[w] & ~block.waiting[w];
    block.stepper->commit(anew, game_.initial().data());
    if (arrays_.played) block.stepper->write_played(at(arrays_.played, block.first, roles));
    const auto rows = block.lanes.size();
    if (arrays_.rewards) std::fill_n(at(arrays_.rewards, block.first, roles), rows * roles, 0.0f);
    if (arrays_.done) std::fill_n(arrays_.done + block.first, rows, 0);
    const std::vector<Word> before = block.over;
    note_over(block);
    std::vector<Word> ended(block.over);
    for (std::size_t w = 0; w < ended.size(); ++w) ended[w] &= ~(before[w] & ~anew[w]);
    each_bit(before, [&](int lane) {
        if (arrays_.done && !is_set(anew, lane)) arrays_.done[block.first + lane] = 1;
    });
    if (std::ranges::any_of(ended, [](Word word) { return word != 0; })) {
        write_ends(block, ended);
        if (autoreset_ == Autoreset::same_step) {
            block.stepper->begin(ended, game_.initial().data());
            note_over(block);
        }
    }
    write(block);
}

void Batch::write_ends(Block& block, std::span<const Word> ended) {
    const auto roles = static_cast<std::size_t>(game_.roles());
    const std::size_t width = layout_->columns.size();
    ended_.clear();
    each_bit(ended, [&](int lane) { ended_.push_back(lane); });
    goals_.resize(ended_.size() * roles);
    block.machine->read_goals(ended_, goals_.data());
    if (arrays_.final_observations) {
        observations_.resize(block.lanes.size() * width);
        block.stepper->write(observations_.data(), nullptr, nullptr);
    }
    for (std::size_t i = 0; i < ended_.size(); ++i) {
        const std::int64_t row = block.first + ended_[i];
        if (arrays_.done) arrays_.done[row] = 1;
        for (std::size_t r = 0; arrays_.rewards && r < roles; ++r) {
            const int goal = goals_[i * roles + r];
            at(arrays_.rewards, row, roles)[r] =
                static_cast<float>((goal < 0 ? middle_goal : goal) - middle_goal) / middle_goal;
        }
        if (arrays_.final_observations)
            std::copy_n(at(observations_.data(), ended_[i], width), width, at(arrays_.final_observations, row, width));
    }
}

void Batch::write(Block& block) {
    const std::size_t legal =
        static_cast<std::size_t>(layout_->actions) * (layout_->joint ? static_cast<std::size_t>(game_.roles()) : 1);
    block.stepper->write(at(arrays_.observations, block.first, layout_->columns.size()),
                         at(arrays_.legal, block.first, legal), at(arrays_.to_move, block.first, 1));
    if (arrays_.states)
        block.machine->read_states(block.lanes,
                                   at(arrays_.states, block.first, static_cast<std::size_t>(game_.state_words())));
}

void Batch::note_over(Block& block) {
    const auto finished = block.machine->finished();
    for (std::size_t w = 0; w < block.over.size(); ++w) block.over[w] = finished[w] & block.used[w];
}

}  // namespace ludens
