"""Rules with more legal moves than can be listed."""

from __future__ import annotations


def _numbers(count: int) -> str:
    return " ".join(f"(num {i})" for i in range(1, count + 1))


_SIX = "(num ?a) (num ?b) (num ?c) (num ?d) (num ?e) (num ?f)"
_NEXT = "(<= (next (last ?m)) (does r ?m))"

MILLION = f"""
(role r) (role s) (init (turn r)) {_numbers(1000)}
(<= (legal ?p (put ?x ?y)) (true (turn ?p)) (num ?x) (num ?y))
(<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
(<= (next (turn s)) (true (turn r))) (<= (next (turn r)) (true (turn s)))
(<= (next (cell ?x ?y)) (does ?p (put ?x ?y))) (<= (next (cell ?x ?y)) (true (cell ?x ?y)))
(<= terminal (true (cell 1 1)) (true (cell 2 2)))
(goal r 50) (goal s 50)
"""
"""Two roles take turns with 1,000,000 moves each."""

PUT_SIX = f"""
(role r) (init start) {_numbers(40)} (<= (legal r (put ?a ?b ?c ?d ?e ?f)) {_SIX}) {_NEXT}
(<= terminal (true (last (put 1 1 1 1 1 1)))) (goal r 100)
"""
"""One role with 40 to the power of 6 moves."""

PUT_SIX_HIDDEN = f"""
(role r) (init start) {_numbers(40)} (<= (six ?a ?b ?c ?d ?e ?f) {_SIX}) {_NEXT}
(<= (legal r (put ?a ?b ?c ?d ?e ?f)) (six ?a ?b ?c ?d ?e ?f) (distinct ?a ?b))
(<= can_move (legal r ?m)) (<= terminal (not can_move)) (goal r 100)
"""
"""The same with the multitude in another relation, and an end that depends on there being a move."""

UNSTOPPED = f"""
(role r) (init start) {_numbers(40)} (<= (after 1 ?y) (num ?y)) (<= (after ?x ?z) (after ?x ?y) (after ?y ?z)) {_NEXT}
(<= (legal r (put ?a ?b ?c ?d ?e ?f)) {_SIX}
    (after 1 ?a) (or (distinct ?a ?b) (and (distinct ?a ?c) (not (after ?b 0)))))
(<= terminal (true (last (put 1 1 1 1 1 1)))) (goal r 100)
"""
"""The same with a recursive relation, a disjunction and a negation."""

_TWENTY_STEPS = f"""
{" ".join(f"(follows {n} {n + 1})" for n in range(20))} (init (step 0))
(<= (next (step ?n)) (true (step ?m)) (follows ?m ?n)) (<= terminal (true (step 20))) (goal r 50)
"""

PUT_FREE = f"""
(role r) {_numbers(40)} {_TWENTY_STEPS}
(<= (free ?x) (num ?x) (not (true (used ?x))))
(<= (legal r (put ?a ?b ?c ?d)) (free ?a) (free ?b) (free ?c) (free ?d))
(<= (next (used ?x)) (true (used ?x))) (<= (next (used ?a)) (does r (put ?a ?b ?c ?d)))
"""
"""One role with up to 40 to the power of 4 moves, of numbers that are fewer after every move."""

PUT_FREE_PAIRS = f"""
(role r) {_numbers(20)} {_TWENTY_STEPS}
(<= (free (two ?x ?y)) (num ?x) (num ?y) (not (true (used ?x))))
(<= (legal r (put ?p ?q)) (free ?p) (free ?q))
(<= (next (used ?x)) (true (used ?x))) (<= (next (used ?x)) (does r (put (two ?x ?y) ?q)))
"""
"""One role with up to 160,000 moves, of pairs of numbers."""

PUT_TWO_CELLS = f"""
(role r) {_TWENTY_STEPS} {" ".join(f"(init (cell {x} {y} empty))" for x in range(20) for y in range(20))}
(<= (legal r (put ?a ?b ?c ?d)) (true (cell ?a ?b empty)) (true (cell ?c ?d empty)))
(<= (next (cell ?a ?b full)) (does r (put ?a ?b ?c ?d))) (<= (next (cell ?a ?b full)) (true (cell ?a ?b full)))
(<= (next (cell ?x ?y empty)) (true (cell ?x ?y empty)) (not (filled ?x ?y)))
(<= (filled ?a ?b) (does r (put ?a ?b ?c ?d)))
"""
"""One role with 160,000 moves, of two cells of a board at once."""


def many_dead_ends(only: int) -> str:
    """Rules whose single legal move is one of very many that fit all but the last condition."""
    tests = " ".join(f"(right ?{name})" for name in "abcdef")
    hidden = "(<= (right ?x) (num ?x) (not (wrong ?x)))"
    wrong = " ".join(f"(wrong {i})" for i in range(1, 41) if i != only)
    return f"""
    (role r) (init start) {_numbers(40)} {wrong} {hidden} {_NEXT}
    (<= (legal r (put ?a ?b ?c ?d ?e ?f)) {_SIX} {tests})
    (<= terminal (true (last noop))) (goal r 100)
    """
