/* The C API of the native core: opaque handles, plain arrays in, a status out.
 *
 * This file is also the cdef that cffi reads, so it holds declarations only.
 *
 * Status. A function that returns int returns 0 on success. Anything else is an error, whose text ludens_error()
 * returns in the calling thread; what the function would have written is then undefined. No C++ exception and no
 * callback crosses this border.
 *
 * Ownership. Arrays belong to the caller and are copied, unless a function says otherwise. Handles are freed with
 * their own _free, which accepts null, in any order.
 *
 * Threads. A game, an evaluation and a table are immutable and may be shared by threads; a simulator or batch
 * belongs to one thread at a time; a search may be stopped and reported on from any thread while it runs.
 *
 * Data. A state is a bit string of `state_words` 64-bit words, bit i % 64 of word i / 64 being proposition i. A move
 * is an index within its role. A joint move is one int32 per role, in role order, -1 for none. A goal is 0 ... 100
 * per role. Sets of moves are bit sets of `move_words` words over the moves of all roles, role after role without
 * padding. Times are in seconds. */

typedef struct ludens_game ludens_game;
typedef struct ludens_simulator ludens_simulator;
typedef struct ludens_batch ludens_batch;
typedef struct ludens_search ludens_search;
typedef struct ludens_evaluation ludens_evaluation;
typedef struct ludens_board_network ludens_board_network;
typedef struct ludens_checkers_network ludens_checkers_network;
typedef struct ludens_knowledge ludens_knowledge;
typedef struct ludens_fit ludens_fit;
typedef struct ludens_random_games ludens_random_games;
typedef struct ludens_self_play ludens_self_play;
typedef struct ludens_samples ludens_samples;
typedef struct ludens_position_images ludens_position_images;

/* The text of the last error in the calling thread; valid until its next call. */
const char *ludens_error(void);

/* The SHA-256 of the sources of which the core was built, in hexadecimal digits: the same for every compiler. */
const char *ludens_sources(void);

/* Space-separated names of the instruction sets that this process may use, best first: those that the processor has,
 * and none better than the one that the environment variable LUDENS_INSTRUCTION_SET names, if it is set. It is an
 * error, here and wherever a machine is made, if that is the name of none or cannot be had. */
int ludens_instruction_sets(const char **names);

/* ---- Games ---------------------------------------------------------------------------------------------- */

/* A game given as a network; the layout is propnet/network/propnet.py's Propnet, field for field. */
typedef struct {
    int32_t roles;
    int32_t propositions;
    const int32_t *moves;          /* [roles] */
    const uint64_t *initial;       /* [state_words] */
    int32_t gate_count;
    const int32_t *gates;          /* [gate_count][2] */
    const int32_t *next;           /* [propositions] */
    const int32_t *legal;          /* [sum of moves] */
    int32_t terminal;
    int32_t goal_count;
    const int32_t *goal_role;      /* [goal_count] */
    const int32_t *goal_value;     /* [goal_count] */
    const int32_t *goal_literal;   /* [goal_count] */
    int32_t feedback_count;
    const int32_t *feedback;       /* [feedback_count] */
    int32_t loop_count;
    const int32_t *loops;          /* [loop_count][4] */
    int32_t feature_count;         /* of what evaluations see besides the propositions */
    const int32_t *features;       /* [feature_count] literals */
    const int32_t *playable;       /* [sum of moves] what random games choose from, some move wherever one is legal;
                                      null: what is legal */
    const char *machine_policy;    /* what random games prefer of these, a name in playout_policies.h; null: nothing */
} ludens_network;

/* Makes a game from a network. Fails if the network is not well formed. */
int ludens_game_from_network(const ludens_network *network, ludens_game **out);
void ludens_game_free(ludens_game *game);

/* The number of steps after which the same role has control again, or 1. Games that are a multiple of so many steps
 * apart are played faster side by side than others. */
int32_t ludens_game_cycle(const ludens_game *game);

/* 1 if it is proven that the goals of the two roles sum to 100 wherever a game may end, missing ones counted as 50; 0
 * if not. */
int32_t ludens_game_constant_sum(const ludens_game *game);

/* The number of bits that evaluations see of a state: its propositions, followed by the features of the game. */
int32_t ludens_game_feature_bits(const ludens_game *game);

/* ---- Machine code, to look at ------------------------------------------------------------------------------ */

typedef struct ludens_code ludens_code;

/* Writes the machine code of a game that is a network, for rows of 128 bits and a back end, whether this processor has it
 * or not: avx512-jit, avx2-jit, neon-jit or neon-jit+sha3. Functions of more than `most_gates` gates, 0 for no limit, are
 * cut into several, but for loops. The code is not executed. */
int ludens_code_new(const ludens_game *game, const char *back_end, int64_t most_gates, ludens_code **out);
void ludens_code_free(ludens_code *code);

/* The numbers of functions, of the gates that they are made of, of bytes, and of rows that they work on. */
void ludens_code_sizes(const ludens_code *code, int64_t *functions, int64_t *gates, int64_t *bytes, int32_t *rows);

/* Writes functions [functions][3]: what each is for (0: gates of the network, 1: choices of moves, 2: ends of games and
 * new states, 3: goals and features), its first gate and its first byte; gates [gates][6]: the rows of three inputs,
 * which may repeat, the row of the output, the table of the outputs, in which inputs a, b, c are bit 4 a + 2 b + c, and
 * whether the output is read elsewhere; and bytes [bytes]. */
void ludens_code_write(const ludens_code *code, int64_t *functions, int32_t *gates, uint8_t *bytes);

/* ---- Simulators: many games side by side ------------------------------------------------------------------ */

