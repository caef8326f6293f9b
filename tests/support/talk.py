"""Rules of a short game in which all choose at once: all say a word twice, and those who said yes last have won."""

from __future__ import annotations

TALK = """
    (role white) (role black) (init (step 0)) (succ 0 1) (succ 1 2) (word yes) (word (no 1))
    (<= (legal ?r (say ?w)) (role ?r) (word ?w))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= (next (said ?r ?w)) (does ?r (say ?w)))
    (<= terminal (true (step 2)))
    (<= (goal ?r 100) (true (said ?r yes)))
    (<= (goal ?r 0) (role ?r) (not (true (said ?r yes))))
"""
