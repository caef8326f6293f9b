// How long a search of patterns looks for wins by threats at its root: for a tenth of what all its runs had there. Runs
// that are limited by time have it by the clock, so that a slow machine looks no longer than a quick one: each time twice
// as long as before, or as long as the run, and on from where it was, as far as its table remembers that. Others have it
// by the positions looked at, so that they can be repeated: anew once it has doubled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ludens::gomoku {

constexpr double most_threats = 8e6;  // positions of a search for wins by threats

class ThreatShare {
public:
    struct Allowance {
        std::int64_t positions;
        double seconds;  // 0: no limit
    };

    // Adds the limits of a run, 0 for none; returns what it may look for threats with; nothing: not at all.
    std::optional<Allowance> add_run(double seconds, std::int64_t playouts) {
        constexpr double share = 0.1, least_positions = 1e3;
        if (seconds > 0 && playouts == 0) {
            seconds_left_ += share * seconds;
            if (seconds_left_ < std::min(2 * last_seconds_, seconds)) return {};
            last_seconds_ = std::min(seconds_left_, seconds);
            seconds_left_ -= last_seconds_;
            return Allowance{static_cast<std::int64_t>(most_threats), last_seconds_};
        }
        const double more = playouts > 0 ? share * static_cast<double>(playouts) : most_threats;
        positions_ = std::clamp(positions_ + more, least_positions, most_threats);
        if (positions_ < 2 * last_positions_) return {};
        last_positions_ = positions_;
        return Allowance{static_cast<std::int64_t>(last_positions_), seconds};
    }

private:
    double seconds_left_ = 0, last_seconds_ = 0;  // of the share of all runs, and what the last search had
    double positions_ = 0, last_positions_ = 0;   // the share of all runs, and what the last search had
};

}  // namespace ludens::gomoku