/* Makes a simulator that plays `lanes` games side by side, or as many as are best for the game here if that is 0, with an
 * instruction set by its name, or null for the best that offers those lanes. Everything random follows from `seed`.
 *
 *     game                    lanes                                  instruction sets
 *     network                 64, 128, 256 or 512                    those of ludens_instruction_sets()
 *                             avx512-jit: 128 or 512
 *                             avx2-jit: 128, 256 or 512
 *                             neon-jit: 128
 *     checkers, Tak, gomoku   multiples of 64 up to 16384            of those: avx512, avx2, baseline
 *     interpreted rules       1 to 65536                             scalar */
int ludens_simulator_new(const ludens_game *game, int32_t lanes, const char *instruction_set, uint64_t seed,
                         ludens_simulator **out);
void ludens_simulator_free(ludens_simulator *simulator);
/* What the simulator was made with. */
int32_t ludens_simulator_lanes(const ludens_simulator *simulator);
const char *ludens_simulator_instruction_set(const ludens_simulator *simulator);

/* Writes what holds in each of `count` states. Any output may be null.
 * legal: [count][move_words] bit sets over the moves of all roles, role after role without padding;
 * terminal: [count]; goals: [count][roles], -1 where none or more than one value holds. */
int ludens_simulator_inspect(ludens_simulator *simulator, int64_t count, const uint64_t *states,
                             uint64_t *legal, uint8_t *terminal, int32_t *goals);

/* Writes the successors of `count` states under joint moves [count][roles]. States where the game is over stay. Fails
 * if a move is out of range, or, with only_legal, if one is not legal (nor is -1) where the game is not over. */
int ludens_simulator_next(ludens_simulator *simulator, int64_t count, const uint64_t *states,
                          const int32_t *moves, int32_t only_legal, uint64_t *successors);

typedef struct {
    int64_t playouts;        /* finished */
    int64_t state_changes;   /* in the finished ones */
    int64_t stuck;           /* ended because a role had no legal move, or at the step limit */
    double seconds;          /* wall clock */
    double evaluation_seconds;  /* of that: circuit */
    double choice_seconds;      /* of that: random choice of moves */
} ludens_playout_stats;

/* Plays `count` uniformly random games from `state` (null: the initial one), starting no more after `seconds`
 * (0: no limit), with at most `max_steps` steps each. goal_sums, goal_squares: [roles], goal values summed over
 * the playouts, missing goals counted as 50. */
int ludens_simulator_playouts(ludens_simulator *simulator, const uint64_t *state, int64_t count, double seconds,
                              int32_t max_steps, double *goal_sums, double *goal_squares, ludens_playout_stats *stats);

/* Plays games[i] uniformly random games from the i-th of states [count][state_words], each of at most `max_steps` steps:
 * games of several states side by side, so that few games from each are as quick as many from one. goal_sums
 * [count][roles]: as above. Writes how many steps all games took. */
int ludens_simulator_playouts_from(ludens_simulator *simulator, int64_t count, const uint64_t *states,
                                   const int64_t *games, int32_t max_steps, double *goal_sums,
                                   int64_t *state_changes);

/* Plays one random game in every lane from `state` (null: the initial one) and writes its moves
 * [lanes][max_steps][roles], -1 after the end, and lengths [lanes]. */
int ludens_simulator_record(ludens_simulator *simulator, const uint64_t *state, int32_t max_steps,
                            int32_t *moves, int32_t *lengths);

/* Writes the set of moves that each lane made in the games recorded last, whatever was played since:
 * [lanes][move_words]. */
int ludens_simulator_noted(ludens_simulator *simulator, uint64_t *sets);

/* ---- Batches: games that are stepped side by side, with moves from outside ------------------------------------ */

/* How the arrays of a batch are laid out. In the format of bytes, what is true or false is a byte of 0 or 1; in that of
 * bits, a row of memory for each game has eight of them to a byte, the first one lowest. In that of slices the batch works
 * on bits of the caller: games are in blocks of `lanes` (ludens_batch_shape), and each block has `slices` rows of
 * lanes / 64 words, in which game i of the block is bit i % 64 of word i / 64: one row for each proposition; one for each
 * move of all roles, legal where the game goes on; one for each role, of the games in which it is to move; and one for
 * the games that are over. */
typedef struct {
    int32_t format;                /* 0: bytes, 1: bits, 2: slices */
    int32_t autoreset;             /* a game that is over begins anew 0: in the same step, 1: in the next, 2: on reset */
    int32_t actions;               /* columns of a row of legal moves; at least the moves of every role */
    int32_t joint;                 /* 1: actions are moves of all roles; 0: of the role to move */
    int32_t by_turns;              /* 1: two roles hardly ever have a choice at once, so that one choice does for all */
    int32_t columns;               /* bytes or bits of an observation */
    const int32_t *column;         /* [columns] the proposition that each tells, -1 for none */
    int32_t fill_count;
    const int32_t *fills;          /* [fill_count][4] {first, length, proposition, value}: bytes that have a value while a
                                      proposition holds, over what the columns tell; for bytes only */
    const uint64_t *waiting;       /* [move_words] the moves with which a role lets another one play */
} ludens_batch_layout;

/* Where a batch writes after every step; arrays of the caller, who keeps them until others are given or the batch is
 * freed. Any may be null. Types and shapes are those of bytes; in [] those of bits; in {} those of slices, - for none. */
