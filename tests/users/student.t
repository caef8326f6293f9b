A student of computer science has installed Ludens and tries it in a folder with programs of his own, some of which are
called as parts of Ludens or of Python's library are.

  $ for name in agent native random games; do echo 'raise SystemExit("not yours")' > $name.py; done
  $ mkdir propnet && echo 'raise SystemExit("not yours")' > propnet/__init__.py

He mistypes a command, a game, strategies and options.

  $ ludens validat tic_tac_toe
  ludens: there is no command 'validat'; did you mean validate? (see `ludens --help`)
  [2]
  $ ludens match tic_tac_to
  ludens: no built-in game is called 'tic_tac_to'; did you mean tic_tac_toe? (`ludens games` lists them)
  [2]
  $ ludens match tic_tac_toe UCT random
  ludens: there is no strategy 'UCT'; did you mean uct? (`ludens strategies` explains all)
  [2]
  $ ludens match tic_tac_toe mcts random
  ludens: there is no strategy 'mcts'; did you mean uct? (`ludens strategies` explains all)
  [2]
  $ ludens match tic_tac_toe uct random --playclok 1
  ludens: there is no option --playclok; did you mean --playclock? (see `ludens match --help`)
  [2]
  $ ludens match tic_tac_toe uct:exploraton=1 random
  ludens: there is no setting 'exploraton'; did you mean exploration or iterations? (`ludens serve --help` lists the settings)
  [2]
  $ ludens match tic_tac_toe uct random uct
  ludens: 3 players are too many: the game has 2 roles (cross, nought) (see `ludens match --help`)
  [2]

Ludens says what it can.

  $ ludens --help | sed -n '/^Commands/,/^$/p'
  Commands:
    play        Play any game in your browser.
    match       Play a match between any players.
    tournament  Play many matches and rate the players.
    replay      Step through a match that was recorded.
    archive     Search the matches that were played, and export them.
    serve       Wait for a Game Manager to start a match.
    games       List the built-in games, or print the rules of one.
    strategies  Explain how each strategy chooses its moves.
    validate    Look for mistakes in rule sheets.
    analyse     Show what kind of game the rules make, how balanced it is, and
                what may be wrong with it.
    bench       Measure how fast a game is played.
    perft       Count the lines of play of a game.
    endgame     Build the endgame tables of English draughts.
    compete     Let two policies compete, and print each turn.
    gomocup     Play five in a row for a Gomocup manager.
    tei         Play Tak for a program that speaks TEI.
    data        Make data to learn from.
    train       Train the evaluation of a game.
    learn       Learn a game for hours.
    completion  Print what makes a shell complete commands, options, games and
                strategies.
  
  $ ludens strategies | head -8
  auto                learns the game while the start clock runs, and plays by the
                      most promising search that suits it; the default
  uct                 Monte Carlo tree search: plays random games from the moves
                      that did best so far or were least tried (UCT)
  rave                as uct, but learns about a move from every game in which it
                      was made at any time (RAVE)
  decoupled           as uct, but of players who move at the same time each goes
                      by its own results alone (decoupled UCT)
  $ ludens games | head -3
  amazons              2 players  Move a queen and shoot an arrow, until the other side cannot move any more (8x8).
  breakthrough         2 players  Step forward, capture diagonally: first to the far rank wins (8x8).
  breakthrough_small   2 players  Step forward, capture diagonally: first to the far rank wins (5x5).

He watches a match, with the options where they came to mind, and plays it again.

  $ ludens match tic_tac_toe --seed 1 uct:iterations=300 --startclock 60 random --playclock 60 > match.txt 2> /dev/null
  $ grep -A 8 "^Turn 5" match.txt
  Turn 5: cross (mark 3 3)
    cross thinks: proven win in 3 turns, 178 playouts, expects (mark 3 3) →
      (mark 1 1) → (mark 1 3)
    3  . X X
    2  . X O
    1  . O .
       1 2 3
    (control: nought)
  
  $ ludens match tic_tac_toe --seed 1 uct:iterations=300 --startclock 60 random --playclock 60 --quiet
  
  Result after 7 turns:
    cross   100  uct:iterations=300
    nought    0  random
  The match completed without player errors.

His terminal knows no Unicode.

  $ PYTHONUTF8=0 PYTHONIOENCODING=latin-1 LC_ALL=C ludens match nim --seed 1 random random --startclock 60 --playclock 60 2> /dev/null | tail -3
    first   100  random
    second    0  random
  The match completed without player errors.
