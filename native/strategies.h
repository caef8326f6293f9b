/* Every search strategy: STRATEGY(name, maker, roles, traits, meaning).
 *
 * The one table of what strategies can do: src/search/search.cpp includes it, and strategies.py reads it as text, so
 * that settings can be checked where there is no native core. A new strategy is a line here and a file under src/
 * that defines the maker.
 *
 *   maker    the function that makes it from a game and options
 *   roles    the most roles of a game it plays: ONE, TWO, or ANY number
 *   traits   what else holds of it, joined by |, or NONE:
 *     RANDOM_GAMES   values positions by random games, which follow a playout policy
 *     LEAF_BATCHES   may play several random games from each leaf, and have a kernel play a batch of leaves
 *     FACTORS        may search each independent factor of a game alone
 *     EVALUATION     needs an evaluation
 *     SOLVES         proves what to play by itself, so it gets no solver beside it
 */
STRATEGY(uct, make_uct, ANY, RANDOM_GAMES | LEAF_BATCHES | FACTORS,
         "a tree that grows where upper confidence bounds are highest; who choose at once match regrets")
STRATEGY(rave, make_rave, ANY, RANDOM_GAMES, "as uct, and it learns from games in which a move was made later")
STRATEGY(decoupled, make_decoupled, ANY, RANDOM_GAMES,
         "as uct, but also who choose at once follow upper confidence bounds")
STRATEGY(flat, make_flat, ANY, RANDOM_GAMES | FACTORS, "random games without a tree, as many for every move")
STRATEGY(mcrd, make_mcrd, ANY, RANDOM_GAMES | LEAF_BATCHES | FACTORS,
         "random games whose first moves, as far as they are known, have shares in proportion to promise")
STRATEGY(puzzle, make_puzzle, ONE, RANDOM_GAMES, "best-first search that remembers all it has seen, for one role")
STRATEGY(guided, make_guided, ANY, EVALUATION,
         "a tree that grows where a learned evaluation and upper confidence bounds point")
STRATEGY(alphabeta, make_alphabeta, TWO, FACTORS | SOLVES,
         "every line to a growing depth, for games of two that are small or tactical")
STRATEGY(proof, make_proof, TWO, SOLVES,
         "what it takes the least work to prove, for games of two that end soon or can be forced to")
