"""Rules of games that end before the first move: the first state is terminal, or a role has no legal move there."""

_TAKING = """
(role white) (role black)
(init (cell 1 1 white)) (init (cell 1 2 black)) (init (cell 1 3 white)) (init (control white))
(<= (legal ?r (take ?x)) (true (control ?r)) (true (cell 1 ?x ?s)))
(<= (next (cell 1 ?x ?r)) (does ?r (take ?x)))
(<= (next (cell 1 ?x ?s)) (true (cell 1 ?x ?s)) (does ?r (take ?y)) (distinct ?x ?y))
(<= (next (control black)) (true (control white))) (<= (next (control white)) (true (control black)))
(<= won (true (cell 1 1 ?r)) (true (cell 1 2 ?r)))
(<= (goal ?r 100) (true (cell 1 1 ?r)) (true (cell 1 2 ?r)))
(<= (goal ?r 50) (role ?r) (not won))
(<= (goal ?r 0) (role ?r) won (not (true (cell 1 1 ?r))))
"""
_WAITING = "(<= (legal ?r noop) (role ?r) (not (true (control ?r))))"

UNBEGUN = {
    "terminal at first": _TAKING + _WAITING + "(<= terminal (true (cell 1 1 ?r)))",
    "no move to wait with": _TAKING + "(<= terminal won)",
    "no moves for a role": _TAKING.replace("(legal ?r (take ?x))", "(legal white (take ?x))") + "(<= terminal won)",
}
