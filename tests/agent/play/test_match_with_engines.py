"""Matches at the page, on a clock of the test and with engines that say what the test lets them say."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from ludens.agent.play import match as match_module
from ludens.agent.play import thinker as thinker_module
from ludens.agent.play.analyst import REVIEW_SECONDS
from ludens.agent.play.feed import MatchEvent
from ludens.agent.play.match import PlayMatch
from ludens.agent.play.pace import Pace
from ludens.agent.play.seats import read_seats
from ludens.agent.play.thinker import IDLE_SECONDS, Thinker
from ludens.agent.play.tree import MatchTree, MoveError
from ludens.agent.protocol.wire import Begin, Event, GoTo, Refused, SearchReport
from ludens.agent.server.supervisor import Supervisor
from ludens.agent.settings.options import PlayerOptions
from tests.support.player_harness import FakeEngines as EngineList
from tests.support.small_match import small_game

ENGINE = "uct:iterations=10"  # keeps no time: it answers when it is done


class FakeEngines:
    """Stands in for the supervisor of a thinker's engines: notes what it is told, and says what the test wants."""

    def __init__(self, begin: Begin, on_event: Callable[[Event], None]) -> None:
        self.role = begin.role
        self.targets: list[GoTo] = []
        self.killed = False
        self.resting = False
        self._on_event = on_event

    def go_to(self, target: GoTo) -> None:
        self.targets.append(target)
        self.resting = False

    def rest(self) -> None:
        self.resting = True

    def kill(self) -> None:
        self.killed = True

    def check(self, silence: float) -> None: ...

    def refuse(self) -> None:
        self._on_event(Refused("no memory"))

    def say(self, move: str, target: int = -1, final: bool = False, playouts: int = 5, forced: bool = False) -> None:
        """Reports a move at one of the positions where they were sent, the last one unless told.

        There are no candidates where it is `forced`.
        """
        sent = self.targets[target]
        candidate = (len(sent.history) % 2, move, playouts, 50.0, False)
        self._on_event(
            SearchReport(
                len(sent.history),
                move,
                playouts,
                50.0,
                final=final,
                candidates=() if forced else (candidate,),
                values=(50.0, 50.0),
                ticket=sent.ticket,
            )
        )

    def say_unsearched(self, move: str) -> None:
        """Reports the move of the position where they were sent last, without a search: the only one."""
        sent = self.targets[-1]
        self._on_event(SearchReport(len(sent.history), move, final=True, ticket=sent.ticket))


