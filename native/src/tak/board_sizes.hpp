// Calls what is compiled for each size of a board. Included after a target is switched on.

// Calls act.operator()<N>() for the size of a board.
template <class Act> auto for_size(int size, Act act) {
    switch (size) {
        case 3: return act.template operator()<3>();
        case 4: return act.template operator()<4>();
        case 5: return act.template operator()<5>();
        case 6: return act.template operator()<6>();
        case 7: return act.template operator()<7>();
        default: return act.template operator()<8>();
    }
}
