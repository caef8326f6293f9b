// How long a search of patterns looks for wins by threats at its root: for a share of what all its runs had there, anew
// once that has doubled. Runs that are limited by time have it by the clock, so that a slow machine looks no longer than
// a quick one; others by the positions looked at, so that they can be repeated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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
        constexpr double share = 0.1, least_threats = 1e3;
        if (seconds > 0 && playouts == 0) {
            if (!seconds_.grown_by(share * seconds, 0, std::numeric_limits<double>::max())) return {};
            return Allowance{static_cast<std::int64_t>(most_threats), std::min(seconds_.asked, seconds)};
        }
        const double more = playouts > 0 ? share * static_cast<double>(playouts) : most_threats;
        if (!positions_.grown_by(more, least_threats, most_threats)) return {};
        return Allowance{static_cast<std::int64_t>(positions_.asked), seconds};
    }

private:
    // By all runs, and by the last search.
    struct Total {
        double allowed = 0, asked = 0;

        bool grown_by(double more, double least, double most) {
            allowed = std::clamp(allowed + more, least, most);
            if (allowed < 2 * asked) return false;
            asked = allowed;
            return true;
        }
    };

    Total seconds_, positions_;
};

}  // namespace ludens::gomoku
