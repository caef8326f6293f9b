"""Small games of two who choose at once and whose goals sum to 100, as GDL: what exploitability is measured on.

Each function returns the text of a rule sheet. Nobody sees what the other does before both have done it.
"""

from __future__ import annotations

from collections.abc import Sequence

_PLAYERS = "(role row) (role column) (opponent row column) (opponent column row)\n"
_NUMBERS = """
(<= (number ?n) (succ ?n ?m))
(<= (number ?m) (succ ?n ?m))
(<= (above ?m ?n) (succ ?n ?m))
(<= (above ?m ?n) (above ?m ?k) (succ ?n ?k))
(<= (plus ?n 0 ?n) (number ?n))
(<= (plus ?n ?k ?m) (succ ?j ?k) (plus ?n ?j ?l) (succ ?l ?m))
"""


def matrix(payoffs: Sequence[Sequence[int]]) -> str:
    """Writes a matrix game: `payoffs[i][j]`, 0 to 100, is the goal of the row player for its i and the other's j."""
    cells = "".join(
        f"(pays {i} {j} {goal} {100 - goal})\n" for i, row in enumerate(payoffs) for j, goal in enumerate(row)
    )
    rows = "".join(f"(choice row {i}) " for i in range(len(payoffs)))
    columns = "".join(f"(choice column {j}) " for j in range(len(payoffs[0])))
    return f"""{_PLAYERS}{cells}{rows}{columns}
(init open)
(<= (legal ?player ?n) (choice ?player ?n) (true open))
(<= (next (chose ?player ?n)) (does ?player ?n))
(<= terminal (not (true open)))
(<= (paid ?g ?h) (true (chose row ?i)) (true (chose column ?j)) (pays ?i ?j ?g ?h))
(<= (goal row ?g) (paid ?g ?h))
(<= (goal column ?h) (paid ?g ?h))
"""


def goofspiel(prizes: Sequence[int]) -> str:
    """Cards 1 to n are bid for the prizes, in their order; the higher takes the prize, nobody does on a tie."""
    cards, total = range(1, len(prizes) + 1), sum(prizes)
    follows = "".join(f"(after {n} {prize} {n + 1}) " for n, prize in enumerate(prizes))
    return f"""{_PLAYERS}{_count(2 * total)}{_NUMBERS}{follows}
{"".join(f"(card {card}) (init (hand row {card})) (init (hand column {card}))" for card in cards)}
(init (round 0)) (init (lead {total}))
(<= (legal ?player (bid ?card)) (true (hand ?player ?card)))
(<= (next (hand ?player ?card)) (true (hand ?player ?card)) (not (does ?player (bid ?card))))
(<= (next (round ?m)) (true (round ?n)) (after ?n ?prize ?m))
(<= (takes ?player) (does ?player (bid ?c)) (opponent ?player ?other) (does ?other (bid ?d)) (above ?c ?d))
(<= (prize ?p) (true (round ?n)) (after ?n ?p ?m))
(<= (next (lead ?m)) (takes row) (true (lead ?n)) (prize ?p) (plus ?n ?p ?m))
(<= (next (lead ?n)) (takes column) (true (lead ?m)) (prize ?p) (plus ?n ?p ?m))
(<= (next (lead ?n)) (true (lead ?n)) (not (takes row)) (not (takes column)))
(<= terminal (true (round {len(prizes)})))
(<= ahead (true (lead ?n)) (above ?n {total}))
(<= even (true (lead {total})))
(<= (goal row 100) ahead) (<= (goal column 0) ahead)
(<= (goal row 50) even) (<= (goal column 50) even)
(<= (goal row 0) (not ahead) (not even)) (<= (goal column 100) (not ahead) (not even))
"""


def tug_of_war(coins: int, rounds: int) -> str:
    """Both bid coins at once; the higher bid is paid to the other and pulls a token by one of 5 places.

    Who pulls it to its end, 2 from the middle, has 100; after all rounds each place is worth 25.
    """
    return f"""{_PLAYERS}{_count(max(2 * coins, rounds, 4))}{_NUMBERS}
(init (coins row {coins})) (init (coins column {coins})) (init (token 2)) (init (round 0))
(<= (legal ?player (bid ?n)) (number ?n) (true (coins ?player ?c)) (not (above ?n ?c)))
(<= (wins ?player ?b) (does ?player (bid ?b)) (opponent ?player ?other) (does ?other (bid ?c)) (above ?b ?c))
(<= won (wins ?player ?b))
(<= (next (token ?m)) (wins row ?b) (true (token ?n)) (succ ?n ?m))
(<= (next (token ?n)) (wins column ?b) (true (token ?m)) (succ ?n ?m))
(<= (next (token ?n)) (true (token ?n)) (not won))
(<= (next (coins ?player ?n)) (wins ?player ?b) (true (coins ?player ?c)) (plus ?n ?b ?c))
(<= (next (coins ?other ?n)) (wins ?player ?b) (opponent ?player ?other) (true (coins ?other ?c)) (plus ?c ?b ?n))
(<= (next (coins ?player ?c)) (true (coins ?player ?c)) (not won))
(<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
(<= terminal (true (token 0)))
(<= terminal (true (token 4)))
(<= terminal (true (round {rounds})))
(worth 0 0 100) (worth 1 25 75) (worth 2 50 50) (worth 3 75 25) (worth 4 100 0)
(<= (goal row ?g) (true (token ?n)) (worth ?n ?g ?h))
(<= (goal column ?h) (true (token ?n)) (worth ?n ?g ?h))
"""


def _count(most: int) -> str:
    return "".join(f"(succ {n} {n + 1}) " for n in range(most))
