An engineer who trains players by reinforcement learning wants speed, repeatable games and plain errors.

How fast are games, as data?

  $ ludens bench tic_tac_toe --seconds 0.2 --json 2> /dev/null | python -c "import json, sys; print(*json.load(sys.stdin), sep='\n')"
  game
  ground_s
  gates
  fallback_reason
  lanes
  instruction_set
  playouts_per_s
  state_changes_per_s
  mean_length
  improper_share
  search_iterations_per_s
  gpu_playouts_per_s

A match with a seed and budgets in iterations is the same whenever and wherever it is played.

  $ play() { ludens match breakthrough_small uct:iterations=200 random --seed $1 --startclock 60 --playclock $2 --record $3 --quiet; }
  $ play 5 60 one.json
  
  Result after 5 turns:
    white  100  uct:iterations=200
    black    0  random
  The match completed without player errors.
  Match record: one.json
  $ play 5 90 two.json
  
  Result after 5 turns:
    white  100  uct:iterations=200
    black    0  random
  The match completed without player errors.
  Match record: two.json
  $ play 6 60 other.json
  
  Result after 5 turns:
    white  100  uct:iterations=200
    black    0  random
  The match completed without player errors.
  Match record: other.json
  $ moves() { python -c "import json; print(json.load(open('$1'))['moves'])"; }
  $ test "$(moves one.json)" = "$(moves two.json)" || echo different
  $ test "$(moves one.json)" != "$(moves other.json)" || echo the same

Games from Python: moves that are not legal are refused.

  $ cat > illegal.py << 'END'
  > import numpy as np
  > from ludens import games
  > from ludens.native.core import Game, Simulator
  > from ludens.propnet.compile.loader import load
  > game = Game.from_propnet(load(games.read("tic_tac_toe")))
  > simulator = Simulator(game)
  > states = np.stack([game.initial] * 2)
  > simulator.next(states, np.array([[0, 0], [0, 0]], np.int32))
  > END
  $ python illegal.py 2>&1 | tail -1
  ludens.propnet.base.errors.NativeError: joint move 0: move 0 of role 1 is not legal in its state

What is known of a game, as data.

  $ ludens analyse connect_four --seconds 0.3 --json 2> /dev/null | python -c "import json, sys; print(*sorted(json.load(sys.stdin)), sep='\n')"
  fallback_reason
  feedback
  fingerprint
  game
  gates
  good_play
  levels
  loops
  moves
  not_recognised_as
  profile
  propositions
  random_games
  recognised_as
  roles
  stages
