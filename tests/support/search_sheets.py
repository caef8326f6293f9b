"""Rule sheets of small games made to be searched."""

from __future__ import annotations

PENNIES = """
(role even) (role odd)
(init toss)
(<= (legal ?player (show heads)) (role ?player) (true toss))
(<= (legal ?player (show tails)) (role ?player) (true toss))
(<= (next (shown ?player ?side)) (does ?player (show ?side)))
(<= equal (true (shown even ?side)) (true (shown odd ?side)))
(<= terminal (not (true toss)))
(<= (goal even 100) equal)
(<= (goal even 0) (not equal))
(<= (goal odd 0) equal)
(<= (goal odd 100) (not equal))
"""


DILEMMA = """
(role row) (role column)
(init apart)
(<= (legal ?prisoner silent) (role ?prisoner))
(<= (legal ?prisoner betray) (role ?prisoner))
(<= (next (did ?prisoner ?what)) (does ?prisoner ?what))
(<= terminal (not (true apart)))
(other row column) (other column row)
(pay silent silent 60) (pay silent betray 0) (pay betray silent 100) (pay betray betray 20)
(<= (goal ?a ?n) (other ?a ?b) (true (did ?a ?x)) (true (did ?b ?y)) (pay ?x ?y ?n))
"""


# Who keeps has 30 more, who gives has 20 more for all.
COMMONS = """
(role a) (role b) (role c)
(init open)
(<= (legal ?r keep) (role ?r) (true open))
(<= (legal ?r give) (role ?r) (true open))
(<= (next (did ?r ?what)) (does ?r ?what))
(<= terminal (not (true open)))
(three a b c) (three b c a) (three c a b)
(pay keep keep keep 30) (pay keep keep give 50) (pay keep give keep 50) (pay keep give give 70)
(pay give keep keep 20) (pay give keep give 40) (pay give give keep 40) (pay give give give 60)
(<= (goal ?r ?n) (three ?r ?s ?t) (true (did ?r ?x)) (true (did ?s ?y)) (true (did ?t ?z)) (pay ?x ?y ?z ?n))
"""


# One combination in 243 opens the lock.
LOCK = """
(role thief)
(init (at 0))
(follows 0 1) (follows 1 2) (follows 2 3) (follows 3 4) (follows 4 5)
(digit 1) (digit 2) (digit 3)
(<= (legal thief (turn ?d)) (digit ?d))
(<= (next (at ?m)) (true (at ?n)) (follows ?n ?m))
(<= (next (set ?n ?d)) (does thief (turn ?d)) (true (at ?n)))
(<= (next (set ?n ?d)) (true (set ?n ?d)))
(<= open (true (set 0 2)) (true (set 1 1)) (true (set 2 3)) (true (set 3 3)) (true (set 4 1)))
(<= terminal (true (at 5)))
(<= (goal thief 100) open)
(<= (goal thief 0) (not open))
"""


# Each in turn goes left or right and cares for its own goal only: pay lists the three ways, then the three goals.
THREE = """
(role a) (role b) (role c)
(init (turn a))
(<= (legal a ?side) (true (turn a)) (side ?side))
(<= (legal b ?side) (true (turn b)) (side ?side))
(<= (legal c ?side) (true (turn c)) (side ?side))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(side left) (side right)
(after a b) (after b c) (after c end)
(<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
(<= (next (took ?r ?side)) (does ?r ?side) (distinct ?side wait))
(<= (next (took ?r ?side)) (true (took ?r ?side)))
(<= terminal (true (turn end)))
(pay left left left 60 40 30) (pay left left right 0 90 70)
(pay left right left 90 50 10) (pay left right right 20 60 20)
(pay right left left 50 10 0) (pay right left right 30 60 40)
(pay right right left 40 90 90) (pay right right right 90 0 20)
(<= (ends ?x ?y ?z) (true (took a ?x)) (true (took b ?y)) (true (took c ?z)))
(<= (goal a ?n) (ends ?x ?y ?z) (pay ?x ?y ?z ?n ?m ?k))
(<= (goal b ?m) (ends ?x ?y ?z) (pay ?x ?y ?z ?n ?m ?k))
(<= (goal c ?k) (ends ?x ?y ?z) (pay ?x ?y ?z ?n ?m ?k))
"""