typedef struct {
    void *observations;            /* uint8 [count][columns]          [uint8 [count][ceil(columns / 8)]] {-} */
    void *final_observations;      /* the same, of games that ended in this step; other rows stay as they are
                                      {uint64 [blocks][state_bits][lanes / 64]} */
    uint64_t *states;              /* [count][state_words], in all formats */
    void *legal;                   /* int8 [count][actions] of the role to move; joint: [count][roles][actions]
                                      [uint8 [count][ceil(actions / 8)]; [count][roles][ceil(actions / 8)]] {-} */
    void *to_move;                 /* int32 [count] the role to move, -1 where the game is over [int8 [count]] {-} */
    void *rewards;                 /* float [count][roles] where a game ends goals from -1 to 1, else 0
                                      [int8 [count][roles] from -50 to 50] {int8 [roles][count]} */
    void *done;                    /* uint8 [count] [uint8 [ceil(count / 8)]] {-} */
    void *played;                  /* int32 [count][roles] the moves of this step, -1 for none
                                      [int8 with up to 127 actions, int16 with up to 32767, else int32]
                                      {uint64 [blocks][moves of all roles][lanes / 64]} */
    uint64_t *slices;              /* [blocks][slices][lanes / 64], from a multiple of 64 bytes on: where the batch keeps
                                      what it would keep in memory of its own otherwise. Given in the format of slices,
                                      and once. */
} ludens_batch_arrays;

/* Makes `count` games, at least 1, all in the initial state. lanes, instruction_set and seed as for a simulator, but 0
 * lanes depend on `count` and not on the game. Fails if the game is not a network, has a machine policy or more than 128
 * roles, or the layout does not fit it. */
int ludens_batch_new(const ludens_game *game, int64_t count, const ludens_batch_layout *layout, int32_t lanes,
                     const char *instruction_set, uint64_t seed, ludens_batch **out);
void ludens_batch_free(ludens_batch *batch);

void ludens_batch_shape(const ludens_batch *batch, int32_t *lanes, int32_t *slices);

int ludens_batch_write_to(ludens_batch *batch, const ludens_batch_arrays *arrays);

/* Begins the games of the rows[count] that are not 0 anew (null: all), and writes all arrays. */
int ludens_batch_reset(ludens_batch *batch, const uint8_t *rows);

/* Goes on from `states` [count][state_words], and writes all arrays. */
int ludens_batch_load(ludens_batch *batch, const uint64_t *states);

/* Steps all games, and writes all arrays. actions: [count], of the role to move, or joint: [count][roles], whole numbers
 * with a sign of 1, 2 or 4 bytes; -1: the only legal move; -2: this game waits; null: all at random. Where a game has
 * ended they are of no account, but with autoreset 2 must be -1 or -2. If any is not legal nothing happens, and 2 is
 * returned. */
int ludens_batch_step(ludens_batch *batch, const void *actions, int32_t bytes);

/* The same for a batch whose only action is this one. */
int ludens_batch_step_one(ludens_batch *batch, int32_t action);

/* How many actions of the last step were not legal; and writes their rows, unless `rows` is null. */
int64_t ludens_batch_wrong_rows(const ludens_batch *batch, int64_t *rows);

/* Chooses for each row of masks [rows][columns] one of the columns that are set, all of them as likely; 0 where there is
 * none. Masks are bytes, or `packed` uint8 [rows][ceil(columns / 8)], as batches write them in the formats of bytes and
 * bits. chosen: [rows]. All follows from `seed`. */
int ludens_choose_columns(const uint8_t *masks, int64_t rows, int32_t columns, int32_t packed, uint64_t seed,
                          int32_t *chosen);

/* ---- Evaluations: what a state is worth, from its bits -------------------------------------------------------- */

/* The weights of an evaluation, which sees the features of a state: the bits of its propositions, followed by the
 * features of the game (ludens_game_feature_bits). A row has `features` + 1 inputs, the last one constant. Set i of
 * the control_count + 1 sets of weights is for states in which control[i] is the first of those propositions to hold,
 * the last set for all others. See src/evaluation/evaluation.hpp. */
typedef struct {
    int32_t features;
    int32_t roles;
    int32_t hidden;
    int32_t control_count;
    const int32_t *control;        /* [control_count] */
    const float *linear;           /* [sets][features + 1][roles] */
    const float *inner;            /* [sets][features + 1][hidden] */
    const float *output;           /* [sets][hidden][roles] */
} ludens_evaluation_weights;

/* Makes an evaluation. Fails if sizes do not fit together or weights are not finite. */
int ludens_evaluation_new(const ludens_evaluation_weights *weights, ludens_evaluation **out);
void ludens_evaluation_free(ludens_evaluation *evaluation);

/* Writes the expected goals [count][roles], between 0 and 100, of features [count][feature_words]. */
int ludens_evaluation_values(const ludens_evaluation *evaluation, int64_t count, const uint64_t *features,
                             float *goals);

/* Begins to fit weights, from those given. Fails as ludens_evaluation_new(). */
int ludens_fit_new(const ludens_evaluation_weights *weights, ludens_fit **out);
void ludens_fit_free(ludens_fit *fit);

/* Makes one pass over positions, features [count][feature_words] with targets [count][roles], 0 ... 100, in an order
 * that follows from the seed. `rate`: of learning. Writes the mean squared error before each position was learned, in
 * goals. */
int ludens_fit_pass(ludens_fit *fit, int64_t count, const uint64_t *features, const float *targets, float rate,
                    uint64_t seed, double *error);

/* Writes the weights so far, in the shapes of ludens_evaluation_weights. */
int ludens_fit_read(const ludens_fit *fit, float *linear, float *inner, float *output);

/* What the optimiser remembers besides the weights, so that a fit can go on as if it had never ended: numbers
 * [ludens_fit_memory_size()], and the steps of each set, steps [control_count + 1]. The second function fails where
 * they are not those of a fit of this size. */
int64_t ludens_fit_memory_size(const ludens_fit *fit);
int ludens_fit_memory(const ludens_fit *fit, float *moments, int64_t *steps);
int ludens_fit_remember(ludens_fit *fit, int64_t size, const float *moments, int64_t sets, const int64_t *steps);

