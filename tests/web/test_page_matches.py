"""How the page's server finds matches, with games and threads of the test."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from ludens.agent.play import live_match
from ludens.agent.play import match as match_module
from ludens.agent.play import thinker as thinker_module
from ludens.agent.play.feed import MatchEvent
from ludens.agent.play.live_match import LiveMatch, WatchedMatch
from ludens.agent.play.match import PlayMatch
from ludens.agent.play.match_record import record_of
from ludens.agent.play.pace import Pace
from ludens.agent.play.seats import read_seat, read_seats
from ludens.agent.play.tree import MoveError
from ludens.agent.protocol.match import Match
from ludens.agent.protocol.messages import Message, Start, parse
from ludens.agent.protocol.wire import Event, GoTo, LogMessage, SearchReport
from ludens.agent.records.archive import Archive
from ludens.agent.server.match_archive import MatchArchive
from ludens.agent.server.record_folder import RecordFolder
from ludens.agent.settings.errors import PlayerError
from ludens.agent.web import match_file
from ludens.agent.web import matches as matches_module
from ludens.agent.web.catalogue import Catalogue, FaultySheetError
from ludens.agent.web.matches import Matches
from ludens.agent.web.store import MatchStore, StoreError
from ludens.agent.web.watching import ServedMatches
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError
from tests.support.player_harness import START, PlayerHarness
from tests.support.served import in_one_line
from tests.support.small_match import at_once, small_game, small_tree

NAME = "0123456789abcdef"
A_START = Start("m1", "a", "(rules)", 1.0, 1.0)


class Threads:
    """Does what is to be done in threads when the test says so."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Callable[..., Any], Deferred[Any]]] = []

    def __call__(self, _reactor: object, work: Callable[..., Any], *arguments: Any) -> Deferred[Any]:
        done: Deferred[Any] = Deferred()
        self._waiting.append((work, done))
        return done.addCallback(lambda _: work(*arguments))

    def run(self) -> None:
        """Does one piece of work."""
        self._waiting.pop(0)[1].callback(None)

    def run_all(self, but: Callable[..., Any] | None = None) -> None:
        """Does all that is to be done, apart from one sort of work."""
        while ready := [each for each in self._waiting if each[0] != but]:
            self._waiting.remove(ready[0])
            ready[0][1].callback(None)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Threads:
    threads = Threads()
    monkeypatch.setattr(matches_module, "in_thread", threads)
    monkeypatch.setattr(live_match, "in_thread", at_once)
    return threads


def of_folder(folder: Path) -> Matches:
    """The matches of a server that keeps them in this folder."""
    catalogue: Any = SimpleNamespace(
        game=lambda *_: small_game(), remember=lambda *_: "k", text=lambda _: ("small", "(rules)")
    )
    return Matches(Clock(), catalogue, MatchStore(folder), None)


@pytest.fixture
def matches(threads: Threads, tmp_path: Path) -> Matches:
    return of_folder(tmp_path)


def outcome(work: Any) -> list[Any]:
    """What comes of a coroutine, once it has come."""
    found: list[Any] = []
    Deferred.fromCoroutine(work).addBoth(found.append)
    return found


def live(title: str = "same") -> LiveMatch:
    return LiveMatch(title, "small", "(rules)", ("x", "y"), (1.0, 1.0))


KEPT = {
    "version": 1, "name": "small", "rules": "(rules)", "seats": ["person", "person"], "pace": {}, "at": 0,
    "began": 0.0, "holders": {}, "nodes": [{}], "notes": [],
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [{"nodes": None}, {"pace": {"x": 1}}, {"nodes": [{}, {}]}, {"holders": []}, {"at": "x"}, {"seats": 1}],
    ids=lambda change: next(iter(change)),
)
def test_a_damaged_file_of_a_match_is_told_of_to_all_who_wait_and_to_those_who_ask_later(
    matches: Matches, threads: Threads, tmp_path: Path, change: dict[str, Any]
) -> None:
    (tmp_path / f"{NAME}.json").write_text(json.dumps(KEPT | change))
    first, second = outcome(matches.find(NAME)), outcome(matches.find(NAME))
    threads.run()
    later = outcome(matches.find(NAME))
    threads.run()
    for found in (first, second, later):
        assert "damaged" in str(found[0].trap(StoreError) and found[0].value)
    assert matches.in_memory() == []


