// Batches in the C API.
#include <algorithm>
#include <string>

#include "api/handles.hpp"
#include "base/batch.hpp"
#include "base/mask_choice.hpp"

using namespace ludens;
using namespace ludens::api;

struct ludens_batch {
    std::shared_ptr<const Game> game;
    std::unique_ptr<Batch> batch;
    std::vector<std::int64_t> wrong_rows;  // of the last step
};

namespace {

constexpr int most_roles = 128;  // the role to move may be a byte with a sign

// Throws Error unless `value` is from `least` to below `end`.
void check_range(std::int64_t value, std::int64_t least, std::int64_t end, const char* what) {
    if (value < least || value >= end) throw Error(std::string(what) + " is out of range");
}

BatchLayout layout_of(const Game& game, const ludens_batch_layout& from) {
    BatchLayout layout;
    if (game.roles() > most_roles) throw Error("a batch has room for " + std::to_string(most_roles) + " roles");
    check_range(from.actions, *std::ranges::max_element(game.moves()), std::int64_t{1} << 24, "the number of actions");
    layout.actions = from.actions;
    layout.joint = from.joint != 0;
    layout.by_turns = from.by_turns != 0;
    check_range(from.format, 0, 3, "format");
    constexpr BatchFormat formats[] = {BatchFormat::bytes, BatchFormat::bits, BatchFormat::slices};
    layout.format = formats[from.format];
    check_range(from.autoreset, 0, 3, "autoreset");
    constexpr Autoreset modes[] = {Autoreset::same_step, Autoreset::next_step, Autoreset::never};
    layout.autoreset = modes[from.autoreset];
    layout.columns = copy(from.column, from.columns);
    for (const int proposition : layout.columns) check_range(proposition, -1, game.state_bits(), "a column");
    check_count(from.fill_count, "fill_count");
    if (from.fill_count > 0 && layout.format != BatchFormat::bytes) throw Error("only bytes can have fills");
    for (int i = 0; i < from.fill_count; ++i) {
        const std::int32_t* const f = from.fills + i * 4;
        check_range(f[0], 0, from.columns, "the first byte of a fill");
        check_range(f[1], 0, from.columns - f[0] + 1, "the length of a fill");
        check_range(f[2], 0, game.state_bits(), "the proposition of a fill");
        check_range(f[3], 0, 256, "the value of a fill");
        layout.fills.push_back({f[0], f[1], f[2], f[3]});
    }
    layout.waiting = copy(from.waiting, game.move_words());
    return layout;
}

}  // namespace

int ludens_batch_new(const ludens_game* game, int64_t count, const ludens_batch_layout* layout, int32_t lanes,
                     const char* instruction_set, uint64_t seed, ludens_batch** out) {
    return guarded([&] {
        if (count < 1) throw Error("count must be at least 1");
        const MachineOptions options{lanes, instruction_set ? instruction_set : "", seed};
        *out = new ludens_batch{game->game, game->game->batch(count, options, layout_of(*game->game, *layout)), {}};
    });
}

void ludens_batch_free(ludens_batch* batch) { delete batch; }

void ludens_batch_shape(const ludens_batch* batch, int32_t* lanes, int32_t* slices) {
    const Batch::Shape shape = batch->batch->shape();
    *lanes = shape.lanes;
    *slices = shape.slices;
}

int ludens_batch_write_to(ludens_batch* batch, const ludens_batch_arrays* a) {
    return guarded([&] {
        batch->batch->write_to({a->observations, a->final_observations, a->states, a->legal, a->to_move, a->rewards,
                                a->done, a->played, a->slices});
    });
}

int ludens_batch_reset(ludens_batch* batch, const uint8_t* rows) {
    return guarded([&] { batch->batch->reset(rows); });
}

int ludens_batch_load(ludens_batch* batch, const uint64_t* states) {
    return guarded([&] { batch->batch->load(states); });
}

int ludens_batch_step(ludens_batch* batch, const void* actions, int32_t bytes) {
    constexpr int illegal = 2;
    const int status = guarded([&] {
        if (actions && bytes != 1 && bytes != 2 && bytes != 4) throw Error("actions of a size that there is not");
        batch->wrong_rows = batch->batch->step(actions, bytes);
    });
    return status == 0 && !batch->wrong_rows.empty() ? illegal : status;
}

int ludens_batch_step_one(ludens_batch* batch, int32_t action) {
    return ludens_batch_step(batch, &action, sizeof action);
}

int64_t ludens_batch_wrong_rows(const ludens_batch* batch, int64_t* rows) {
    if (rows) std::ranges::copy(batch->wrong_rows, rows);
    return static_cast<std::int64_t>(batch->wrong_rows.size());
}

int ludens_choose_columns(const uint8_t* masks, int64_t rows, int32_t columns, int32_t packed, uint64_t seed,
                          int32_t* chosen) {
    return guarded([&] {
        check_count(rows, "rows");
        check_count(columns, "columns");
        choose_columns(masks, rows, columns, packed != 0, seed, chosen);
    });
}