/* Training samples: positions with the goals that they led to. */

/* Random games; they go on from call to call. Of those that last longer than `max_steps` no position is taken. */
int ludens_random_games_new(const ludens_game *game, int32_t max_steps, uint64_t seed, ludens_random_games **out);
void ludens_random_games_free(ludens_random_games *random_games);

/* Plays on until at least `games` of them have ended, or `seconds` are over (0: no limit). Gives one random position of
 * each game that ended, with its goals. */
int ludens_random_games_run(ludens_random_games *random_games, int64_t games, double seconds, ludens_samples **out);

typedef struct {
    int32_t random_moves;     /* most random moves at the beginning of a game */
    float temperature;        /* of the softmax by which moves are drawn, in goals */
    float lambda;              /* 0 backs up the best child's value, 1 the goals in the end */
    int32_t max_steps;
    uint64_t seed;
    int32_t leaves;            /* 0: players look one move ahead; else they search for so many leaves a move, */
    int32_t learned_visits;    /* ... and positions in their trees with so many visits are learned too */
} ludens_self_play_options;

/* Games between players who look ahead with an evaluation; they go on from call to call. */
int ludens_self_play_new(const ludens_game *game, const ludens_self_play_options *options, ludens_self_play **out);
void ludens_self_play_free(ludens_self_play *self_play);

/* Plays on until at least so many states have been made, or `seconds` are over (0: no limit). Gives all positions after
 * their random beginnings of the games that ended, with lambda-returns, and those of trees with their values there. A game
 * that is over as it begins counts as a state. */
int ludens_self_play_run(ludens_self_play *self_play, const ludens_evaluation *evaluation, int64_t states,
                         double seconds, ludens_samples **out);
/* The positions that were looked at ahead so far, those of games that have not ended included. */
int64_t ludens_self_play_positions(const ludens_self_play *self_play);
/* The states that were made so far, as ludens_self_play_run counts them. */
int64_t ludens_self_play_states(const ludens_self_play *self_play);
void ludens_samples_free(ludens_samples *samples);
int64_t ludens_samples_games(const ludens_samples *samples);
int64_t ludens_samples_count(const ludens_samples *samples);

/* features: [count][feature_words]; targets: [count][roles], 0 ... 100. */
int ludens_samples_read(const ludens_samples *samples, uint64_t *features, float *targets);

/* Images of positions under symmetries of a game, of which number k carries proposition p into symmetries[k][p];
 * symmetries: [count][state_bits]. Fails if they are no permutations. */
int ludens_position_images_new(const ludens_game *game, int32_t count, const int32_t *symmetries, uint64_t seed,
                               ludens_position_images **out);
void ludens_position_images_free(ludens_position_images *images);

/* Replaces positions, features [count][feature_words], each by its image under a symmetry drawn at random, or keeps
 * it; all of these are equally likely. */
int ludens_position_images_draw(ludens_position_images *images, int64_t count, uint64_t *features);

/* ---- Board networks: what a state is worth, from the squares of a board ---------------------------------------- */

/* The weights of a residual network over the squares of a board, see src/board_network/weights.hpp for their meaning. */
typedef struct {
    int32_t squares;               /* 1 ... 400 */
    int32_t taps;                  /* 1 ... 9: squares that each one sees */
    int32_t planes;                /* 1 ... 255 */
    int32_t width;                 /* 32, 64, 96 or 128 */
    int32_t blocks;                /* 0 ... 16 */
    int32_t outputs;               /* 1 ... 16 */
    int32_t directions;            /* 0 ... 4: of moves from each square; 0: the network says nothing of moves */
    const int32_t *seen;           /* [taps][squares] squares; the number of squares beyond the edge */
    const int8_t *stem;            /* [width][taps][planes] */
    const int8_t *convolutions;    /* [2 * blocks][width][taps][width] */
    const int32_t *biases;         /* [1 + 2 * blocks][width] */
    const int8_t *hidden;          /* [32][squares][width] */
    const int32_t *hidden_biases;  /* [32] */
    const int8_t *value;           /* [outputs][32] */
    const int32_t *value_biases;   /* [outputs] */
    const int8_t *moves;           /* [directions][width] */
    const int32_t *move_biases;    /* [directions] */
} ludens_board_weights;

/* Makes a network. instruction_set: "avx512", "avx2" or "baseline"; null or empty: the best. Fails on sizes and numbers
 * out of range, and where this process may not use the instruction set. */
int ludens_board_network_new(const ludens_board_weights *weights, const char *instruction_set,
                             ludens_board_network **out);
void ludens_board_network_free(ludens_board_network *network);

/* Writes outputs [count][outputs], in units of 1 / 16256, of positions [count][planes][squares] of activations from 0 to
 * 127. Fails on larger ones. */
int ludens_board_network_evaluate(const ludens_board_network *network, int64_t count, const uint8_t *planes,
                                  int32_t *outputs);

/* Makes the evaluation of a game's states by a network, whose output r is for role r: 100 / (1 + exp(-2 x)) is the goal
 * that an output of x stands for. columns [planes][squares]: the bit, of those that evaluations see, that sets an
 * activation to 127; -1: none. fills [fill_count][3]: a bit, a plane, and the value from 0 to 127 that all of the plane
 * has at least where the bit is set. Fails where the network has not an output for each role, and on bits and planes
 * that there are not. */
int ludens_evaluation_from_board_network(const ludens_board_network *network, const ludens_game *game,
                                         const int32_t *columns, int32_t fill_count, const int32_t *fills,
                                         ludens_evaluation **out);

