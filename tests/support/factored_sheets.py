"""Small games in factors, written for tests: played at the same time or one at a time, by one role or two."""

from __future__ import annotations

# Two men on four squares each, moved at the same time, until one is caught, both are home, or six steps are made.
WALKERS = """
(role robot) (init (at a 2)) (init (at b 3)) (init (step 0))
(way 1 right 2) (way 2 right 3) (way 3 right 4) (way 2 left 1) (way 3 left 2) (way 4 left 3)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (can ?who ?move) (true (at ?who ?x)) (way ?x ?move ?y))
(<= (can ?who stay) (true (at ?who ?x)) (distinct ?x 3))
(<= (legal robot (go ?m ?n)) (can a ?m) (can b ?n))
(<= (next (at a ?y)) (does robot (go ?m ?n)) (true (at a ?x)) (way ?x ?m ?y))
(<= (next (at a ?x)) (does robot (go stay ?n)) (true (at a ?x)))
(<= (next (at b ?y)) (does robot (go ?m ?n)) (true (at b ?x)) (way ?x ?n ?y))
(<= (next (at b ?x)) (does robot (go ?m stay)) (true (at b ?x)))
(<= (next (been b ?x)) (true (at b ?x)))
(<= (next (been b ?x)) (true (been b ?x)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= caught (true (at a 1)))
(<= caught (true (at b 4)))
(<= home (true (at a 4)) (true (at b 1)) (true (been b 2)) (true (been b 3)))
(<= terminal caught) (<= terminal home) (<= terminal (true (step 6)))
(<= (goal robot 100) home)
(<= (goal robot 40) (not home) (not caught) (true (at a 4)))
(<= (goal robot 0) (not home) caught)
(<= (goal robot 0) (not home) (not caught) (not (true (at a 4))))
"""

# The same without a way home: who has been where the second man is caught does not get home.
BARRED_WALKERS = WALKERS.replace("(true (been b 3))", "(true (been b 3)) (true (been b 4))")

# Two dials, one of which is turned at a time while the other rests; they must stand at 3 and 5 at once.
DIALS = """
(role robot) (init (dial a 0)) (init (dial b 0)) (init (step 0)) (which a) (which b)
(up 0 1) (up 1 2) (up 2 3) (up 3 4) (up 4 5)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
(<= (legal robot (turn ?d)) (which ?d) (true (dial ?d ?x)) (up ?x ?y))
(<= (legal robot (back ?d)) (which ?d) (true (dial ?d ?x)) (up ?y ?x))
(<= (touched ?d) (does robot (turn ?d)))
(<= (touched ?d) (does robot (back ?d)))
(<= (next (dial ?d ?y)) (does robot (turn ?d)) (true (dial ?d ?x)) (up ?x ?y))
(<= (next (dial ?d ?y)) (does robot (back ?d)) (true (dial ?d ?x)) (up ?y ?x))
(<= (next (dial ?d ?x)) (true (dial ?d ?x)) (not (touched ?d)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= open (true (dial a 3)) (true (dial b 5)))
(<= terminal open) (<= terminal (true (step 9)))
(<= (goal robot 100) open) (<= (goal robot 10) (not open))
"""

# Lamps that go out by themselves two steps after they were lit, in two rooms: a room must be lit at once.
ROOMS = """
(role robot) (init (step 0)) (room a) (room b) (lamp 1) (lamp 2)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal robot (press ?r ?l)) (room ?r) (lamp ?l))
(<= (next (lit ?r ?l 2)) (does robot (press ?r ?l)))
(<= (next (lit ?r ?l 1)) (true (lit ?r ?l 2)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (on ?r ?l) (true (lit ?r ?l ?n)))
(<= (all ?r) (room ?r) (on ?r 1) (on ?r 2))
(<= terminal (all ?r)) (<= terminal (true (step 4)))
(<= (goal robot 100) (all b)) (<= (goal robot 60) (all a) (not (all b)))
(<= (goal robot 0) (not (all a)) (not (all b)))
"""

PUZZLES = {"walkers": WALKERS, "barred walkers": BARRED_WALKERS, "dials": DIALS, "rooms": ROOMS}

