// Whose turn it is, in all lanes at once.
//
// Included inside the namespace of one instruction set.

// Of every role, sets of lanes: where it has a single legal move, and where it is the one to move. That is the first that
// has a choice; where nobody has, the first that does not wait.
template <class V> class Turns {
public:
    Turns() = default;
    explicit Turns(std::size_t roles) : forced_(roles), own_(roles), acts_(roles) {}

    V forced(std::size_t role) const { return forced_.begin()[role]; }
    V own(std::size_t role) const { return own_.begin()[role]; }

    // legal: [roles] rows of the moves that may be legal; waits(role, i): whether with one of them it lets others play.
    template <class Waits> void find(const V* rows, const std::vector<std::vector<std::uint32_t>>& legal, Waits waits) {
        V found{};
        for (std::size_t role = 0; role < legal.size(); ++role) {
            V one{}, two{}, acts{};
            for (std::size_t i = 0; i < legal[role].size(); ++i) {
                const V holds = rows[legal[role][i]];
                two |= one & holds;
                one |= holds;
                if (!waits(role, i)) acts |= holds;
            }
            forced_[role] = one & ~two;
            own_[role] = two & ~found;
            acts_[role] = acts;
            found |= two;
        }
        for (std::size_t role = 0; role < legal.size(); ++role) {
            own_[role] |= acts_[role] & ~found;
            found |= acts_[role];
        }
        own_[0] |= ~found;
    }

private:
    Rows<V> forced_, own_, acts_;
};
