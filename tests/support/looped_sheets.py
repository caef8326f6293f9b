"""Recursive rules whose loops end in part once constants are folded, as each phase of a game has its own."""

_WALK = """
(role p) (init on) (next on) (init lit)
(<= (next off) (not (true on)))
(<= (next lit) (not (true lit)))
(legal p (to a)) (legal p (to b)) (legal p (to c)) (legal p (to d))
(<= (next (start ?x)) (does p (to ?x)))
(<= (next (open ?x ?y)) (link ?x ?y) (does p (to ?x)))
(<= (next (open ?x ?y)) (true (open ?x ?y)) (not (does p (to d))))
(<= (door ?x ?y) (true (open ?x ?y)))
(<= (reach ?x) (true (start ?x)) (true lit))
(<= (reach ?y) (reach ?x) (door ?x ?y))
(<= (goal p 10) (reach a))
(<= (goal p 20) (reach b))
(<= (next (seen ?x)) (reach ?x))
(<= terminal (reach c) (true (seen c)))
"""

_CHOICE = """
(role p) (legal p one) (legal p two) (legal p three) (legal p four)
(<= (next (open ?m)) (does p ?m))
(<= (next (open ?m)) (true (open ?m)) (not (does p four)))
(<= a (true (open one)) (true (open four)))
(<= c a (true (open one)))
(<= d a (true (open one)))
(<= a (true (open two)) c)
(<= a (not (true (open two))) d)
(<= (next (seen a)) a) (<= (next (seen c)) c) (<= (next (seen d)) d)
(<= terminal c (true (seen d)) (true (open three)))
(<= (goal p 30) (true (seen a)))
"""

_TURNS = """
(role w) (role b) (init (control w))
(<= (next (control w)) (true (control b))) (<= (next (control b)) (true (control w)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (legal ?r (set ?n)) (true (control ?r)) (number ?n))
(number 1) (number 2) (number 3)
(<= (next (s ?n)) (does ?r (set ?n)))
(<= (next (s ?n)) (true (s ?n)) (number ?n) (not (does w (set 3))))
(<= p (true (s 1))) (<= p q (true (control b)))
(<= q (true (s 2))) (<= q p (true (control b)))
(<= x (true (s 3))) (<= x y (true (control w))) (<= y x (true (control w))) (<= y (true (s 1)) (true (control w)))
(<= (next (seen p)) p) (<= (next (seen q)) q) (<= (next (seen x)) x) (<= (next (seen y)) y)
(<= terminal p q x y (true (seen p)))
(<= (goal w 10) (true (seen x))) (<= (goal b 20) (true (seen y)))
"""

LOOPS = {
    "what_drives_it_lies_before": _WALK
    + "(link a b) (link b a) (link c a) (<= (door b c) (true off)) (<= (door d d) (true on))",
    "inputs_drive_themselves": _WALK + "(link a b) (link b a) (<= (door c d) (true on)) (<= (door d c) (true on))",
    "inputs_are_the_same": _CHOICE,
    "loops_are_of_one_turn": _TURNS,
}