/* ---- Search ------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *strategy;     /* a name in strategies.h */
    int32_t threads;          /* 1 ... 1024 */
    int32_t lanes;            /* 0: the best here */
    int64_t memory_bytes;     /* 4096 ..., for nodes, all threads together */
    double exploration;       /* UCB constant, in units of the whole range of goals */
    int32_t playouts_per_leaf;
    int32_t expand_after;     /* visits of an edge before its child becomes a node */
    int32_t max_steps;        /* of one playout */
    uint64_t seed;
    const ludens_evaluation *evaluation;  /* null: none; strategies that need one say so */
    const ludens_knowledge *knowledge;    /* null: none */
    double solver_share;      /* of the time, for a solver near the end of games of two, and of `td` for forced wins by
                                 roads; 0: none */
    int32_t solver_steps;     /* 1 ..., near the end is where random games last at most so many steps on average */
    int32_t symmetry_count;   /* for strategies that take images of a state for the same state */
    const int32_t *symmetries; /* [symmetry_count][propositions]: where each proposition of a state goes in its image,
                                  which is worth the same to every role; may be null if there are none */
    int64_t td_weight_count;
    const float *td_weights;  /* [td_weight_count], of the network of `td`, copied; may be null if there are none */
    int32_t depth;            /* 0 ... 64, plies that `td` looks ahead and no further; 0: as far as time allows */
    int32_t peers;            /* 0 ... 64, searches of the same game elsewhere whose statistics it may take */
    double prior_noise;       /* 0 ... 1, part of the priors of `guided` that is drawn by lot, so that peers differ */
} ludens_search_options;

/* Makes a search from the initial state. Fails on an unknown strategy, on options out of range, and if the strategy
 * does not play such games. See src/search/search.hpp for what a search is. */
int ludens_search_new(const ludens_game *game, const ludens_search_options *options, ludens_search **out);
void ludens_search_free(ludens_search *search);

/* Makes `state` (null: the initial one) the root, and keeps what is known of it. Not during a run. */
int ludens_search_set_root(ludens_search *search, const uint64_t *state);

/* Searches for `seconds`, or until `playouts` have been finished in this call (0: no limit), or until stopped.
 * Returns at once if the root is solved. */
int ludens_search_run(ludens_search *search, double seconds, int64_t playouts);

/* Ends a run in progress, soon; from any thread. */
int ludens_search_stop(ludens_search *search);

/* For callers who play the random games themselves, a batch of leaves at a time, in a search of one thread that grows
 * a tree of random games. ludens_search_collect writes at most `room` leaves: states [room][state_words], and tickets
 * [room] that name them; none once the root is solved. ludens_search_report takes the mean goals [count][roles] of
 * `games` games from each. Several batches may be out at once. Neither may be called during ludens_search_run or
 * _set_root. */
int ludens_search_collect(ludens_search *search, int32_t room, int32_t *count, uint64_t *states, int64_t *tickets);
int ludens_search_report(ludens_search *search, int32_t count, const int64_t *tickets, const double *goals,
                         int32_t games);

/* Offers a line of joint moves from the root on, [steps][roles], that was found by other means. Strategies that have
 * no use for lines ignore it, and all ignore lines that are not legal. */
int ludens_search_suggest(ludens_search *search, int32_t steps, const int32_t *moves);

/* Finds what the search found out by itself about the nodes that it visits most, at most `most` of them, for searches
 * of the same game elsewhere; from any thread. Hands over `words`, in the format of src/search/shared_stats.hpp, which
 * the caller frees with ludens_words_free; none if the strategy shares nothing. */
int ludens_search_shared_stats(ludens_search *search, int32_t most, int64_t *count, uint64_t **words);
void ludens_words_free(uint64_t *words);

/* Takes the `words` that another search of the same game, one of `peers`, found out, in place of what it told before;
 * from any thread. They count as if found out by the search itself. Fails on words that no search of this game made. */
int ludens_search_take_stats(ludens_search *search, int32_t peer, int64_t count, const uint64_t *words);

typedef struct {
    int64_t playouts;         /* finished since the search was made */
    int64_t iterations;       /* descents from the root: playouts_per_leaf playouts each, or a solved node */
    int64_t state_changes;
    int64_t root_visits;
    int64_t nodes;            /* held */
    int64_t recycled;         /* nodes removed for want of memory, since the search was made */
    int64_t memory_bytes;     /* held */
    int32_t depth;            /* deepest descent so far */
    int32_t bytes_per_node;
    int32_t solved;           /* 1: it is proven what to play at the root; a run returns at once */
} ludens_search_stats;

/* Writes the counters. */
int ludens_search_get_stats(ludens_search *search, ludens_search_stats *stats);

typedef struct {
    int64_t updates;       /* of the number of playouts, which all threads count together */
    int64_t locks;         /* taken */
    double waited_seconds; /* for them */
    double held_seconds;   /* that they were held */
} ludens_sharing_costs;

/* Writes what it cost the threads that they share something, summed over them; zeros for strategies other than those of
 * trees. */
int ludens_search_sharing_costs(ludens_search *search, ludens_sharing_costs *costs);

/* Writes the legal moves of `role` at the root, at most `room` of them, and in `count` how many there are.
 * visits: completed; values: mean goal of that role, 0 ... 100, NaN while unvisited; proven: its goal after that
 * move with perfect play, -1 while unknown; best: the place of the move to play, -1 if there are none;
 * optimal: 1 where the visits are a mixed strategy of an equilibrium, in millionths, from which to draw a move; else 0. */
int ludens_search_root_moves(ludens_search *search, int32_t role, int32_t room, int32_t *count,
                             int32_t *moves, int64_t *visits, double *values, int32_t *proven, int32_t *best,
                             int32_t *optimal);

/* Writes the joint moves [length][roles] that are expected from the root on, `length` being at most `room`. */
int ludens_search_expected_line(ludens_search *search, int32_t room, int32_t *length, int32_t *moves);

