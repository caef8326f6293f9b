"""Rules of a game of two roles who take turns, with counters: a heap, and steps after which it ends."""

COUNTER = """
(role white) (role black)
(init (control white)) (init (step 1)) (init (heap 3))
(less 1 0) (less 2 1) (less 3 2)
(succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (legal ?r (take ?n ?m)) (true (control ?r)) (true (heap ?n)) (less ?n ?m))
(<= (legal ?r pass) (true (control ?r)))
(<= (next (heap ?m)) (does ?r (take ?n ?m)))
(<= (next (heap ?n)) (true (heap ?n)) (does ?r pass))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= terminal (true (step 4)))
(<= terminal (true (heap 0)))
(<= (goal white 100) (true (control black)))
(<= (goal white 0) (true (control white)))
(<= (goal black 100) (true (control white)))
(<= (goal black 0) (true (control black)))
"""