# Two rows of five squares; on each the players set stones in turn, on one the second player begins, so that both
# move at once. Two stones of one player side by side end a row. A row won is worth 50, one not won 25 to both.
TWO_ROWS = """
(role x) (role o) (row top) (row low) (init (turn top x)) (init (turn low o))
(opponent x o) (opponent o x) (beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5)
(square 1) (square 2) (square 3) (square 4) (square 5)
(<= (taken ?r ?s) (true (stone ?r ?s ?p)))
(<= (free ?r ?s) (row ?r) (square ?s) (not (taken ?r ?s)))
(<= (open ?r) (free ?r ?s))
(<= (pair ?r ?p) (true (stone ?r ?s ?p)) (true (stone ?r ?t ?p)) (beside ?s ?t))
(<= (decided ?r) (pair ?r ?p))
(<= (going ?r) (row ?r) (open ?r) (not (decided ?r)))
(<= (legal ?p (set ?r ?s)) (true (turn ?r ?p)) (free ?r ?s) (going ?r))
(<= (legal ?p noop) (true (turn ?r ?p)) (not (going ?r)))
(<= (next (stone ?r ?s ?p)) (does ?p (set ?r ?s)))
(<= (next (stone ?r ?s ?p)) (true (stone ?r ?s ?p)))
(<= (next (turn ?r ?q)) (true (turn ?r ?p)) (opponent ?p ?q))
(<= terminal (not (going top)) (not (going low)))
(<= (goal ?p 100) (pair top ?p) (pair low ?p))
(<= (goal ?p 75) (pair top ?p) (not (decided low)))
(<= (goal ?p 75) (pair low ?p) (not (decided top)))
(<= (goal ?p 50) (pair top ?p) (opponent ?p ?q) (pair low ?q))
(<= (goal ?p 50) (pair low ?p) (opponent ?p ?q) (pair top ?q))
(<= (goal ?p 50) (role ?p) (not (decided top)) (not (decided low)))
(<= (goal ?p 25) (opponent ?p ?q) (pair top ?q) (not (decided low)))
(<= (goal ?p 25) (opponent ?p ?q) (pair low ?q) (not (decided top)))
(<= (goal ?p 0) (opponent ?p ?q) (pair top ?q) (pair low ?q))
"""

# Two rows of five squares and one turn: a stone on either, or none. Two side by side on the top row win, on the
# low row lose; a full row is a draw.
ONE_OF_ROWS = """
(role x) (role o) (row top) (row low) (init (turn x))
(opponent x o) (opponent o x) (beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5)
(square 1) (square 2) (square 3) (square 4) (square 5)
(<= (taken ?r ?s) (true (stone ?r ?s ?p)))
(<= (free ?r ?s) (row ?r) (square ?s) (not (taken ?r ?s)))
(<= (open ?r) (free ?r ?s))
(<= (pair ?r ?p) (true (stone ?r ?s ?p)) (true (stone ?r ?t ?p)) (beside ?s ?t))
(<= (decided ?r) (pair ?r ?p))
(<= (over ?r) (decided ?r))
(<= (over ?r) (row ?r) (not (open ?r)))
(<= (legal ?p (set ?r ?s)) (true (turn ?p)) (free ?r ?s))
(<= (legal ?p noop) (role ?p))
(<= (next (stone ?r ?s ?p)) (does ?p (set ?r ?s)))
(<= (next (stone ?r ?s ?p)) (true (stone ?r ?s ?p)))
(<= (next (turn ?q)) (true (turn ?p)) (opponent ?p ?q))
(<= terminal (over ?r))
(<= (goal ?p 100) (pair top ?p))
(<= (goal ?p 0) (opponent ?p ?q) (pair top ?q))
(<= (goal ?p 0) (pair low ?p))
(<= (goal ?p 100) (opponent ?p ?q) (pair low ?q))
(<= (goal ?p 50) (role ?p) (over ?r) (not (decided ?r)))
"""

# Two rows of five squares, on each of which the players set stones in turn, on one the second player first. The first
# two side by side win; it is a draw if both players have such at the same time, and if both rows are full.
TWO_RACES = """
(role x) (role o) (row top) (row low) (init (turn top x)) (init (turn low o))
(opponent x o) (opponent o x) (beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5)
(square 1) (square 2) (square 3) (square 4) (square 5)
(<= (taken ?r ?s) (true (stone ?r ?s ?p)))
(<= (free ?r ?s) (row ?r) (square ?s) (not (taken ?r ?s)))
(<= open (free ?r ?s))
(<= (pair ?p) (true (stone ?r ?s ?p)) (true (stone ?r ?t ?p)) (beside ?s ?t))
(<= (legal ?p (set ?r ?s)) (true (turn ?r ?p)) (free ?r ?s))
(<= (next (stone ?r ?s ?p)) (does ?p (set ?r ?s)))
(<= (next (stone ?r ?s ?p)) (true (stone ?r ?s ?p)))
(<= (next (turn ?r ?q)) (true (turn ?r ?p)) (opponent ?p ?q))
(<= terminal (pair ?p)) (<= terminal (not open))
(<= (goal ?p 100) (pair ?p) (opponent ?p ?q) (not (pair ?q)))
(<= (goal ?p 50) (pair ?p) (opponent ?p ?q) (pair ?q))
(<= (goal ?p 50) (role ?p) (not (pair x)) (not (pair o)))
(<= (goal ?p 0) (opponent ?p ?q) (pair ?q) (not (pair ?p)))
"""

MATCHES = {"two rows": TWO_ROWS, "one of rows": ONE_OF_ROWS, "two races": TWO_RACES}
SHEETS = PUZZLES | MATCHES
