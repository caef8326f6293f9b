A game designer writes the rules of a game and makes one mistake after another.

Two players take turns to mark one of five places in a row. Whoever completes three neighbours loses.

  $ cp "$TESTDIR/row.kif" .
  $ ludens validate --no-play row.kif
  row.kif: no mistake found

A parenthesis is missing.

  $ sed 's/(true (place ?n free)))/(true (place ?n free))/' row.kif > mistake.kif
  $ ludens validate mistake.kif
  mistake.kif: line 11, column 1: error: this rule for legal is not closed: a ')' is missing, it seems in line 13 behind column 26
      11 | (<= (legal ?player (mark ?n))
         | ^
  mistake.kif: 1 error
  [1]

The name of a role is misspelt, and a fact has one argument too few.

  $ sed 's/legal bob wait/legal bub wait/; s/(true (place ?c marked))/(true (place marked))/' row.kif > mistake.kif
  $ ludens validate mistake.kif
  mistake.kif: line 2, column 1: warning: ann can never win: no rule gives it the goal 100, at most 50
       2 | (role ann)
         | ^
  mistake.kif: line 3, column 1: warning: bob can never win: no rule gives it the goal 100, at most 50
       3 | (role bob)
         | ^
  mistake.kif: line 16, column 5: error: bub in (legal bub wait) is no role: the roles are ann, bob
      16 | (<= (legal bub wait)
         |     ^
  mistake.kif: line 34, column 5: error: (place marked) has 1 argument, but 2 arguments where init or next makes it
      34 |     (true (place marked)))
         |     ^
  mistake.kif: 2 errors and 2 warnings
  [1]

A name is misspelt.

  $ sed 's/(next (place ?n marked))/(next (plcae ?n marked))/' row.kif > mistake.kif
  $ ludens validate --no-play mistake.kif
  mistake.kif: line 2, column 1: warning: ann can never win: no rule gives it the goal 100, at most 50
       2 | (role ann)
         | ^
  mistake.kif: line 3, column 1: warning: bob can never win: no rule gives it the goal 100, at most 50
       3 | (role bob)
         | ^
  mistake.kif: line 19, column 5: warning: nothing reads (plcae ?n marked); did you mean place?
      19 | (<= (next (plcae ?n marked))
         |     ^
  mistake.kif: line 32, column 5: warning: (true (place ?a marked)) never holds: instead of marked there is only free
      32 |     (true (place ?a marked))
         |     ^
  mistake.kif: line 33, column 5: warning: (true (place ?b marked)) never holds: instead of marked there is only free
      33 |     (true (place ?b marked))
         |     ^
  mistake.kif: line 34, column 5: warning: (true (place ?c marked)) never holds: instead of marked there is only free
      34 |     (true (place ?c marked)))
         |     ^
  mistake.kif: 6 warnings

Bob has no move while he waits. Only play shows that, and how it came about.

  $ sed '/legal bob wait/,+1d' row.kif > mistake.kif
  $ ludens validate mistake.kif 2> /dev/null
  mistake.kif: line 11, column 5: warning: bob has no legal move in 100 % of * random games, for example at the very beginning: each role needs a move at every step, if only (<= (legal bob noop) …) (glob)
      11 | (<= (legal ?player (mark ?n))
         |     ^
  mistake.kif: 1 warning; played * random games (glob)
  $ ludens analyse mistake.kif 2> /dev/null | grep -o -E "bob has no legal move in 100.0 %|see one: .*"
  bob has no legal move in 100.0 %
  see one: ludens analyse mistake.kif --show stuck
  $ ludens analyse mistake.kif --show stuck 2> /dev/null
  Start
    1 .   2 .   3 .   4 .   5 .
    (control: ann)
  
  The game is not over: ann has 5 legal moves; bob has no legal move.
  $ ludens match mistake.kif random random --startclock 60 --playclock 60 --quiet
  
  Aborted after 0 turns.
  ludens: the rules leave bob without a legal move before the end
  [1]

Nobody says what stays as it is: the frame axiom is missing.

  $ sed '/next (place ?n ?what)/,+3d' row.kif > mistake.kif
  $ ludens validate mistake.kif 2> /dev/null | grep -A 1 -E "last one step|terminal"
  mistake.kif: line 19, column 5: warning: facts (place … …), such as (place 1 free), last one step only: what is not to change needs a rule that says so, such as (<= (next (place ?a ?b)) (true (place ?a ?b)) …)
      19 | (<= (next (place ?n marked))
  --
  mistake.kif: line 31, column 5: warning: terminal is never reached in * random games: check the rules for terminal, or count the steps and end the game after a number of them (glob)
      31 | (<= terminal three)
         |     ^

Nobody may win, and some ends give two goals.

  $ sed 's/goal ?player 100/goal ?player 90/; s/goal ?player 0/goal ann 0/' row.kif > mistake.kif
  $ ludens validate mistake.kif 2> /dev/null | grep warning
  mistake.kif: line 2, column 1: warning: ann can never win: no rule gives it the goal 100, at most 90
  mistake.kif: line 3, column 1: warning: bob can never win: no rule gives it the goal 100, at most 90
  mistake.kif: line 36, column 5: warning: ann and bob have several goals (0, 90) at the end of 50.4 % of * random games, for example after ((mark 5) wait), (wait (mark 3)), ((mark 1) wait), (wait (mark 2)): only one may hold (glob)
  mistake.kif: 3 warnings; played * random games (glob)

Is the game fair? Not when both play well.

  $ ludens analyse row.kif --strength --json 2> /dev/null > row.json
  $ python -c "import json; print([role['wins']['count'] for role in json.load(open('row.json'))['good_play']['results']])"
  [30, 0]

Where the rules are no game at all, every command says so in the same way.

  $ echo "(role ann" > mistake.kif
  $ ludens validate mistake.kif
  mistake.kif: line 1, column 1: error: this fact for role is not closed: a ')' is missing, it seems in line 1 behind column 9
       1 | (role ann
         | ^
  mistake.kif: 1 error
  [1]
  $ ludens analyse mistake.kif
  ludens: mistake: line 1, column 1: this fact for role is not closed: a ')' is missing, it seems in line 1 behind column 9; `ludens validate` shows all mistakes
  [1]
  $ ludens bench mistake.kif
  ludens: mistake: line 1, column 1: this fact for role is not closed: a ')' is missing, it seems in line 1 behind column 9; `ludens validate` shows all mistakes
  [1]
  $ ludens match mistake.kif random
  ludens: mistake: line 1, column 1: this fact for role is not closed: a ')' is missing, it seems in line 1 behind column 9; `ludens validate` shows all mistakes
  [1]
