#include "search/shared_stats.hpp"

#include <bit>
#include <cmath>

namespace ludens {

namespace {

constexpr Word format = 1;
constexpr std::size_t head_words = 2, node_words = 2, edge_words = 3;
constexpr std::int64_t most_visits = std::int64_t{1} << 48;

void require(bool holds) {
    if (!holds) throw Error("these words are no statistics of a search of this game");
}

EdgeStats read_edge(std::span<const Word> words, int moves) {
    EdgeStats edge{.move = static_cast<int>(words[0] >> 32)};
    edge.distance = static_cast<std::uint16_t>(words[0] >> 16);
    edge.lower = static_cast<std::uint8_t>(words[0] >> 8);
    edge.upper = static_cast<std::uint8_t>(words[0]);
    edge.visits = static_cast<std::int64_t>(words[1]);
    edge.goals = std::bit_cast<double>(words[2]);
    require(words[0] >> 32 < static_cast<Word>(moves) && edge.lower <= edge.upper && edge.upper <= best_goal);
    require(edge.visits >= 0 && edge.visits <= most_visits);
    require(edge.goals >= 0 && edge.goals <= static_cast<double>(best_goal * edge.visits));  // not NaN
    return edge;
}

}  // namespace

std::vector<Word> StatsSnapshot::words() const {
    std::vector<Word> words{format, static_cast<Word>(sums)};
    words.reserve(head_words + nodes_.size() * node_words + edges_.size() * edge_words);
    for (const std::uint64_t node : nodes_) {
        const std::span<const EdgeStats> edges = of(node);
        words.push_back(node);
        words.push_back(edges.size());
        for (const EdgeStats& edge : edges) {
            words.push_back(Word{static_cast<std::uint32_t>(edge.move)} << 32 | Word{edge.distance} << 16 |
                            Word{edge.lower} << 8 | edge.upper);
            words.push_back(static_cast<Word>(edge.visits));
            words.push_back(std::bit_cast<Word>(edge.goals));
        }
    }
    return words;
}

StatsSnapshot StatsSnapshot::from_words(std::span<const Word> words, const Game& game) {
    StatsSnapshot snapshot;
    if (words.empty()) return snapshot;
    require(words.size() >= head_words && words[0] == format && words[1] <= static_cast<Word>(SumReliance::refuted));
    snapshot.sums = static_cast<SumReliance>(words[1]);
    const int moves = std::ranges::max(game.moves());
    for (words = words.subspan(head_words); !words.empty();) {
        require(words.size() >= node_words && snapshot.of(words[0]).empty());
        const std::uint64_t node = words[0];
        const Word edges = words[1];
        words = words.subspan(node_words);
        require(edges <= words.size() / edge_words);
        std::vector<EdgeStats>& list = snapshot.begin(node);
        for (Word i = 0; i < edges; ++i, words = words.subspan(edge_words)) list.push_back(read_edge(words, moves));
        snapshot.end(node);
    }
    return snapshot;
}

}  // namespace ludens
