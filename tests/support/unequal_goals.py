"""Rules of games of two in which goals do not sum to 100."""

SPITE = """
(role giver) (role other)
(init (turn giver))
(base (turn giver)) (base (turn other)) (base given) (base taken) (base over)
(input giver give) (input giver keep) (input giver wait) (input other wait) (input other take) (input other leave)
(<= (legal giver give) (true (turn giver))) (<= (legal giver keep) (true (turn giver)))
(<= (legal other take) (true (turn other))) (<= (legal other leave) (true (turn other)))
(<= (legal giver wait) (true (turn other))) (<= (legal other wait) (true (turn giver)))
(<= (next (turn other)) (true (turn giver)))
(<= (next over) (true (turn other)))
(<= (next given) (does giver give)) (<= (next given) (true given))
(<= (next taken) (does other take)) (<= (next taken) (true taken))
(<= terminal (true over))
(<= (goal giver 55) (true taken)) (<= (goal giver 60) (not (true taken)))
(<= (goal other 81) (true given) (true taken)) (<= (goal other 71) (true given) (not (true taken)))
(<= (goal other 11) (not (true given)) (true taken)) (<= (goal other 0) (not (true given)) (not (true taken)))
"""
"""What the first role gets does not depend on its move; what the second one gets does, and little else."""

TOGETHER = """
(role a) (role b) (init (turn a))
(base (turn a)) (base (turn b)) (base won) (base over)
(input a l) (input a r) (input a noop) (input b noop)
(<= (legal a l) (true (turn a))) (<= (legal a r) (true (turn a)))
(<= (legal a noop) (true (turn b))) (legal b noop)
(<= (next won) (does a l)) (<= (next over) (true (turn a)))
(<= terminal (true over))
(<= (goal ?r 100) (role ?r) (true won)) (<= (goal ?r 0) (role ?r) (not (true won)))
"""
"""Both win, or neither."""