/* ---- Games given as rules ----------------------------------------------------------------------------------- */

/* Rules to be interpreted; the layout is propnet/rewrite/rule_program.py's RuleProgram. `code` holds, rule after
 * rule: relation, number of variables, arguments of the head, number of conditions, conditions. A condition is 0
 * relation arguments (holds), 1 relation arguments (does not hold), 2 term term (differ) or 3 term term (equal).
 * Terms are in prefix order: the number of a symbol, followed by its arguments, or the complement of a variable. The
 * first seven relations are true, does, init, legal, next, terminal and goal.
 *
 * Facts and moves of such a game are numbered when they are first seen, by whatever simulator or search; there is
 * room for `facts` and `moves`, and whatever needs more fails. The game stays otherwise immutable.
 *
 * With a `sample` that is not 0, a game that begins with thousands of legal moves does not list them all: where a role
 * has more than so many, some that are drawn by lot, for a state always the same, are all that there are. */
typedef struct {
    int32_t symbol_count;
    const char *const *symbol_names;
    const int32_t *symbol_arities;   /* [symbol_count] */
    int32_t relation_count;
    const int32_t *relation_arities; /* [relation_count] */
    int32_t roles;
    const int32_t *role_symbols;     /* [roles] */
    int64_t code_length;
    const int32_t *code;             /* [code_length] */
    int32_t facts;                   /* bits of a state */
    const int32_t *moves;            /* [roles] */
    int32_t sample;                  /* 0: all moves count */
} ludens_rules;

/* Makes a game of rules that are interpreted. Fails if they cannot be put in an order. */
int ludens_game_from_rules(const ludens_rules *rules, ludens_game **out);

/* Writes how many legal moves of a role are drawn in a state of a game of rules that has more; 0: all count. */
int ludens_game_sample(const ludens_game *game, int32_t *sample);

/* Writes the initial state: [state_words]. */
int ludens_game_initial(const ludens_game *game, uint64_t *state);

/* Writes how many moves each role has: [roles]. */
int ludens_game_moves(const ludens_game *game, int32_t *moves);

/* Writes how many moves of `role`, or facts if role is -1, have been numbered so far. */
int ludens_game_numbered(const ludens_game *game, int32_t role, int32_t *count);

/* Writes the text of a move of `role`, or of a fact if role is -1, such as "(cell 1 1 b)": at most `room` bytes with
 * the final zero; `length` says how many there are without it. Fails if there is no such number. */
int ludens_game_text(const ludens_game *game, int32_t role, int32_t number, int32_t room, char *text,
                     int32_t *length);

/* Writes the number of the move of `role`, or of the fact if role is -1, that `text` spells, and gives it one if it
 * has none. -1 if it is not a term over the symbols of the rules. Fails if there is no more room. */
int ludens_game_number(const ludens_game *game, int32_t role, const char *text, int32_t *number);

/* ---- Checkers ------------------------------------------------------------------------------------------------ */

/* The rules of a game of the family, as CheckersRules of games/checkers/rules/parameters.py, whose MoveTable numbers
 * the moves. A state is two words: pieces of the sides that move up and down in the halves of the first; in the
 * second the kings, from bit 32 on whether it is the turn of the side that moves down, and in 6, 12 and 12 bits the
 * square of the piece that goes on capturing plus one (0: none), the plies so far and those without progress. */
typedef struct {
    int32_t width;
    int32_t wrap_files;
    int32_t wrap_ranks;
    int32_t forcing;           /* 0 none, 1 any capture, 2 the longest */
    int32_t jumps;             /* 0 one, 1 up to three, 2 one a ply while the piece can go on */
    int32_t kings;
    int32_t stuck_either;
    const int32_t *goals;      /* [13][13][2] by pieces of the sides that move up and down, for these */
    int32_t stuck_goals[2];    /* of the side that cannot move, and the other; -1: as above */
    int32_t step_limit;        /* 0: none */
    int32_t idle_limit;        /* 0: none */
    int32_t first_role;        /* that moves up, and first */
    uint32_t start[3];         /* pieces of the sides that move up and down, kings */
} ludens_checkers;

/* Makes a game of the checkers family, on bitboards. Fails if there is none with these parameters. */
int ludens_game_from_checkers(const ludens_checkers *rules, ludens_game **out);

/* Counts the sequences of `depth` moves of English draughts from `board`: black, red, kings, and whether it is red's
 * turn. A whole chain of captures is one move. Bits are numbered as in src/checkers/board.hpp. instruction_set:
 * avx512, avx2 or baseline, or null for the best here. Fails if the board is no position or the instruction set is
 * not there. */
int ludens_checkers_perft(const uint32_t *board, int32_t depth, const char *instruction_set, int64_t *count);

/* ---- Gomoku -------------------------------------------------------------------------------------------------- */

/* The rules of a game in which k stones in a row win on a board of m x n cells. A state has a bit for each cell, row by
 * row, with a stone of the side that moves first, then for each with one of the other side, and one that says that the
 * other side is to move. Moves are the numbers of cells; the last one is to wait. */
typedef struct {
    int32_t rows;              /* 1 to 22 */
    int32_t columns;           /* 1 to 22 */
    int32_t length;            /* 3 to 7 in a row win */
    int32_t exact;             /* whether more do not */
    int32_t first_role;        /* that moves first */
    int32_t goals[6];          /* [3][2] of both roles if the first mover has won, the other has, or nobody has */
    int32_t threat_playouts;   /* whether random games complete rows, and answer those about to be completed */
    int32_t insight;           /* whether tree searches are told of wins by threats and of what moves promise */
} ludens_gomoku;

/* Makes a game of the gomoku family, on bitboards. Fails if there is none with these parameters. */
int ludens_game_from_gomoku(const ludens_gomoku *rules, ludens_game **out);

