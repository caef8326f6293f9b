"""What a designer is told of a game, from figures made by hand."""

from __future__ import annotations

from dataclasses import replace

from ludens.agent.analysis.balance import Goals, Share
from ludens.agent.analysis.course import Course
from ludens.agent.analysis.game_statistics import GameStatistics
from ludens.agent.analysis.good_play import GoodPlay, Thinking
from ludens.agent.commands.verdict import answers

RANDOM = GameStatistics(
    roles=("white", "black"),
    games=100,
    unfinished=0,
    unfinished_steps=0,
    mean_length=20.0,
    shortest=20,
    longest=20,
    lengths=((20, 100),),
    branching=4.0,
    choices=((4, 2000),),
    forced=0.0,
    simultaneous=False,
    first_mover="white",
    outcomes=(((100, 0), 50), ((0, 100), 50)),
    improper=(),
)

GOOD = GoodPlay(
    roles=("white", "black"),
    games=40,
    mean_length=30.0,
    lengths=((30, 40),),
    branching=3.0,
    forced=0.0,
    outcomes=(((100, 0), 20), ((0, 100), 20)),
    improper=(),
    course=Course(40, 0.0, Share(0, 40), 0.0, (0.5,) * 40),
    thinking=Thinking(16, 40, 0.9, (0.8, 0.95)),
)


def said(played: GoodPlay | None, question: str, statistics: GameStatistics = RANDOM) -> str:
    return {each.question: f"{each.answer}: {each.reason}" for each in answers(statistics, played)}[question]


def outcomes(*counts: tuple[Goals, int]) -> GoodPlay:
    return replace(GOOD, outcomes=counts)


def test_an_advantage_is_told_once_it_is_more_than_chance() -> None:
    assert said(GOOD, "Is it fair?").startswith("no seat has an advantage that shows in 40 games: white wins 50 %")
    unfair = said(outcomes(((100, 0), 30), ((0, 100), 10)), "Is it fair?")
    assert unfair.startswith("white has an advantage under strong play: white wins 75 % (60-86 %)")


def test_games_without_a_winner_are_drawish() -> None:
    assert said(GOOD, "Is it drawish?").startswith("no: 0 %")
    assert said(outcomes(((50, 50), 30), ((0, 100), 10)), "Is it drawish?").startswith("yes: 75 % (60-86 %)")


def test_length_and_forced_moves_are_those_of_good_play() -> None:
    assert said(GOOD, "Is it long?").startswith("not long: 30 steps on average, 3.0 moves to choose from, 0 % forced")
    long = replace(GOOD, mean_length=150.0, forced=0.5)
    assert said(long, "Is it long?").startswith("long, and often there is nothing to choose")


def test_a_game_that_is_settled_early_is_dull_and_one_whose_lead_changes_is_not() -> None:
    def lively(settled: float, changes: float) -> str:
        course = Course(40, changes, Share(4, 40), 3.0, (settled,) * 40)
        return said(replace(GOOD, course=course), "Is it dull?")

    assert lively(0.2, 0.0).startswith("rather: it is settled early")
    assert lively(0.2, 2.0).startswith("no: the lead changes")
    assert lively(0.9, 0.0).startswith("no: it is open for long")
    assert lively(0.5, 0.0).startswith("neither")


def test_thinking_helps_if_the_score_says_so_for_sure() -> None:
    assert said(GOOD, "Does thinking help?").startswith("yes: a player scores 90 % (80-95 %)")
    chance = replace(GOOD, thinking=Thinking(16, 4, 0.75, (0.3, 0.95)))
    assert said(chance, "Does thinking help?").startswith("not that it shows")


def test_random_games_answer_where_there_are_no_others() -> None:
    assert [each.question for each in answers(RANDOM, None)] == ["Is it fair?", "Is it drawish?", "Is it long?"]
    one_sided = replace(RANDOM, outcomes=(((100, 0), 90), ((0, 100), 10)))
    assert said(None, "Is it fair?", one_sided).startswith("white has an advantage in random games")


def test_a_puzzle_is_neither_fair_nor_drawish() -> None:
    alone = replace(RANDOM, roles=("robot",), outcomes=(((100,), 100),))
    assert [each.question for each in answers(alone, None)] == ["Is it long?"]
