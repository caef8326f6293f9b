// The search of tak/tinue.hpp. Included after a target is switched on.
//
// Positions are those in which nobody has a road. Where it is the attacker's turn, they cannot complete one at once: an
// answer that lets them is never searched further.

template <int N> class TinueSearchOf final : public TinueSearch {
public:
    using Board = Geometry<N>;

    TinueSearchOf(const TakGame& game, std::int64_t bytes) : game_(game), table_(bytes) {}

    Verdict search(const Word* state, std::span<const int> made, const Extent& most, Limit* limit) override {
        if (most.moves < 1 || most.moves > most_tinue_moves) throw Error("tak: a win has from 1 to 100 moves");
        root_ = decode<N>(state);
        for (const int number : made) {
            if (!root_.allows(number)) throw Error("tak: a move is not legal");
            root_.play(number);
        }
        move_ = -1;
        moves_ = 0;
        begin(most.positions, limit);
        if (root_.opening() || root_.outcome(game_.rules()) != Outcome::open) return Verdict::none;
        attacker_ = root_.turn();
        if (const int road = Roads<N>::move(root_, attacker_); road >= 0) return won(road, 1);
        const Verdict verdict = deepen(most.moves);
        if (limit) limit->give_back(granted_);
        return verdict;
    }

    int move() const override { return move_; }
    int moves() const override { return moves_; }
    std::int64_t positions() const override { return positions_; }
    std::int64_t memory_bytes() const override { return table_.bytes(); }

    std::vector<int> proof(std::size_t most, Limit* limit) override {
        if (move_ < 0) throw Error("tak: there is no win to be told");
        begin(std::numeric_limits<std::int64_t>::max(), limit);
        std::vector<int> numbers;
        try {
            write(root_, moves_, numbers, most);
        } catch (const Ended&) {
            throw Error("tak: the win was not told to its end, as the limit was reached");
        }
        return numbers;
    }

private:
    // Thrown where there have been too many positions, or the limit is reached.
    struct Ended {};

    // What it still takes for who is to move to have their way, and for the other.
    struct Effort {
        std::uint32_t mine, others;
    };

    struct Child {
        int number;
        TinueEntry known;
        std::uint32_t mine, others;  // as seen by who is to move there
    };

    static constexpr std::uint32_t never = 1u << 30;
    static constexpr Effort no_more{never, never};

    Verdict deepen(int most_moves) {
        try {
            for (int moves = 2; moves <= most_moves; ++moves) {
                const TinueEntry found = look(root_, key(root_), moves, no_more, 0);
                if (found.won) return won(found.move, found.won);
                if (found.failed == TinueEntry::ever) break;
            }
        } catch (const Ended&) {
            return Verdict::unknown;
        }
        return Verdict::none;
    }

    Verdict won(int move, int moves) {
        move_ = move;
        moves_ = moves;
        return Verdict::won;
    }

    void begin(std::int64_t positions, Limit* limit) {
        positions_ = granted_ = 0;
        most_positions_ = positions;
        limit_ = limit;
    }

    Word key(const Position<N>& p) const {
        const Word ply = game_.rules().ply_limit > 0 ? static_cast<Word>(p.ply) : static_cast<Word>(p.turn());
        Word rest = ply << 1 | static_cast<Word>(attacker_);
        for (const Reserve& left : p.reserve) rest = rest << 16 | static_cast<Word>(left.flats << 8 | left.capstones);
        return key_of(p, rest);
    }

    // ---- Proof numbers -----------------------------------------------------------------------------------------------

    // Searches a position with so many moves of the attacker left until it is settled, or proof takes `most` on a side.
    TinueEntry look(const Position<N>& p, Word key, int moves, Effort most, std::size_t ply) {
        TinueEntry entry = table_.find(key);
        const bool attacking = p.turn() == attacker_;
        if (is_settled(entry, moves)) return entry;
        const std::int64_t before = positions_;
        if (children_.size() <= ply) children_.resize(ply + 1);
        std::vector<Child>& children = children_[ply];
        if (attacking) list_threats(p, moves, children);
        else if (!list_answers(p, moves, children)) entry.failed = TinueEntry::ever;
        while (!is_settled(entry, moves)) {
            const auto [sum, best, second] = summary(children);
            const std::uint32_t mine = best ? best->others : never;
            entry.mine = mine;
            entry.others = sum;
            entry.moves = static_cast<std::uint8_t>(moves);
            if (mine == 0 || sum == 0) {
                settle(entry, children, attacking);
                break;
            }
            if (mine >= most.mine || sum >= most.others) break;
            const Effort next{most.others - (sum - best->mine), std::min(most.mine, second + second / 4 + 1)};
            Position<N> child = p;
            child.play(best->number);
            best->known = look(child, best->known.key, attacking ? moves - 1 : moves, next, ply + 1);
            judge(*best, attacking ? moves - 1 : moves, !attacking, best->mine, best->others);
        }
        entry.effort = static_cast<std::uint8_t>(1 + std::bit_width(static_cast<Word>(positions_ - before)));
        table_.store(entry);
        return entry;
    }

    static bool is_settled(const TinueEntry& entry, int moves) {
        return (entry.won && entry.won <= moves) || entry.failed >= moves;
    }

    struct Summary {
        std::uint32_t sum;     // of what they take for who is to move there; `never` is for settled positions alone
        Child* best;           // that takes least for who chooses it; null: there are none
        std::uint32_t second;  // what the next one takes
    };
    static Summary summary(std::vector<Child>& children) {
        Summary found{0, nullptr, never};
        for (Child& child : children) {
            found.sum = std::min(never - 1, found.sum + child.mine);
            if (!found.best || child.others < found.best->others) {
                if (found.best) found.second = found.best->others;
                found.best = &child;
            } else {
                found.second = std::min(found.second, child.others);
            }
        }
        return found;
    }

    // Notes with how many moves a position is won or not, from children of which enough are settled.
    static void settle(TinueEntry& entry, const std::vector<Child>& children, bool attacking) {
        const bool proven = attacking ? entry.mine == 0 : entry.others == 0;
        int least_won = TinueEntry::ever, most_won = 1, least_failed = TinueEntry::ever, most_failed = 0;
        for (const Child& child : children) {
            if (const int moves = child.known.won; moves > 0) {
                if (attacking && moves < least_won) entry.move = child.number;
                least_won = std::min(least_won, moves);
                most_won = std::max(most_won, moves);
            }
            least_failed = std::min<int>(least_failed, child.known.failed);
            most_failed = std::max<int>(most_failed, child.known.failed);
        }
        const auto one_more = [](int moves) { return std::min<int>(moves + 1, TinueEntry::ever); };
        const int moves =
            proven ? (attacking ? one_more(least_won) : most_won) : (attacking ? one_more(least_failed) : most_failed);
        (proven ? entry.won : entry.failed) = static_cast<std::uint8_t>(moves);
    }

    // What is known of a child with so many moves left, as seen by who is to move there; else what `mine` and `others`
    // are taken to be.
    static void judge(const Child& child, int moves, bool attacking, std::uint32_t& mine, std::uint32_t& others) {
        const TinueEntry& known = child.known;
        if (is_settled(known, moves)) {
            const bool wins = known.won && known.won <= moves;
            mine = wins == attacking ? 0 : never;
            others = wins == attacking ? never : 0;
        } else if (known.moves == moves && known.mine > 0) {
            mine = known.mine;
            others = known.others;
        }
    }

    // ---- Moves -------------------------------------------------------------------------------------------------------

    // Lists the attacker's moves that threaten to complete a road. With two moves left each of them is settled, and there
    // is none behind one that wins.
    void list_threats(const Position<N>& p, int moves, std::vector<Child>& children) {
        children.clear();
        bool won = false;
        p.each_move([&](int number) {
            // A wall brings no road nearer.
            if (won || (number >= Board::squares && number < 2 * Board::squares)) return;
            Position<N> next = p;
            next.play(number);
            count_position();
            if (next.outcome(game_.rules()) != Outcome::open) return;
            const Word places = Roads<N>::places(next, attacker_);
            if (!places && Roads<N>::move(next, attacker_) < 0) return;
            Child child{number, {}, 1, std::popcount(places) > 1 ? 1u : 3u};
            if (moves == 2) {
                std::vector<Child>& answers = single_;
                const bool none = list_answers(next, 1, answers) && answers.empty();
                if (none) child.known.won = 1;
                else child.known.failed = answers.empty() ? TinueEntry::ever : answers[0].known.failed;
                won = none;
            } else {
                child.known = table_.find(key(next));
            }
            judge(child, moves - 1, false, child.mine, child.others);
            children.push_back(child);
        });
    }

    // Lists the answers after which the attacker cannot complete a road at once; with one move left only the first.
    // Returns false if one ends the game without the attacker's road.
    bool list_answers(const Position<N>& p, int moves, std::vector<Child>& children) {
        children.clear();
        if (Roads<N>::move(p, 1 - attacker_) >= 0) return false;
        const Word places = Roads<N>::places(p, attacker_);
        const bool may_end = game_.rules().ply_limit > 0 || std::popcount(p.taken()) + 1 >= Board::squares ||
                             p.reserve[1 - attacker_].flats + p.reserve[1 - attacker_].capstones == 1;
        const int threat = Roads<N>::move(p, attacker_);
        bool ended = false;
        p.each_move([&](int number) {
            if (ended || (moves == 1 && !children.empty())) return;
            // Of several squares on which the attacker completes a road a piece takes but one.
            if (number < Board::first_spread && !may_end && places & ~(Word{1} << number % Board::squares)) return;
            Position<N> next = p;
            next.play(number);
            count_position();
            const Outcome outcome = next.outcome(game_.rules());
            if (outcome != Outcome::open) {
                ended = !next.has_road(attacker_);
                return;
            }
            if (completes(next, threat) || Roads<N>::move(next, attacker_) >= 0) return;
            Child child{number, {}, 1, 1};
            if (moves > 1) child.known = table_.find(key(next));
            child.known.failed = std::max<std::uint8_t>(child.known.failed, 1);
            judge(child, moves, true, child.mine, child.others);
            children.push_back(child);
        });
        return !ended;
    }

    // Whether the attacker, who is to move, completes a road with a move that may not be legal.
    bool completes(const Position<N>& p, int number) const {
        if (!p.allows(number)) return false;
        Position<N> next = p;
        next.play(number);
        return next.has_road(attacker_);
    }

    // ---- Proofs ------------------------------------------------------------------------------------------------------

    void write(const Position<N>& p, int moves, std::vector<int>& numbers, std::size_t most) {
        count_position();
        if (numbers.size() > most) throw Error("tak: the win takes more than " + std::to_string(most) + " numbers");
        if (const int road = Roads<N>::move(p, attacker_); road >= 0) {
            numbers.insert(numbers.end(), {road, -1, 0});
            return;
        }
        const TinueEntry known = look(p, key(p), moves, no_more, 0);
        Position<N> next = p;
        next.play(known.move);
        const int threat = Roads<N>::move(next, attacker_);
        numbers.insert(numbers.end(), {known.move, threat, 0});
        const std::size_t count = numbers.size() - 1;
        next.each_move([&](int answer) {
            Position<N> answered = next;
            answered.play(answer);
            if (answered.outcome(game_.rules()) != Outcome::open || completes(answered, threat)) return;
            ++numbers[count];
            numbers.push_back(answer);
            write(answered, known.won - 1, numbers, most);
        });
    }

    void count_position() {
        constexpr std::int64_t between = 64;  // looks at the limit
        if (granted_ == 0) {
            const std::int64_t most = std::min(between, most_positions_ - positions_);
            granted_ = limit_ && most > 0 ? limit_->take(most) : most;
            if (granted_ == 0) throw Ended();
        }
        --granted_;
        ++positions_;
    }

    const TakGame& game_;
    TinueTable table_;
    Position<N> root_;
    int attacker_ = 0, move_ = -1, moves_ = 0;
    std::deque<std::vector<Child>> children_;  // by plies from the root
    std::vector<Child> single_;                // answers after the last threat but one
    std::int64_t positions_ = 0, most_positions_ = 0;
    std::int64_t granted_ = 0;  // that may be looked at before the limit is
    Limit* limit_ = nullptr;
};