/* Writes what stones would make of the lines through the cells, after `count` moves from `state` of which the last
 * `back` are taken back: shapes [2][cells][4] by the side, the cell and the direction, which are those of Shape and
 * `directions` in src/gomoku. 0 where there is a stone. */
int ludens_gomoku_shapes(const ludens_game *game, const uint64_t *state, int32_t count, const int32_t *cells,
                         int32_t back, uint8_t *shapes);

/* A search for wins by threats, see src/gomoku/threats.hpp; for one thread at a time. */
typedef struct ludens_threat_search ludens_threat_search;

int ludens_threat_search_new(const ludens_game *game, ludens_threat_search **out);
void ludens_threat_search_free(ludens_threat_search *search);

/* Looks for a win of the side to move by fours, or by threes, too. Writes the verdict, 0 won, 1 none, or 2 if it would
 * take more than `most_positions`; the length of the proof; and how many positions were looked at. Fails if the game is
 * over. */
int ludens_threat_search_run(ludens_threat_search *search, const uint64_t *state, int32_t threes,
                             int64_t most_positions, int32_t *verdict, int32_t *length, int64_t *positions);
/* Writes the proof of the win that was found last: a tree, in the order that ThreatSearch::proof() describes. */
int ludens_threat_search_proof(const ludens_threat_search *search, int32_t *proof);
/* Writes 1 for each of the cells of which one more stone of the other side might undo that proof, 0 for the others. */
int ludens_threat_search_relevant(ludens_threat_search *search, uint8_t *cells);

/* ---- Endgame tables of English draughts ---------------------------------------------------------------------- */

/* A table of what every position with 2 to `pieces` pieces is worth, in one byte: 255 a draw; else odd where the side
 * to move wins, even where it loses. If `limit` is 0 the byte counts the plies to the end, a chain of captures being
 * one. Else `limit` plies without a capture or a move of a man are a draw, and the byte is 2z - 1 for a win and 2z
 * for a loss, z being the plies to the next such move or to the end; with c such plies on the counter, the position
 * is drawn if c + z > limit. See src/checkers/endgame_values.hpp.
 *
 * Unlike other arrays the values are not copied, so that they can be a file mapped into memory: they must outlive the
 * table, and are written to by ludens_endgame_build only. */
typedef struct ludens_endgame ludens_endgame;

/* Writes how many values a table has. */
int ludens_endgame_size(int32_t pieces, int64_t *size);
/* Makes a table over `values` [size], which are those of a table that was built, or are about to be built. */
int ludens_endgame_new(int32_t pieces, int32_t limit, uint8_t *values, int64_t size, ludens_endgame **out);
void ludens_endgame_free(ludens_endgame *table);

/* Writes in how many steps a table is built and checked, one after the other from 0 on, and in `work` [steps], which
 * may be null, how many positions each step has. */
int ludens_endgame_steps(const ludens_endgame *table, int32_t *steps, int64_t *work);
/* Works out the values of a step, for which those of the earlier steps must be there. */
int ludens_endgame_build(ludens_endgame *table, int32_t step, int32_t threads);
/* Counts the positions of a step whose value does not follow from those of their children. */
int ludens_endgame_check(const ludens_endgame *table, int32_t step, int32_t threads, int64_t *contradictions);
/* Has what builds or checks the table fail within moments, and whatever is to build or check it later; from any thread. */
void ludens_endgame_stop(ludens_endgame *table);

/* Writes the values of `count` positions, given as [count][4]: the squares of black, those of red, those of kings,
 * and the turn, 0 for black, which moves up. 254 for positions that are not in the table. */
int ludens_endgame_probe(const ludens_endgame *table, int64_t count, const uint32_t *boards, uint8_t *values);

/* Makes knowledge for searches of what a table proves of a game of checkers: goals after perfect play. The table must
 * outlive it. Fails if the table says nothing about the game; see src/checkers/knowledge.hpp. */
int ludens_knowledge_from_endgame(const ludens_game *game, const ludens_endgame *table, ludens_knowledge **out);
void ludens_knowledge_free(ludens_knowledge *knowledge);

/* Writes what is known of states whose game is not over: goals [count][roles] after perfect play, and distances
 * [count] in plies to the end, or with a limit to the next progress. A distance is -1 where nothing is known; the
 * goals then mean nothing. */
int ludens_knowledge_find(const ludens_knowledge *knowledge, int64_t count, const uint64_t *states, int32_t *goals,
                          int32_t *distances);

/* Writes the move that alpha-beta to a fixed depth plays in `state` of English draughts with one jump a ply: a
 * baseline to measure players by, which counts material alone. A whole chain of captures is one ply of that depth; of
 * equally good moves `seed` decides. Fails for other games and where there is no move. */
int ludens_checkers_baseline_move(const ludens_game *game, const uint64_t *state, int32_t depth, uint64_t seed,
                              int32_t *move);

/* Makes a network over the 32 squares that are played on, with 5 taps, 4 planes, 1 output and 4 directions; `seen` is
 * not read. See src/checkers/network.hpp. Fails as ludens_board_network_new(), and on other sizes. */
int ludens_checkers_network_new(const ludens_board_weights *weights, const char *instruction_set,
                                ludens_checkers_network **out);
void ludens_checkers_network_free(ludens_checkers_network *network);

/* Writes values int32_t[count] and logits int32_t[count][128] of moves 4 * square + direction (null: none), in units of
 * 1 / 16256, of positions as the side to move sees them, uint32_t[count][3]: own pieces, the other side's, kings. */
int ludens_checkers_network_evaluate(const ludens_checkers_network *network, int64_t count, const uint32_t *positions,
                                     int32_t *values, int32_t *logits);