@pytest.mark.parametrize(
    ("lost", "why"),
    [
        ("gone.py:Mine", "there is no file"),
        ("td:weights=/gone.td", "gone.td"),
        ("uct:dropped=1", "there is no setting"),
    ],
)
def test_a_person_is_in_the_place_of_a_player_that_there_is_no_more(
    matches: Matches, threads: Threads, tmp_path: Path, lost: str, why: str
) -> None:
    (tmp_path / f"{NAME}.json").write_text(json.dumps(KEPT | {"seats": [lost, "person"]}))
    found = outcome(matches.find(NAME))
    threads.run()
    match = matches.in_memory()[0]
    assert found == [match] and match.players == ["person", "person"]
    note = match.notes[-1]
    assert note.startswith(f"{match.game.roles[0]} is left to a person, since {lost} cannot play: ") and why in note


def test_a_player_in_a_file_is_found_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("class Mine: ...")
    monkeypatch.chdir(tmp_path)
    seat = read_seat("mine.py:Mine")
    assert seat == read_seat("mine.py:Mine", named=[seat.text])  # as the page may write it too
    monkeypatch.chdir("/")
    assert read_seat(seat.text) == seat
    with pytest.raises(PlayerError, match="a page alone cannot choose"):
        read_seat("mine.py:Mine", named=[seat.text])


def test_a_record_tells_of_files_of_players_the_names_alone() -> None:
    players = ["/there/my/mine.py:Mine:log=/there/my/a.log,threads=2", "td:weights=/there/my/mine.td"]
    tree = small_tree()
    record = record_of("m", "small", "(rules)", tree, tree[0], players, (1.0, 1.0))
    assert record.players == ["mine.py:Mine:log=a.log,threads=2", "td:weights=mine.td"]


def test_a_file_that_is_whole_is_read(matches: Matches, threads: Threads, tmp_path: Path) -> None:
    (tmp_path / f"{NAME}.json").write_text(json.dumps(KEPT))
    found = outcome(matches.find(NAME))
    threads.run()
    assert found == matches.in_memory()
    assert found[0].name == NAME


def test_a_second_match_that_its_manager_calls_the_same_is_shown(matches: Matches, threads: Threads) -> None:
    first, second = live(), live()
    matches.live.add(first)
    shown = outcome(matches.find(first.name))
    threads.run()
    first.over = True
    matches.live.add(second)
    again = outcome(matches.find(second.name))
    threads.run()
    assert [each.name for each in shown + again] == [first.name, second.name]
    assert second.shown is again[0]
    assert matches.live.all() == [second, first]


def served_match(start: Message = A_START, roles: tuple[str, ...] = ("a", "b")) -> Match:
    """One of a player that waits for managers, whose rules the engine has read."""
    assert isinstance(start, Start)
    match = Match(start)
    match.learn_roles(roles)
    return match


@pytest.mark.parametrize(
    ("refused", "goals", "ending"),
    [(False, [100, 0], "terminal state"), (False, [], "interrupted"), (True, [], "interrupted")],
)
def test_a_match_that_a_player_has_ended_is_over_whether_or_not_it_was_refused(
    refused: bool, goals: list[int], ending: str
) -> None:
    follows = live_match.LiveMatches()
    served = ServedMatches(follows, "we")
    for number in range(2):
        match = served_match()
        served.heard(match, LogMessage("news"))
        served.keep(match, SimpleNamespace(refused=refused, goals=goals))  # type: ignore[arg-type]
        assert [(each.over, each.ending) for each in follows.all()] == [(True, ending)] * (number + 1)


def test_a_match_that_begins_while_the_result_of_one_of_the_same_name_is_awaited_is_another() -> None:
    follows = live_match.LiveMatches()
    served = ServedMatches(follows, "we")
    over, begun = served_match(), served_match()
    for match in (over, begun):
        served.heard(match, LogMessage("news"))
    served.keep(over, SimpleNamespace(refused=False, goals=[]))  # type: ignore[arg-type]
    assert [each.over for each in follows.all()] == [False, True]


def test_who_watches_a_match_that_is_broken_off_is_told_once_its_last_position_is_there(
    threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_match, "in_thread", threads)
    played, told = live(), list[MatchEvent]()
    shown = WatchedMatch(Clock(), played, small_game(), small_tree())
    shown.feed.add("page", told.append)
    played.moved((("m0", "noop"),))
    played.end("interrupted")
    assert shown.state()["ended"] == ""
    threads.run()
    assert (shown.at.step, shown.state()["ended"]) == (1, "interrupted")
    assert told[-1].data["ended"] == "interrupted"


