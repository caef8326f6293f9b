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
 *     SHARES         passes statistics on to searches of the same game elsewhere, and takes theirs
 *     MIXES          its visits, where several roles choose at once, are a mixed strategy to draw a move from
 *     CORE           plays only games that are recognised and have the game core for which it is made
 *   meaning  what it does, in a line that a student of computer science understands; users see it
 */
STRATEGY(uct, make_uct, ANY, RANDOM_GAMES | LEAF_BATCHES | FACTORS | SHARES | MIXES,
         "Monte Carlo tree search: plays random games from the moves that did best so far or were least tried (UCT)")
STRATEGY(rave, make_rave, ANY, RANDOM_GAMES | SHARES | MIXES,
         "as uct, but learns about a move from every game in which it was made at any time (RAVE)")
STRATEGY(decoupled, make_decoupled, ANY, RANDOM_GAMES | SHARES | MIXES,
         "as uct, but of players who move at the same time each goes by its own results alone (decoupled UCT)")
STRATEGY(flat, make_flat, ANY, RANDOM_GAMES | FACTORS | SHARES,
         "plays equally many random games after each of its moves and makes the one with the best average")
STRATEGY(mcrd, make_mcrd, ANY, RANDOM_GAMES | LEAF_BATCHES | FACTORS | SHARES | MIXES,
         "as flat, but plays more random games after good moves and good replies (Monte Carlo random descent)")
STRATEGY(puzzle, make_puzzle, ONE, RANDOM_GAMES,
         "for one player: follows the most promising position first and looks at none twice (best-first search)")
STRATEGY(guided, make_guided, ANY, EVALUATION | SHARES | MIXES,
         "as uct, but judges positions by an evaluation learned in self-play instead of by random games")
STRATEGY(alphabeta, make_alphabeta, TWO, FACTORS | SOLVES,
         "for one player, or two that take turns: looks at all lines of moves, one move deeper each time (alpha-beta)")
STRATEGY(proof, make_proof, TWO, SOLVES,
         "for one player, or two that take turns: proves which moves win or lose, the easiest proof first (proof-number search)")
STRATEGY(backward_induction, make_backward_induction, TWO, SOLVES,
         "for two players and few positions, also where both choose at once: solves the game from its ends (backward induction)")
STRATEGY(patterns, make_patterns, TWO, SOLVES | CORE,
         "for k in a row on its own game core: alpha-beta that sees threats and rows that may be completed")
STRATEGY(td, make_td, TWO, SOLVES | CORE,
         "for Tak on its own game core: alpha-beta that judges positions by terms fitted to games, or by a trained network")