class Table:
    """A match on a clock, with all engines that were started for it."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.clock = Clock()
        self.started: list[FakeEngines] = []
        self.told: list[MatchEvent] = []
        patch.setattr(thinker_module, "Supervisor", self._start)
        patch.setattr(match_module, "in_thread", self._in_thread)

    def _start(self, _reactor: Any, _pool: Any, begin: Begin, on_event: Callable[[Event], None], _log: Any) -> Any:
        self.started.append(FakeEngines(begin, on_event))
        return self.started[-1]

    def _in_thread(self, _reactor: Any, work: Callable[..., Any], *arguments: Any) -> Deferred[Any]:
        done: Deferred[Any] = Deferred()
        self.clock.callLater(0.01, lambda: done.callback(work(*arguments)))
        return done

    def match(self, *players: str, pace: Pace | None = None, **kind: Any) -> PlayMatch:
        game = small_game(**kind)
        tree, seats = MatchTree(*game.position(())), read_seats(players, game.roles)
        match = PlayMatch(self.clock, "m", game, tree, seats, pace or Pace(think=1.0))
        match.feed.add("test", self.told.append)
        match.begin()
        return match

    def hints(self) -> list[str]:
        """The moves that hints have told."""
        return [event.data["move"] for event in self.told if event.data["type"] == "hint"]

    def engine(self, role: str) -> FakeEngines:
        """The engine that was started last for a role."""
        return [engines for engines in self.started if engines.role == role][-1]


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    return Table(monkeypatch)


def test_what_an_engine_still_says_of_an_earlier_position_is_not_taken_for_the_present_one(table: Table) -> None:
    match = table.match("uct", "person")
    engine = table.engine("a")
    engine.say("m0")
    table.clock.advance(1.1)
    table.clock.advance(0.1)
    assert match.at.number == 1
    assert engine.resting
    engine.say("n0")
    assert match.tree[0].thoughts[0]["move"] == "m0"
    assert match.tree[1].thoughts == {}


def test_an_old_search_makes_no_move_after_a_match_was_taken_back(table: Table) -> None:
    match = table.match(ENGINE, "person", together=True)
    engine = table.engine("a")
    engine.say("m0", final=True)
    match.choose(1, "m0", 0)
    table.clock.advance(1)
    assert match.at.number == 1
    match.pause(True)
    match.take_back([1])
    engine.say("m1", final=True)
    assert match.state()["chosen"] == []
    assert match.notes == []


def test_an_engine_that_is_late_moves_as_soon_as_it_knows_a_move(table: Table) -> None:
    match = table.match("uct", "person")
    table.clock.advance(1.5)
    table.engine("a").say("n0")
    table.clock.advance(0.1)
    assert match.at.moves == ("n0", "noop")
    assert not any(match.at.errors)


def test_one_move_is_made_where_an_engine_chose_while_the_match_was_paused(table: Table) -> None:
    match = table.match(ENGINE, ENGINE)
    match.pause(True)
    table.engine("a").say("m0", final=True)
    table.clock.advance(1)
    assert match.at.number == 0
    match.step()
    match.step()
    table.clock.advance(1)
    assert match.at.number == 1
    table.clock.advance(1)
    assert len(table.engine("b").targets) == 0, "one move only: the next engine is held back"
    match.step()
    table.engine("b").say("m1", final=True)
    table.clock.advance(1)
    assert match.at.number == 2


def test_a_single_move_to_the_end_leaves_a_match_paused_that_is_taken_back(table: Table) -> None:
    match = table.match(ENGINE, ENGINE)
    match.pause(True)
    for role, move in [("a", "m0"), ("b", "m1"), ("a", "m2"), ("b", "m3")]:
        match.step()
        table.engine(role).say(move, final=True)
        table.clock.advance(1)
    assert match.at.position.terminal
    match.step()
    match.go_to(0)
    asked = len(table.engine("a").targets)
    match.go_to(2)
    assert len(table.engine("a").targets) == asked


def test_no_clock_of_a_person_runs_while_a_match_is_paused(table: Table) -> None:
    match = table.match("person", "person", pace=Pace(play_clock=5.0))
    assert match.state()["due"] == {0: 5.0}
    match.pause(True)
    assert match.state()["due"] == {}
    match.step()
    assert match.state()["due"] == {}
    table.clock.advance(10)
    match.choose(0, "m0", 0)
    table.clock.advance(10)
    assert (match.at.number, match.state()["due"], match.notes) == (1, {}, [])
    match.pause(False)
    assert match.state()["due"] == {1: 5.0}
    table.clock.advance(5)
    table.clock.advance(1)
    assert (match.at.number, match.at.errors) == (2, ("", "TO"))


def test_an_engine_that_thinks_for_long_is_not_ended(table: Table) -> None:
    match = table.match(ENGINE, "person")
    table.clock.advance(2 * IDLE_SECONDS)
    engine = table.engine("a")
    assert not engine.killed
    engine.say("m0", final=True)
    table.clock.advance(1)
    assert match.at.number == 1
    table.clock.advance(IDLE_SECONDS)
    assert engine.killed, "nobody asks it any more"


def test_no_clock_is_shown_of_an_engine_that_keeps_no_time_once_its_start_clock_is_over(table: Table) -> None:
    match = table.match(ENGINE, "person", pace=Pace(start_clock=5.0, play_clock=3.0))
    assert match.state()["due"] == {0: 5.0}
    table.clock.advance(5)
    assert match.state()["due"] == {}


def test_a_random_move_replaces_that_of_an_engine_which_cannot_play_and_keeps_no_time(table: Table) -> None:
    match = table.match(ENGINE, "person")
    table.engine("a").refuse()
    table.clock.advance(1)
    assert match.at.number == 1
    assert match.at.errors == ("CE", "")
    assert "no memory" in match.notes[-1]


@pytest.mark.parametrize(
    ("player", "arrives", "replaced"),
    [
        ("uct", False, True),
        (ENGINE, False, True),
        ("uct:level=5", False, True),
        ("uct", True, False),
        (ENGINE, True, False),
        ("uct:level=5", True, True),
    ],
)
def test_an_engine_that_hangs_is_replaced_by_the_one_that_stands_by(
    table: Table, monkeypatch: pytest.MonkeyPatch, player: str, arrives: bool, replaced: bool
) -> None:
    engines = EngineList()
    monkeypatch.setattr(thinker_module, "Supervisor", Supervisor)
    monkeypatch.setattr(thinker_module, "EnginePool", lambda *_args, **_options: engines)
    table.match(player, "person", pace=Pace(think=60.0))
    engines.taken[0].has_network()
    table.clock.advance(2)  # until the next one starts
    thinks, stands_by = engines.taken
    for engine in engines.taken if arrives else [stands_by]:
        engine.arrives(0, ["m0", "n0"])
    for _ in range(25):
        table.clock.advance(1)
    assert thinks.killed == replaced
    assert (stands_by.thinking is not None) == replaced


@pytest.mark.parametrize(
    "change",
    [
        lambda match: match.set_pace(Pace(delay=1.0)),
        lambda match: match.pause(False),
        lambda match: match.change_seats(read_seats(["person", "random"], ("a", "b")), "tab"),
    ],
    ids=["pace", "go on", "the other's seat"],
)
def test_a_choice_outlasts_changes_that_do_not_concern_it(table: Table, change: Callable[[PlayMatch], None]) -> None:
    match = table.match("person", "person", together=True)
    match.choose(0, "m0", 0)
    change(match)
    assert match.state()["chosen"] == [0]
    match.change_seats(read_seats([ENGINE, "person"], ("a", "b")), "tab")
    assert match.state()["chosen"] == [], "who plays now has chosen nothing"


def test_a_thinker_that_was_asked_nothing_warns_that_it_cannot_play(table: Table) -> None:
    warnings: list[str] = []
    failures: list[str] = []
    options = PlayerOptions(interface="127.0.0.1", port=0)
    thinker = Thinker(table.clock, options, "rules", "a", lambda _: None, warnings.append, failures.append)
    ready = thinker.prepare()
    table.engine("a").refuse()
    assert ready.called
    assert (warnings, failures) == (["cannot play: no memory"], [])


def test_a_match_of_engines_is_taken_back_by_one_turn(table: Table) -> None:
    match = table.match(ENGINE, ENGINE)
    for turn, role in enumerate(("a", "b")):
        table.engine(role).say(f"m{turn}", final=True)
        table.clock.advance(1)
    match.take_back([])
    assert match.at.number == 1


@pytest.mark.parametrize(
    ("other", "holders"), [("person", {0: "tab 2", 1: "tab 1"}), (ENGINE, {1: "tab 1"})], ids=["person", "engine"]
)
def test_who_swaps_sides_plays_on_in_the_same_tab_and_has_not_chosen(
    table: Table, other: str, holders: dict[int, str]
) -> None:
    match = table.match("person", other, together=True)
    match.holders = {0: "tab 1", 1: "tab 2"} if other == "person" else {0: "tab 1"}
    match.choose(0, "m0", 0)
    match.swap_sides()
    assert match.players == [other, "person"]
    assert match.holders == holders
    assert match.state()["chosen"] == []


def test_what_an_engine_thinks_and_chooses_beside_a_person_is_told_once_both_have_chosen(table: Table) -> None:
    match = table.match(ENGINE, "person", together=True)
    table.engine("a").say("m0", final=True)
    told = json.dumps([match.snapshot(), match.record(0).thoughts, [event.data for event in table.told]])
    assert "m0" not in told
    match.choose(1, "n0", 0)
    assert match.record(0).thoughts[0][0]["move"] == "m0"
    table.clock.advance(1)
    assert match.at.moves == ("m0", "n0")
    assert match.snapshot()["nodes"][0]["thoughts"][0]["move"] == "m0"
    assert any(event.data["type"] == "thoughts" and event.data["move"] == "m0" for event in table.told)


def test_what_engines_think_that_choose_at_the_same_time_is_told_at_once_where_people_only_look_on(
    table: Table,
) -> None:
    match = table.match(ENGINE, ENGINE, together=True)
    table.engine("a").say("m0")
    assert match.snapshot()["nodes"][0]["thoughts"][0]["move"] == "m0"


def test_a_random_move_in_place_of_an_engines_is_not_told_to_a_person_who_has_not_chosen(table: Table) -> None:
    match = table.match(ENGINE, "person", together=True)
    table.engine("a").refuse()
    assert match.notes == ["a: cannot play: no memory; a move was drawn at random in its place"]


@pytest.mark.parametrize(("players", "asked"), [((ENGINE, "person"), False), (("person", ENGINE), True)])
def test_a_person_is_asked_for_the_only_move_where_it_can_be_made_on_the_board(
    table: Table, players: tuple[str, str], asked: bool
) -> None:
    match = table.match(*players, forced=(0,), waits="wait")
    table.clock.advance(1)
    assert match.at.number == (0 if asked else 1)


# ---- Analysis ----


def played_to(table: Table, turns: int) -> PlayMatch:
    """A match of people after some turns."""
    match = table.match("person", "person")
    for turn in range(turns):
        match.choose(turn % 2, f"m{turn}", turn)
        table.clock.advance(1)
    return match


def test_the_end_of_a_match_is_not_given_the_analysis_of_the_position_before(table: Table) -> None:
    match = played_to(table, 4)
    assert match.at.position.terminal
    match.analyses.look_at(3)
    analyst = table.engine("a")
    analyst.say("m3")
    match.analyses.look_at(4)
    analyst.say("n3", playouts=9)
    assert match.tree[4].analysis is None
    assert match.tree[3].analysis is not None
    assert match.tree[3].analysis["move"] == "m3"


def test_two_hints_in_a_row_are_both_told_and_leave_no_analysis_on(table: Table) -> None:
    match = played_to(table, 1)
    for role, number in [(0, 0), (0, 0), (1, 1)]:
        match.analyses.hint(role, number)
    analyst = table.engine("a")
    analyst.say("m0", final=True)
    analyst.say("m1")
    table.clock.advance(2)
    assert table.hints() == ["m0", "m1"]
    assert match.state()["analysing"] is None
    assert analyst.killed


def test_a_hint_goes_back_to_the_analysis_that_is_on(table: Table) -> None:
    match = played_to(table, 1)
    match.analyses.look_at(1)
    match.analyses.hint(0, 0)
    assert match.state()["analysing"] == 1
    table.engine("a").say("m0", final=True)
    assert table.hints() == ["m0"]
    assert [len(target.history) for target in table.engine("a").targets] == [1, 0, 1]


def test_a_review_goes_on_after_a_hint_and_comes_to_its_end(table: Table) -> None:
    match = played_to(table, 1)
    match.analyses.review(1)
    assert match.state()["reviewed"] == (0, 2)
    match.analyses.hint(0, 0)
    with pytest.raises(MoveError, match="already"):
        match.analyses.review(1)
    analyst = table.engine("a")
    for _ in range(3):
        analyst.say("m0")
        table.clock.advance(2)
    assert len(table.hints()) == 1
    assert match.tree[1].analysis
    assert match.state()["reviewed"] is None
    assert analyst.killed


def test_a_review_ends_when_nobody_is_left_to_see_it(table: Table) -> None:
    match = played_to(table, 1)
    match.arrive("tab")
    match.analyses.review(1)
    match.leave("tab")
    assert match.state()["reviewed"] is None
    assert table.engine("a").killed


def test_a_hint_of_an_engine_that_says_nothing_is_told_to_be_missing(table: Table) -> None:
    match = played_to(table, 0)
    match.arrive("tab")
    match.analyses.hint(0, 0)
    table.clock.advance(60)
    assert table.hints() == [""]
    assert "no hint" in match.notes[-1]
    assert match.state()["analysing"] is None


def test_a_review_by_an_engine_that_cannot_play_ends_and_says_why(table: Table) -> None:
    match = played_to(table, 1)
    match.analyses.review(1)
    table.engine("a").refuse()
    assert match.state()["reviewed"] is None
    assert match.notes == ["nothing can be analysed: no memory"]


def test_an_analysis_that_fails_is_off_for_all_each_time_it_does(table: Table) -> None:
    match = played_to(table, 1)
    for failures in (1, 2):
        match.analyses.look_at(1)
        table.engine("a").refuse()
        assert table.told[-1].data["analysing"] is None
        assert table.told[-1].data["failures"] == failures
    assert match.notes == ["nothing can be analysed: no memory"]
    assert table.engine("a").killed


def test_a_position_where_nobody_has_a_choice_is_gone_through_like_any_other(table: Table) -> None:
    match = table.match("person", "person", forced=(0,))
    match.analyses.review(0)
    analyst = table.engine("a")
    analyst.say_unsearched("m0")
    assert match.tree[0].analysis is None
    analyst.say("m0", final=True, forced=True)
    assert match.tree[0].analysis is not None
    assert match.tree[0].analysis["values"] == [50.0, 50.0]
    table.clock.advance(REVIEW_SECONDS)
    assert match.state()["reviewed"] is None
