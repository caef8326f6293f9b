// What the files of the C API share: the handles that several of them use, the border where exceptions become statuses,
// and how arrays come in.
//
// Each file of this folder holds the functions of one section of ludens.h. They check what comes in, and call the
// classes.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "base/knowledge.hpp"
#include "base/machine.hpp"
#include "base/symmetries.hpp"
#include "evaluation/evaluation.hpp"

// Games, evaluations and knowledge are shared, so that handles may be freed in any order.
struct ludens_game {
    std::shared_ptr<const ludens::Game> game;
};
struct ludens_evaluation {
    std::shared_ptr<const ludens::Evaluation> evaluation;
};
struct ludens_knowledge {
    std::shared_ptr<const ludens::Knowledge> knowledge;
    std::shared_ptr<const ludens::Game> game;
};

namespace ludens::api {

inline thread_local std::string last_error;  // what ludens_error() returns in this thread

// Runs the work of a function of the API, and returns its status: 0, or 1 if it threw.
template <class Work> int guarded(Work work) noexcept {
    try {
        work();
        return 0;
    } catch (const std::bad_alloc&) {
        last_error = "out of memory";
    } catch (const std::exception& error) {
        last_error = error.what();
    } catch (...) {
        last_error = "unknown native error";
    }
    return 1;
}

// Copies an array of `count` elements.
template <class T> std::vector<T> copy(const T* from, std::int64_t count) {
    if (count < 0) throw Error("a negative number of elements");
    return {from, from + count};
}

// Copies symmetries [count][state_bits] of a game.
inline Symmetries symmetries_of(const Game& game, std::int64_t count, const std::int32_t* rows) {
    Symmetries symmetries;
    for (const int bits = game.state_bits(); count > 0; --count, rows += bits)
        symmetries.emplace_back(rows, rows + bits);
    return symmetries;
}

// Throws Error if `count`, named `what`, is negative.
inline void check_count(std::int64_t count, const char* what) {
    if (count < 0) throw Error(std::string(what) + " must not be negative");
}
// Throws Error if a game cannot last that many steps at most, or take that many seconds.
inline void check_limits(double seconds, std::int32_t max_steps) {
    if (!(seconds >= 0)) throw Error("seconds must not be negative");
    if (max_steps < 1) throw Error("max_steps must be at least 1");
}

}  // namespace ludens::api