/* Makes the evaluation of a game's states by a network. Fails where the game is not English draughts on bitboards. */
int ludens_evaluation_from_network(const ludens_checkers_network *network, const ludens_game *game,
                                   ludens_evaluation **out);

/* Plays `games` games from each of `count` states, of at most `max_steps` steps, in which the network chooses a share, 0
 * ... 1, of the moves, at random by the softmax of its logits; the others are any. Writes mean goals [count][2]. Fails
 * where the game is not English draughts on bitboards, and on options out of range. */
int ludens_checkers_network_play(const ludens_checkers_network *network, const ludens_game *game, int64_t count,
                                 const uint64_t *states, int32_t games, double share, int32_t max_steps, uint64_t seed,
                                 double *goals);

/* ---- Tak ----------------------------------------------------------------------------------------------------- */

/* Makes a game of Tak on size × size squares, from 3 to 8, in which player 1 has half_komi halves of a flat ahead when
 * flats are counted, and which is drawn after ply_limit plies (0: it may go on for ever) if nobody has won by then. See
 * src/tak/game.hpp for its states and moves. Fails if there is no such game. */
int ludens_game_from_tak(int32_t size, int32_t half_komi, int32_t ply_limit, ludens_game **out);

/* Writes how many sequences of `depth` moves follow a state of Tak; those that end the game earlier count if
 * count_ended. instruction_set: a name, or null for the best. Fails for other games and negative depths. */
int ludens_tak_perft(const ludens_game *game, const uint64_t *state, int32_t depth, int32_t count_ended,
                     const char *instruction_set, int64_t *count);

/* Writes the moves of a state, [count] numbers of the first up to `room` of them, in the order in which a machine ranks
 * them before it draws a rank. Fails for words that are no state. */
int ludens_tak_moves_by_rank(const ludens_game *game, const uint64_t *state, const char *instruction_set, int32_t room,
                             int32_t *numbers, int32_t *count);

/* Training of an evaluation of Tak by temporal differences, see src/tak/td_training.hpp. Used by one thread. */
typedef struct ludens_td ludens_td;

typedef struct {
    int32_t size, half_komi;
    int64_t games;        /* in all */
    int32_t side_by_side; /* games */
    int32_t random_plies; /* at most, with which a game begins; at least 2 */
    int32_t most_plies;   /* of a game */
    float rate, end_rate; /* of learning, in a game and at its end */
    float trace;          /* lambda, from 0 to 1 */
    int32_t symmetries;   /* images of a state that are learned from: 1 or 8 */
    uint64_t seed;
} ludens_td_options;

typedef struct {
    int64_t games, plies, roads, flats, ties;
    double squared_error;
} ludens_td_stats;

/* Writes how many weights and inputs the network for boards of a size has. */
int ludens_td_sizes(int32_t size, int32_t *weights, int32_t *inputs);
/* Begins with `weights`. instruction_set: a name, or null for the best. */
int ludens_td_new(const ludens_td_options *options, int32_t weight_count, const float *weights,
                  const char *instruction_set, ludens_td **out);
void ludens_td_free(ludens_td *training);
/* Trains for so many seconds (0: no limit), or until so many games are over in all (0: those of the options). */
int ludens_td_run(ludens_td *training, double seconds, int64_t games, int32_t threads);
void ludens_td_get_stats(const ludens_td *training, ludens_td_stats *stats);
/* Writes the weights. */
int ludens_td_weights(const ludens_td *training, int32_t weight_count, float *weights);
/* Writes how many words save takes. */
int ludens_td_saved_words(const ludens_td *training, int64_t *words);
int ludens_td_save(const ludens_td *training, int64_t words, uint64_t *saved);
/* Goes on from what was saved. Fails for other options, and where it is cut short. */
int ludens_td_restore(ludens_td *training, int64_t words, const uint64_t *saved);

/* A search for forced wins by a road, see src/tak/tinue.hpp; for one thread at a time, but for _stop. */
typedef struct ludens_tinue_search ludens_tinue_search;

typedef struct {
    int32_t verdict;   /* 0 won, 1 none, 2 unknown: the search was ended */
    int32_t move;      /* the first one of the win; -1: there is none */
    int32_t moves;     /* of the attacker until the road at most; 0: there is no win */
    int64_t positions; /* looked at */
} ludens_tinue;

int ludens_tinue_search_new(const ludens_game *game, int64_t memory_bytes, ludens_tinue_search **out);
void ludens_tinue_search_free(ludens_tinue_search *search);

/* Looks for a win of the side to move with at most `most_moves` moves, 1 to 100, until it has looked at
 * `most_positions`, `seconds` are over (0: no limit), or _stop is called. Keeps what it finds out for later runs. Fails
 * for words that are no state. */
int ludens_tinue_search_run(ludens_tinue_search *search, const uint64_t *state, double seconds, int64_t most_positions,
                            int32_t most_moves, ludens_tinue *found);
void ludens_tinue_search_stop(ludens_tinue_search *search);
/* Tells the proof of the win that was found last, which holds until the next call: a tree, in the order that
 * TinueSearch::proof() describes. Fails if there is no win, or if it takes more than `most` numbers. */
int ludens_tinue_search_proof(ludens_tinue_search *search, int64_t most, const int32_t **proof, int64_t *length);

/* How many terms the evaluation of Tak has. */
#define LUDENS_TAK_TERMS 106
/* Writes the terms of the evaluation of Tak of each of `count` states, int32_t[count][LUDENS_TAK_TERMS] as
 * native/src/tak/evaluation.hpp orders them, and its values for who is to move, from -1 to 1. */
int ludens_tak_estimate(const ludens_game *game, int32_t count, const uint64_t *states, int32_t *terms, float *values);
