/* Every search strategy: STRATEGY(its name, the function in src/search_NAME.cpp that makes it, its meaning).
 *
 * The one table of them: src/search.cpp includes it, and strategies.py reads it as text, so that settings can be
 * checked where there is no native core.
 */
STRATEGY(uct, make_uct, "a tree that grows where upper confidence bounds are highest; who choose at once match regrets")
STRATEGY(rave, make_rave, "as uct, and it learns from games in which a move was made later")
STRATEGY(decoupled, make_decoupled, "as uct, but also who choose at once follow upper confidence bounds")
STRATEGY(flat, make_flat, "random games without a tree, as many for every move")
STRATEGY(mcrd, make_mcrd, "random games whose first moves, as far as they are known, have shares in proportion to promise")
STRATEGY(puzzle, make_puzzle, "best-first search that remembers all it has seen, for one role")
STRATEGY(guided, make_guided, "a tree that grows where a learned evaluation and upper confidence bounds point")
STRATEGY(alphabeta, make_alphabeta, "every line to a growing depth, for games of two that are small or tactical")
STRATEGY(proof, make_proof, "what it takes the least work to prove, for games of two that end soon or can be forced to")