def test_a_match_that_cannot_be_written_stays_in_memory(
    matches: Matches, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = outcome(matches.new("k", ["person", "person"], Pace()))
    threads.run_all()
    match = made[0]

    def full(*_: object) -> None:
        raise StoreError("no space is left")

    with monkeypatch.context() as patch:
        patch.setattr(matches._store, "save", full)
        match.sit_down(0, "another tab")
        threads.run_all()
    matches._forget(0)
    assert matches._matches == {match.name: match}
    assert any("cannot be kept on disk" in note for note in match.notes)
    match.sit_down(0, "this tab")
    threads.run_all()
    matches._forget(0)
    assert match.name not in matches._matches


def test_who_watches_a_match_whose_history_turns_out_to_be_another_is_led_there(threads: Threads) -> None:
    """Though the joint move after that in which they differ is the same in both."""
    played = live()
    shown = WatchedMatch(Clock(), played, small_game(), small_tree())
    played.moved((("m0", "noop"), ("noop", "m1")))
    other = (("n0", "noop"), ("noop", "m1"), ("m2", "noop"))
    played.moved(other)
    assert shown.tree.history(shown.at) == other
    assert [len(shown.tree.history(node)) for node in shown.tree.nodes] == [0, 1, 2, 1, 2, 3]


RULES = """
(role anna) (init (on 1 1 a)) (init (on 2 1 b)) (init (on 1 2 b)) (init (on 2 2 b)) (legal anna wait)
(<= (next (on ?x ?y ?p)) (true (on ?x ?y ?p))) (<= terminal (true (on 1 1 b))) (goal anna 50)
"""
HINTS = """; A knight on a small board
; View: {"pieces": {"a": {"shape": "knight"}}}
"""


def served_look(rules: str) -> Mapping[str, Any]:
    """What a page shows of a game of which a manager sends the rules."""
    follows = live_match.LiveMatches()
    served = ServedMatches(follows, "we")
    match = served_match(parse(f"(start m1 anna ({rules}) 10 10)"), ("anna",))
    served.heard(match, LogMessage("news"))
    (followed,) = follows.all()
    return Catalogue(Limits(600.0, 1024)).game(followed.game, followed.rules).look


def test_hints_in_the_comments_of_rules_that_a_manager_sends_are_followed() -> None:
    assert served_look(HINTS + RULES)["pieces"]["a"]["shape"] == "knight"


def test_without_the_comments_which_most_managers_leave_out_the_board_is_drawn_as_found() -> None:
    look = served_look(in_one_line(HINTS + RULES))
    assert look["pieces"]["a"]["shape"] != "knight"
    assert [len(board["places"]) for board in look["boards"]] == [4]


def test_a_mistake_in_hints_that_a_manager_sends_is_told_with_its_place() -> None:
    with pytest.raises(FaultySheetError, match=r"line 2, column 36: error: view: .* no shape 'knihgt'; did you mean"):
        served_look(HINTS.replace('knight"', 'knihgt"') + RULES)


def test_thoughts_go_to_their_position_without_looking_at_all_others() -> None:
    looked = 0

    class CountedThoughts(dict[tuple[int, int], dict[str, Any]]):
        def items(self) -> Any:
            nonlocal looked
            looked += len(self)
            return super().items()

    played = live()
    shown = WatchedMatch(Clock(), played, small_game(), small_tree())
    for move in (("m0", "noop"), ("noop", "m1"), ("m2", "noop")):
        node = shown.tree.add(shown.at, move, *small_game().position((*played.history, move)))
        played.history, shown.at = (*played.history, move), node
    played.thoughts = CountedThoughts({(step, 0): {"role": 0} for step in range(100)})
    for step in (1, 3, 90):
        shown.tell_thoughts(step)
    assert [sorted(node.thoughts) for node in shown.tree.nodes] == [[], [0], [], [0]]
    assert not looked


def test_matches_that_are_still_being_made_count_as_open(
    matches: Matches, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches_module, "MOST_MATCHES", 2)
    made = [outcome(matches.new("k", None, Pace())) for _ in range(3)]
    assert "2 matches are open" in str(made[2][0].trap(LudensError) and made[2][0].value)
    assert not made[0] and not made[1]


class SlowArchive:
    """Keeps a record once the test lets it."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def keep(self, *told: Any) -> None:
        self.kept.append(told)


def begun(matches: Matches, threads: Threads) -> PlayMatch:
    """A match of two people, which is not on disk yet."""
    found = outcome(matches.new("k", ["person", "person"], Pace()))
    threads.run()
    threads.run()
    match: PlayMatch = found[0]
    return match


def test_a_match_stays_in_memory_until_it_is_on_disk(
    matches: Matches, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = begun(matches, threads)
    monkeypatch.setattr(matches_module, "MOST_MATCHES", 1)
    refused = outcome(matches.new("k", None, Pace()))
    refused[0].trap(LudensError)
    assert matches.in_memory() == [match]
    threads.run()  # writes it
    outcome(matches.new("k", None, Pace()))
    assert matches.in_memory() == []


def test_the_match_that_has_waited_longest_is_written_first(
    matches: Matches, threads: Threads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_file, "to_json", lambda match: {"name": match.name})
    names = [digit * 16 for digit in "abc"]
    for name in (*names, names[1]):
        each: Any = SimpleNamespace(name=name)
        matches._keep(each)
    for count in (1, 2, 3):
        threads.run()
        assert sorted(path.stem for path in tmp_path.iterdir()) == names[:count]


def test_what_changes_while_the_oldest_matches_are_thrown_away_is_kept_too(
    matches: Matches, threads: Threads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_module, "in_thread", at_once)
    match = begun(matches, threads)
    threads.run()  # writes it; what comes next throws matches away
    match.choose(0, "m0", 0)
    threads.run_all()
    assert len(json.loads((tmp_path / f"{match.name}.json").read_text())["nodes"]) == 2


def test_closing_waits_for_the_archive(matches: Matches, threads: Threads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "in_thread", at_once)
    archive: Any = SlowArchive()
    matches.archive = archive
    match = begun(matches, threads)
    for step in range(4):
        match.choose(step % 2, f"m{step}", step)
    closed: list[object] = []
    matches.close().addBoth(closed.append)
    threads.run_all(but=archive.keep)
    assert not closed
    threads.run()
    assert closed and archive.kept


class OneMove:
    """Stands in for the engines of a player, which makes one move when the test says so."""

    def __init__(self, _reactor: object, _pool: object, _begin: object, hear: Callable[[Event], None], _: object):
        self._hear = hear
        self._target = GoTo(())

    def go_to(self, target: GoTo) -> None:
        self._target = target

    def rest(self) -> None:
        """Has nothing to stop."""

    kill = rest

    def move(self) -> None:
        """Reports its move where it is."""
        step = len(self._target.history)
        self._hear(SearchReport(step, f"m{step}", 5, 50.0, final=True, ticket=self._target.ticket))


def test_a_record_names_who_made_the_moves_and_not_who_sits_there_at_the_end(
    matches: Matches, threads: Threads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[OneMove] = []

    def start(*told: Any) -> OneMove:
        started.append(OneMove(*told))
        return started[-1]

    monkeypatch.setattr(thinker_module, "Supervisor", start)
    monkeypatch.setattr(match_module, "in_thread", at_once)
    archive: Any = SlowArchive()
    matches.archive = archive
    match = begun(matches, threads)
    match.choose(0, "m0", 0)
    match.choose(1, "m1", 1)
    match.change_seats(read_seats(["uct:iterations=10", "person"], match.game.roles), "tab")
    started[-1].move()
    match.change_seats(read_seats(["uct:iterations=20", "person"], match.game.roles), "tab")
    match.choose(1, "m3", 3)
    threads.run_all()
    assert archive.kept[0][0].players == ["human, then uct:iterations=10", "human"]
    assert match.record(2).players == ["human", "human"]
    again = outcome(of_folder(tmp_path).find(match.name))
    threads.run_all()
    assert again[0].record(4).players == archive.kept[0][0].players


def test_nobody_holds_a_role_that_is_not_there(matches: Matches, threads: Threads) -> None:
    match = begun(matches, threads)
    with pytest.raises(MoveError, match="nobody at a page"):
        match.check_holds(7, "tab")
    assert 7 not in match.holders


def test_a_match_that_is_paused_is_so_when_it_is_found_again(
    matches: Matches, threads: Threads, tmp_path: Path
) -> None:
    match = begun(matches, threads)
    threads.run_all()
    match.pause(True)
    threads.run_all()
    again = outcome(of_folder(tmp_path).find(match.name))
    threads.run_all()
    assert again[0].state()["paused"]


def test_a_match_that_is_refused_once_its_rules_are_read_is_over_and_written_nowhere(tmp_path: Path) -> None:
    follows = live_match.LiveMatches()
    served = ServedMatches(follows, "Tester")
    folder = RecordFolder(Clock(), tmp_path, "Tester")
    archive = MatchArchive(Clock(), Archive(tmp_path / "archive.sqlite"), "Tester")
    harness = PlayerHarness(served.heard, [served, folder, archive])
    start = harness.post(START)
    harness.engine.reads_rules()
    harness.engine.refuses("no memory")
    assert start.reply == "busy"
    assert [(each.title, each.over) for each in follows.all()] == [("m1", True)]
    assert folder.close().called and archive.close().called
    assert not list(tmp_path.iterdir())
