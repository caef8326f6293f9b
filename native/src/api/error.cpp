// Messages of errors, and checks that all functions of the C API share.
#include <string>

#include "api/handles.hpp"

namespace {

thread_local std::string last_error;

}  // namespace

const char* ludens_error() { return last_error.c_str(); }

namespace ludens::api {

void set_error(const char* message) noexcept try { last_error = message; } catch (...) {
    last_error.clear();  // no memory for the message
}

void check_count(std::int64_t count, const char* what) {
    if (count < 0) throw Error(std::string(what) + " must not be negative");
}

void check_limits(double seconds, std::int32_t max_steps) {
    if (!(seconds >= 0)) throw Error("seconds must not be negative");
    if (max_steps < 1) throw Error("max_steps must be at least 1");
}

}  // namespace ludens::api