# Two moves in one step never happen; they would give the goal 100. The last step but one has 81 moves.
FORK = """
(role p)
(init narrow)
(step 1 2) (step 2 3) (step 3 4) (step 4 5) (step 5 6) (step 6 7) (step 7 8)
(digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(<= (legal p left) (not (true wide)))
(<= (legal p right) (not (true wide)))
(<= (legal p (pick ?x ?y)) (digit ?x) (digit ?y) (true wide))
(<= (next two) (does p left) (does p right))
(<= (next two) (does p left) (does p (pick ?x ?y)))
(<= (next two) (does p right) (does p (pick ?x ?y)))
(<= (next two) (true two))
(<= walking (true (at ?n)))
(<= (next (at 1)) (not walking))
(<= (next (at ?n)) (true (at ?m)) (step ?m ?n))
(<= (next wide) (true (at 6)))
(<= (next (took left ?n)) (does p left) (true (at ?n)))
(<= (next (took ?side ?n)) (true (took ?side ?n)))
(<= terminal (true (at 8)))
(<= lefts (true (took left ?n)))
(<= (goal p 100) (true two))
(<= (goal p 1) lefts (not (true two)))
(<= (goal p 0) (not lefts) (not (true two)))
"""

# Who takes the last of six things, one or two at a time, has won. That only one can win is written nowhere.
HEAP = f"""
(role a) (role b)
(init (left 6)) (init (turn a))
{" ".join(f"(less {n} 1 {n - 1})" for n in range(1, 7))}
{" ".join(f"(less {n} 2 {n - 2})" for n in range(2, 7))}
(other a b) (other b a)
(<= (legal ?r (take ?k)) (true (turn ?r)) (true (left ?n)) (less ?n ?k ?m))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (left ?m)) (does ?r (take ?k)) (true (left ?n)) (less ?n ?k ?m))
(<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
(<= (next (won ?r)) (does ?r (take ?k)) (true (left ?n)) (less ?n ?k 0))
(<= terminal (true (left 0)))
(<= (goal ?r 100) (true (won ?r)))
(<= (goal ?r 0) (role ?r) (not (true (won ?r))))
"""

# The two goals sum to 100 at every end but one, which is as good for b as taking is, and better for a.
RARE = f"""
(role a) (role b)
(init start)
(digit 1) (digit 2) (digit 3)
{" ".join(f"(follows {n} {n + 1})" for n in range(9))}
(<= (legal a dare) (true start))
(<= (legal a leave) (true start))
(<= (legal a wait) (not (true start)))
(<= (legal b wait) (true start))
(<= (legal b take) (true (at 0)))
(<= (legal b (dial ?d)) (digit ?d) (true (at ?n)))
(<= (next (at 0)) (does a dare))
(<= (next left) (does a leave))
(<= (next taken) (does b take))
(<= (next (at ?m)) (does b (dial ?d)) (true (at ?n)) (follows ?n ?m))
(<= (next (set ?n ?d)) (does b (dial ?d)) (true (at ?n)))
(<= (next (set ?n ?d)) (true (set ?n ?d)))
(<= open {" ".join(f"(true (set {n} 2))" for n in range(9))})
(<= terminal (true left))
(<= terminal (true taken))
(<= terminal (true (at 9)))
(<= (goal a 20) (true left)) (<= (goal b 80) (true left))
(<= (goal a 0) (true taken)) (<= (goal b 100) (true taken))
(<= (goal a 100) (true (at 9)))
(<= (goal b 100) (true (at 9)) open)
(<= (goal b 0) (true (at 9)) (not open))
"""

# Besides, a may wander, which is worth more to it than to leave; of many ends one does not sum to 100.
WANDERING = f"""{RARE}
(<= (legal a wander) (true start))
(<= (legal b (dial ?d)) (digit ?d) (true (walk ?n)))
(<= (next (walk 0)) (does a wander))
(<= (next (walk ?m)) (does b (dial ?d)) (true (walk ?n)) (follows ?n ?m))
(<= (next (set ?n ?d)) (does b (dial ?d)) (true (walk ?n)))
(<= terminal (true (walk 9)))
(<= (goal a 50) (true (walk 9)))
(<= (goal b 50) (true (walk 9)) (not open))
(<= (goal b 100) (true (walk 9)) open)
"""
