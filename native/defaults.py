"""Default values of the settings of a search, for the binding and for players."""

EXPLORATION = 0.4  # UCB constant, in units of the range of goals; the best one differs by game, from 0.3 to 0.7
MAX_STEPS = 1000  # of a random game; the longest real games have some hundreds
PLAYOUTS_PER_LEAF = 1
EXPAND_AFTER = 1  # visits of an edge
SOLVER_STEPS = 14  # of random games, on average, from where on a solver may come to the end
MEMORY_MB = 1024  # for the tree
