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
