"""Trials choose who will be the strongest with the time of the match, though they have less."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from ludens import games
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.ratings import Pairing, Ratings, StrengthPrior
from ludens.agent.preparation.strength_model import Evidence
from ludens.agent.preparation.strongest import strongest
from ludens.agent.preparation.trial import Candidate, TrialRunner, memory_of, trial
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import GameVariant
from ludens.native.core import Evaluation, EvaluationWeights, Game, Simulator, States
from ludens.native.kernels.kernel_search import KernelGames
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules

Strength = Callable[[float], float]  # by the logarithm of the length of moves, 0 being that of the match


def sloping(at_match: float, slope: float) -> Strength:
    return lambda x: at_match + slope * x


BASELINE = sloping(0.0, 0.0)


@dataclass
class FakeContest:
    """Games among players of known strength, which take as long as their moves; time passes when one is played."""

    players: Sequence[Strength]
    left: float
    seed: int
    games: list[Pairing] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)

    def seconds(self, pairing: Pairing) -> float:
        return math.exp(pairing.x)

    def play(self, pairing: Pairing) -> float | None:
        self.left -= self.seconds(pairing)
        self.games.append(pairing)
        first, second = (self.players[player](pairing.x) for player in (pairing.first, pairing.second))
        return float(self._rng.random() < 1 / (1 + math.exp(second - first)))


def chosen(players: Sequence[Strength], lengths: Sequence[float], seconds: float) -> list[int]:
    """How often each player is chosen in 20 trials of so many seconds; a game of the match takes one."""
    counts = [0] * len(players)
    for seed in range(20):
        contest = FakeContest(players, seconds, seed)
        ratings = strongest(contest, [StrengthPrior()] * (len(players) - 1), lengths, lambda it=contest: it.left)  # type: ignore[misc]
        counts[ratings.best] += 1
    return counts


NEAR, FAR = [-1.4, 0.0], [-3.5, -2.1, -0.7, 0.0]


@pytest.mark.parametrize("lengths", [NEAR, FAR])
@pytest.mark.parametrize(("strength", "least"), [(2.0, 18), (-2.0, 0)])
def test_who_is_stronger_at_any_length_is_chosen(lengths: list[float], strength: float, least: int) -> None:
    counts = chosen([BASELINE, sloping(strength, 0.0)], lengths, 6.0)
    assert counts[1] >= least
    assert strength > 0 or counts[1] <= 1


def test_who_wins_only_with_short_moves_is_not_chosen_where_long_ones_can_be_tried() -> None:
    """It wins 73 % of the shortest games, and 18 % of those of the match."""
    winner_of_short_games = sloping(-1.5, -0.7)
    assert winner_of_short_games(FAR[0]) > 0.9
    assert chosen([BASELINE, winner_of_short_games], FAR, 20.0)[1] <= 3


def test_a_narrow_result_of_short_games_is_no_reason_to_leave_the_baseline() -> None:
    """Three of five won, at a thousandth of the time."""
    for x, expected in ((0.0, True), (-7.0, False)):
        ratings = Ratings([StrengthPrior()])
        for score in (1, 1, 1, 0, 0, 1, 1, 1, 0, 0):
            ratings.add(Pairing(1, 0, x), score)
        strength, spread = ratings.strength(1)
        assert (strength > spread / 2) == expected


def test_the_best_of_several_is_found_and_the_weak_are_soon_left_alone() -> None:
    players = [BASELINE, sloping(-2.0, 0.0), sloping(2.0, 0.0), sloping(0.3, 0.0)]
    assert chosen(players, FAR, 10.0)[2] >= 18
    contest = FakeContest(players, 10.0, seed=1)
    strongest(contest, [StrengthPrior()] * 3, FAR, lambda: contest.left)
    weak = sum(1 in (game.first, game.second) for game in contest.games)
    assert 0 < weak < len(contest.games) / 3


def test_who_is_sure_to_be_a_little_better_is_chosen_rather_than_who_may_be_far_worse() -> None:
    """Of two that seem equally strong, and the other way round where both seem weaker than the baseline."""
    for strength, expected in ((0.5, 1), (-0.5, 0)):
        sure, unsure = StrengthPrior(strength, spread=0.2), StrengthPrior(1.2 * strength, spread=4.0)
        assert strongest(FakeContest([BASELINE] * 3, 0.0, seed=1), [sure, unsure], [0.0], lambda: 0.0).best == expected
        assert (sure.score > unsure.score) == (strength > 0)
        contest = FakeContest([BASELINE] * 3, 20.0, seed=1)
        strongest(contest, [sure, unsure], [0.0], lambda contest=contest: contest.left)  # type: ignore[misc]
        assert any(2 in (game.first, game.second) for game in contest.games)  # of whom most can be found out


def test_a_score_is_the_mean_over_what_the_strength_may_be() -> None:
    """Against simulation."""
    drawn = np.random.default_rng(1).normal(size=200_000)
    for strength, spread in ((1.0, 0.1), (1.0, 2.0), (-2.0, 3.0)):
        mean = float((1 / (1 + np.exp(-strength - spread * drawn))).mean())
        assert StrengthPrior(strength, spread=spread).score == pytest.approx(mean, abs=0.01)


def test_promise_is_what_is_tried_first() -> None:
    contest = FakeContest([BASELINE] * 3, 4.0, seed=1)
    strongest(contest, [StrengthPrior(-2.0), StrengthPrior(0.5)], [0.0], lambda: contest.left)
    assert contest.games[0] == Pairing(2, 0, 0.0)


@pytest.mark.parametrize(("seconds", "games"), [(3.9, 0), (4.0, 4)])
def test_nothing_is_tried_where_there_is_no_time_for_four_games(seconds: float, games: int) -> None:
    contest = FakeContest([BASELINE] * 2, seconds, seed=1)
    strongest(contest, [StrengthPrior()], [0.0], lambda: contest.left)
    assert len(contest.games) == games


def test_the_less_time_the_shorter_the_games() -> None:
    def lengths(seconds: float) -> list[float]:
        contest = FakeContest([BASELINE, sloping(0.3, 0.0)], seconds, seed=1)
        strongest(contest, [StrengthPrior()], FAR, lambda: contest.left)
        return [game.x for game in contest.games]

    assert lengths(0.2)[0] == FAR[0]
    assert lengths(300.0)[0] == 0.0
    assert FAR[0] < lengths(10.0)[0] < 0.0


def test_a_player_that_is_known_to_fade_must_win_more_of_the_short_games() -> None:
    won: dict[float, float] = {}
    for slope in (0.0, -0.5):
        ratings = Ratings([StrengthPrior(0.0, slope)])
        for _ in range(6):
            ratings.add(Pairing(1, 0, -3.0), 1.0)
        won[slope] = ratings.strength(1)[0]
    assert won[0.0] > won[-0.5] + 0.5


def test_gain_is_what_a_change_of_mind_is_worth() -> None:
    """Against simulation: the mean of the greater of 0 and the difference that is expected after the games."""
    ratings = Ratings([StrengthPrior(-0.4)])
    strength, spread = ratings.strength(1)
    drawn = np.random.default_rng(1).normal(-strength, spread, 200_000)
    certain = ratings.gain(Pairing(0, 1, 0.0), 1e9)
    assert certain == pytest.approx(float(np.maximum(-drawn, 0).mean()), rel=0.02)
    assert 0 < ratings.gain(Pairing(0, 1, 0.0), 1) < ratings.gain(Pairing(0, 1, 0.0), 10) < certain
    assert ratings.gain(Pairing(0, 1, -3.0), 10) < ratings.gain(Pairing(0, 1, 0.0), 10)


def test_games_that_are_as_good_as_decided_promise_nothing() -> None:
    ratings = Ratings([StrengthPrior(-60.0, -2.0, spread=0.5)])
    assert all(ratings.gain(Pairing(0, 1, x), 100) == 0 for x in (0.0, -4.0, -16.0))


def test_nothing_is_played_for_which_there_is_no_time() -> None:
    contest = FakeContest([BASELINE, BASELINE], 0.5, seed=1)
    assert strongest(contest, [StrengthPrior()], [0.0], lambda: contest.left).best == 0
    assert contest.games == []


def test_no_games_are_played_once_the_time_is_worth_more_elsewhere() -> None:
    """What else the time would gain is asked for with the time that is left."""
    contest, asked = FakeContest([BASELINE, BASELINE], 8.0, seed=1), list[float]()

    def elsewhere(_: Ratings, seconds: float) -> float:
        asked.append(seconds)
        return 0.0 if seconds > 5.0 else 9.0

    strongest(contest, [StrengthPrior()], [0.0], lambda: contest.left, elsewhere)
    assert len(contest.games) == 3
    assert asked == [8.0, 7.0, 6.0, 5.0]


def test_the_highest_expectation_is_chosen_however_uncertain() -> None:
    contest = FakeContest([BASELINE] * 3, 0.0, seed=1)
    priors = [StrengthPrior(0.1, spread=3.0), StrengthPrior(-0.1, spread=0.1)]
    assert strongest(contest, priors, [0.0], lambda: 0.0).best == 1
    assert strongest(contest, priors[1:], [0.0], lambda: 0.0).best == 0


def test_a_game_that_is_not_over_in_time_does_not_count() -> None:
    contest = FakeContest([BASELINE, BASELINE], 3.0, seed=1)

    def interrupted(pairing: Pairing) -> None:
        contest.left -= 1

    contest.play = interrupted  # type: ignore[method-assign]
    ratings = strongest(contest, [StrengthPrior(1.5)], [0.0], lambda: contest.left)
    assert ratings.best == 1  # by its promise alone
    assert ratings.strength(1)[0] == 1.5


@pytest.mark.parametrize("games", [0, 3])
def test_who_has_become_stronger_since_is_so_by_just_that(games: int) -> None:
    ratings = Ratings([StrengthPrior(-0.1), StrengthPrior(0.3)])
    for _ in range(games):
        ratings.add(Pairing(1, 0, 0.0), 1.0)
    before = ratings.strength(1), ratings.strength(2)
    ratings.grow(1, 0.2)
    assert ratings.strength(1) == pytest.approx((before[0][0] + 0.2, before[0][1]))
    assert ratings.strength(2) == before[1]


def test_estimates_agree_with_a_long_series() -> None:
    """Of 400 games three quarters are won: the odds are three to one."""
    ratings = Ratings([StrengthPrior()])
    for game in range(400):
        ratings.add(Pairing(1, 0, 0.0), float(game % 4 > 0))
    strength, spread = ratings.strength(1)
    assert strength == pytest.approx(math.log(3), abs=0.03)
    assert spread == pytest.approx(1 / math.sqrt(400 * 3 / 16), rel=0.02)


def config_of(game: Game, settings: PlayerOptions | None = None, **parts: Any) -> SearchConfig:
    """UCT, but for `parts`."""
    config = SearchConfig.from_settings(settings or PlayerOptions(), GameVariant.plain(game), "uniform")
    return replace(config, **{"strategy": "uct", **parts})


def budget_of(seconds: float, move_seconds: float) -> TimeBudget:
    return TimeBudget(seconds, move_seconds, 7, time.process_time)


def _misled_and_uct(name: str) -> list[Candidate]:
    """Misled by an evaluation to which every position seems the same; it plays hardly better than at random."""
    game = Game.from_propnet(load(parse_rules(games.read(name))))
    bits = game.state_bits + 1
    shapes = (1, bits, game.roles), (1, bits, 0), (1, 0, game.roles)
    blank = Evaluation(EvaluationWeights((), *(np.zeros(shape, np.float32) for shape in shapes)))
    options = PlayerOptions(lanes=64)
    return [Candidate(config_of(game, options, **way)) for way in ({"strategy": "guided", "evaluation": blank}, {})]


@dataclass(eq=False)
class Paced:
    """A search that makes 200,000 playouts a second of a clock that passes only as searches run."""

    clock: list[float]
    search: GameSearch

    def run(self, seconds: float) -> None:
        self.clock[0] += seconds
        self.search.run(playouts=max(1, round(200_000 * seconds)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.search, name)


def paced(monkeypatch: pytest.MonkeyPatch, seconds: float, move_seconds: float) -> TimeBudget:
    """A budget of the clock of all searches of a trial, which are paced."""

    def paced_search(config: SearchConfig, seed: int) -> Paced:
        search = new_search(config, seed)
        assert search is not None
        return Paced(clock, search)

    clock = [0.0]
    use_searches(monkeypatch, paced_search)
    return TimeBudget(seconds, move_seconds, 7, lambda: clock[0])


def use_searches(monkeypatch: pytest.MonkeyPatch, make: Callable[[SearchConfig, int], Any]) -> None:
    """Has trials make their searches so."""
    for place in ("trial", "search_speed"):
        monkeypatch.setattr(f"ludens.agent.preparation.{place}.new_search", make)


def test_a_search_beats_one_that_is_misled_in_a_real_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    misled, uct = _misled_and_uct("connect_four")
    ratings = trial([misled, uct], paced(monkeypatch, 6.0, 0.01))
    assert ratings.best == 1
    assert ratings.strength(1)[0] > 0
    assert trial([uct, misled], paced(monkeypatch, 6.0, 0.01)).best == 0


@pytest.mark.parametrize(("at_once", "threads"), [(0.0, 1), (0.9, 3)])
def test_searches_have_the_threads_of_the_match_where_guided_search_has_no_use_for_them(
    monkeypatch: pytest.MonkeyPatch, at_once: float, threads: int
) -> None:
    """It has not where roles choose at once, and loses as much by them as it does in the match."""
    made = list[SearchConfig]()

    def note(config: SearchConfig, seed: int) -> GameSearch | None:
        made.append(config)
        return new_search(config, seed)

    monkeypatch.setattr("ludens.agent.preparation.trial.new_search", note)
    guided, uct = _misled_and_uct("tic_tac_toe")
    evidence = Evidence(9.0, 1.0, 2.0, 2, at_once, places=False, foresight=None)
    players = [
        Candidate(replace(uct.config, threads=3)),
        Candidate(replace(guided.config, threads=3), evidence=evidence),
    ]
    assert TrialRunner(players, budget_of(math.inf, 0.001)).play(Pairing(1, 0, 0.0)) is not None
    assert sorted(config.strategy for config in made) == ["guided", "uct"]
    assert {config.threads for config in made} == {threads}


PASS_OR_GO = """(role a) (role b) (init (turn a)) (init (left 9))
    (after a b) (after b a) (less 9 8) (less 8 7) (less 7 6) (less 6 5) (less 5 4) (less 4 3) (less 3 2) (less 2 1)
    (<= (legal ?r pass) (true (turn ?r))) (<= (legal ?r go) (true (turn ?r))) (<= (legal ?r wait) (role ?r)
    (not (true (turn ?r)))) (<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
    (<= went (does ?r go)) (<= (next (left ?n)) (true (left ?n)) (not went))
    (<= (next (left ?m)) (true (left ?n)) went (less ?n ?m))
    (<= terminal (true (left 1))) (<= (goal ?r 100) (true (turn ?r))) (<= (goal ?r 0) (role ?r)
    (not (true (turn ?r))))"""
"""Eight times somebody has to go; who would be next has won."""


def runner_of_pass_or_go(monkeypatch: pytest.MonkeyPatch, always: str) -> TrialRunner:
    """Trial games in which both always make one move."""
    net = load(parse_rules(PASS_OR_GO))
    game = Game.from_propnet(net)
    runner = TrialRunner([Candidate(config_of(game)), Candidate(config_of(game))], budget_of(math.inf, 0.0001))

    def choose(state: States, _searches: object, _seconds: object) -> list[int]:
        legal = [np.flatnonzero(moves[0]) for moves in Simulator(game, 64).legal(state)]
        return [int(max(moves, key=lambda move: net.moves[role][move] == always)) for role, moves in enumerate(legal)]

    monkeypatch.setattr(runner, "_choose", choose)
    return runner


def test_a_game_that_never_ends_costs_no_more_than_some_turns_and_is_even(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both pass for ever; random games end within a few turns."""
    runner = runner_of_pass_or_go(monkeypatch, "pass")
    assert runner.play(Pairing(1, 0, 0.0)) == 0.5
    assert runner.play_for_goals(Pairing(1, 0, 0.0)) == (50.0, 50.0)


@pytest.mark.parametrize(("turns", "goals"), [(7, [50, 50]), (8, [100, 0])])
def test_a_game_that_ends_with_its_last_turn_has_its_result(
    monkeypatch: pytest.MonkeyPatch, turns: int, goals: list[int]
) -> None:
    runner = runner_of_pass_or_go(monkeypatch, "go")
    monkeypatch.setattr(runner, "_most_turns", turns)
    found = runner._finish(runner._game.initial, (), 0.1)
    assert found is not None and found.tolist() == goals


def test_a_trial_of_three_roles_tells_something(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = trial(_misled_and_uct("connect_four_three"), paced(monkeypatch, 6.0, 0.01))
    assert ratings.strength(1)[1] < Ratings([StrengthPrior()]).strength(1)[1]


def test_where_moves_must_be_made_at_once_a_trial_has_such_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.from_propnet(load(parse_rules(games.read("tic_tac_toe"))))
    candidates = [Candidate(config_of(game, strategy=strategy)) for strategy in ("uct", "flat")]
    assert trial(candidates, paced(monkeypatch, 0.5, 0.0)).games > 10


def test_a_trial_ends_when_the_first_turn_comes() -> None:
    game = Game.from_propnet(load(parse_rules(games.read("tic_tac_toe"))))
    calls = 0

    def stopped() -> bool:
        nonlocal calls
        calls += 1
        return calls > 20

    candidates = [Candidate(config_of(game, strategy=strategy)) for strategy in ("uct", "flat")]
    trial(candidates, replace(budget_of(1e6, 0.001), stopped=stopped))
    assert 20 < calls < 100


@dataclass(eq=False)
class Watched:
    """Stands for a search: time passes as it is told to run, and the first legal move is the best."""

    clock: list[float]
    simulator: Simulator
    config: SearchConfig
    moves: list[float] = field(default_factory=list)  # the seconds of each
    mixes = True

    def set_root(self, state: States | None = None) -> None:
        self._state = self.simulator.game.initial if state is None else state
        self.moves.append(0.0)

    def run(self, seconds: float) -> None:
        self.clock[0] += seconds
        self.moves[-1] += seconds

    def stats(self) -> Any:
        return SimpleNamespace(solved=False, iterations=round(10_000 * self.moves[-1]))

    def root_moves(self, role: int) -> Any:
        moves = np.flatnonzero(self.simulator.legal(self._state)[role][0])
        return SimpleNamespace(moves=moves, best=0, visits=np.full(len(moves), 100), optimal=False)


def watched(
    monkeypatch: pytest.MonkeyPatch, ways: Sequence[dict[str, Any]], options: PlayerOptions, move_seconds: float
) -> list[Watched]:
    """The searches of a trial in which 10,000 iterations a second are made, the first of which is the probe."""
    clock, made = [0.0], list[Watched]()

    def new_search(config: SearchConfig, seed: int) -> Watched:
        made.append(Watched(clock, Simulator(config.variant.game, 64), config))
        return made[-1]

    use_searches(monkeypatch, new_search)
    game = Game.from_propnet(load(parse_rules(games.read("tic_tac_toe"))))
    budget = TimeBudget(60.0, move_seconds, 7, lambda: clock[0])
    trial([Candidate(config_of(game, options, **way)) for way in ways], budget)
    return made


def test_a_trial_plays_the_searches_of_the_match_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    options = PlayerOptions(playouts_per_leaf=3, expand_after=7, lanes=64, threads=4, solver_share=0.1)
    evaluation, knowledge = cast("Any", object()), cast("Any", object())
    ways = [{}, {"strategy": "guided", "evaluation": evaluation, "knowledge": knowledge}]
    probe, *searches = watched(monkeypatch, ways, options, 1.0)
    assert probe.config.strategy == "uct"
    for way, search in zip(ways, sorted(searches[:2], key=lambda it: it.config.evaluation is not None), strict=True):
        config = search.config
        wanted = config_of(config.variant.game, options, threads=1, memory_mb=config.memory_mb, **way)
        assert config == wanted


@pytest.mark.parametrize(("name", "drawn"), [("rock_paper_scissors", True), ("tic_tac_toe", False)])
def test_who_chooses_at_the_same_time_draws_a_move_as_in_a_match(
    monkeypatch: pytest.MonkeyPatch, name: str, *, drawn: bool
) -> None:
    game = Game.from_propnet(load(parse_rules(games.read(name))))
    candidates = [Candidate(config_of(game))] * 2
    runner = TrialRunner(candidates, TimeBudget(math.inf, 0.1, 7, time.process_time))
    search = cast("Any", Watched([0.0], Simulator(game, 64), candidates[0].config))
    monkeypatch.setattr(runner, "_think", lambda search, state, _seconds: search.set_root(state))
    joints = {tuple(runner._choose(game.initial, [search, search], 0.1)) for _ in range(100)}
    assert len(joints) == (9 if drawn else 1)


def test_a_search_of_several_roles_thinks_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.from_propnet(load(parse_rules(games.read("tron_four"))))
    runner = TrialRunner([Candidate(config_of(game))] * 2, TimeBudget(math.inf, 0.1, 7, time.process_time))
    mine, theirs = (cast("Any", Watched([0.0], Simulator(game, 64), config_of(game))) for _ in range(2))
    monkeypatch.setattr(runner, "_think", lambda search, state, _seconds: search.set_root(state))
    runner._choose(game.initial, [mine, theirs, mine, mine], 0.1)
    assert len(mine.moves) == len(theirs.moves) == 1


def test_all_searches_have_the_time_of_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, options = KernelGames(cast("Any", None), 32), PlayerOptions(threads=4)
    ways: list[dict[str, Any]] = [{"kernel": kernel}, {"strategy": "rave"}]
    _, *searches = watched(monkeypatch, ways, options, 0.1)
    times: dict[bool, set[float]] = {False: set(), True: set()}
    for search in searches:
        times[search.config.kernel is kernel] |= set(search.moves)
    for extreme in (min, max):
        assert extreme(times[True]) == pytest.approx(extreme(times[False]), rel=0.02)
    assert max(times[True]) == pytest.approx(0.1, rel=0.02)
    assert min(times[True]) >= 0.04  # at least a few batches


def test_memory_is_in_proportion_to_the_length_of_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    options = PlayerOptions(nodes_mb=1024)
    probe, *searches = watched(monkeypatch, [{}, {"strategy": "rave"}], options, 4.0)
    assert probe.config.memory_mb == 32
    for search in searches:
        share = max(search.moves) / 4.0
        assert search.config.memory_mb == max(32, min(256, round(1024 * share)))
    assert memory_of(1, 1.0) == 1
    assert 4 * memory_of(options.nodes_mb, 1.0) == options.nodes_mb
