// Whose turn it is, in all lanes at once, and one choice for all roles where they move by turns.
//
// The role to move is the first that has a choice; where nobody has, the first that does not wait. Its moves, whichever
// role it is, become candidates; one of them is chosen, and made by that role, while others make the only move they have.
//
// `Bits` is a vector of lanes, or what writes the same steps down as a circuit; see network/choice_steps.hpp.

template <class Bits, class Array>  // Array: of a fixed number of Bits
class TurnSteps {
public:
    explicit TurnSteps(const TurnPlan& plan)
        : plan_(plan), own_(plan.roles.size()), forced_(plan.roles.size()), acts_(plan.roles.size()) {}

    // From what is legal to the rows of the plan.
    template <class Rows> void settle(Rows& rows) {
        const Bits all = rows.load(Program::ones), used = rows.load(plan_.used);
        Bits over = rows.load(plan_.terminal), found{}, several{};
        for (std::size_t r = 0; r < plan_.roles.size(); ++r) {
            Bits one{}, two{};
            count(rows, plan_.roles[r], one, two, acts_[r]);
            over = either(over, and_not(all, one));
            own_[r] = and_not(two, found);
            forced_[r] = and_not(one, two);
            several = either(several, two & found);
            found = either(found, two);
        }
        over = over & used;
        const Bits active = and_not(used, over);
        for (std::size_t r = 0; r < plan_.roles.size(); ++r) {
            own_[r] = either(own_[r], and_not(acts_[r], found));
            found = either(found, acts_[r]);
        }
        own_[0] = either(own_[0], and_not(all, found));
        for (std::uint32_t r = 0; r < plan_.roles.size(); ++r) {
            rows.store(plan_.own + r, own_[r] & active);
            rows.store(plan_.forced + r, forced_[r]);
        }
        rows.store(plan_.over, over);
        rows.store(plan_.several, several & active);
        for (std::uint32_t m = 0; m < plan_.legal.size(); ++m)
            if (plan_.legal[m] != Program::zeros) rows.store(plan_.open + m, rows.load(plan_.legal[m]) & active);
    }

    // The candidates of a merged choice.
    template <class Rows> void merge(Rows& rows) {
        for (std::size_t i = 0; i < plan_.candidate.size(); ++i) {
            Bits any{};
            for (std::uint32_t r = 0; r < plan_.roles.size(); ++r)
                if (const auto& playable = plan_.roles[r].playable; i < playable.size())
                    any = or_and(any, rows.load(playable[i]), rows.load(plan_.own + r));
            rows.store(plan_.candidate[i], any);
        }
    }

    // The moves of all roles, from what has been chosen.
    template <class Rows> void spread(Rows& rows) {
        for (std::uint32_t r = 0; r < plan_.roles.size(); ++r) {
            const TurnPlan::Role& role = plan_.roles[r];
            const Bits own = rows.load(plan_.own + r);
            for (std::size_t i = 0; i < role.move.size(); ++i)
                rows.store(role.move[i], select(own, rows.load(plan_.chosen[i]), rows.load(role.playable[i])));
        }
    }

private:
    static Bits either(Bits a, Bits b) { return or_and(a, b, b); }

    // Lanes in which a role has a legal move, two of them, or one with which it does not wait. Moves are counted by twos,
    // which takes three operations; those with which it waits come last.
    template <class Rows> static void count(Rows& rows, const TurnPlan::Role& role, Bits& one, Bits& two, Bits& acts) {
        for (const auto* moves : {&role.acting, &role.waiting}) {
            std::size_t i = 0;
            for (; i + 1 < moves->size(); i += 2) {
                const Bits a = rows.load((*moves)[i]), b = rows.load((*moves)[i + 1]);
                two = either(two, majority(one, a, b));
                one = or3(one, a, b);
            }
            if (i < moves->size()) {
                const Bits last = rows.load((*moves)[i]);
                two = or_and(two, one, last);
                one = either(one, last);
            }
            if (moves == &role.acting) acts = one;
        }
    }

    const TurnPlan& plan_;
    Array own_, forced_, acts_;  // of each role
};
