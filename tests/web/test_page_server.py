"""The page's server: what it tells of games and matches, and whom it refuses."""

from __future__ import annotations

import http.client
import json
import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ludens.agent.records.record import to_json
from ludens.agent.web.peer_user import knows_users
from ludens.agent.web.static import page_files
from ludens.games.tak.temporal_differences.weights_file import shipped_weights
from tests.support.another_user import ask_as_another_user
from tests.support.page_server import Served, page_server
from tests.support.recorded_match import MOVES, RECORD, THOUGHT
from tests.support.waiting import PATIENCE, until

LAST_MOVE = """
import ludens

class LastMove(ludens.Player):
    def choose(self, state, seconds):
        return state.legal(self.role)[-1]
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with page_server(tmp_path_factory.mktemp("data")) as served:
        yield served


def key_of(server: Served, name: str) -> str:
    return next(str(game["key"]) for game in server.get("/games")["games"] if game["name"] == name)


def new_match(server: Served, *players: str, game: str = "tic_tac_toe", **pace: float) -> str:
    return str(server.post("/matches", game=key_of(server, game), players=list(players), **pace)["match"])


def test_the_page_and_all_that_it_loads_is_small_and_runs_nothing_but_its_own_files(server: Served) -> None:
    status, page, headers = server.request("GET", "/")
    assert status == 200
    assert "script-src 'self'" in headers["content-security-policy"]
    assert b"<script>" not in page
    assert b"style=" not in page
    assert sum(len(page_files()[name].content) for name in loaded("index.html")) < 150_000


def loaded(name: str) -> set[str]:
    """The files of the page that a browser loads with one of them."""
    text = page_files()[name].content.decode()
    there = name.rpartition("/")[0]
    named = {found[6:] for found in re.findall(r'(?:src|href)="(/page/[^"]+)"', text)}
    named |= {f"{there}/{found}".lstrip("/") for found in re.findall(r'from "\./([^"]+)"', text)}
    return {name}.union(*map(loaded, named))


def test_every_built_in_game_is_offered_with_a_line_about_it(server: Served) -> None:
    games = server.get("/games")["games"]
    assert {game["name"] for game in games} >= {"tic_tac_toe", "connect_four"}
    assert all(game["title"] and game["summary"] and game["players"] for game in games)


def test_two_people_play_a_game_to_its_end_and_nobody_else_is_asked(server: Served) -> None:
    match = new_match(server, "person", "person")
    events = server.events(match)
    snapshot = events.next("snapshot")
    assert snapshot["roles"] == ["cross", "nought"]
    for node, (role, move) in enumerate(
        [(0, "(mark 1 1)"), (1, "(mark 2 1)"), (0, "(mark 1 2)"), (1, "(mark 2 2)"), (0, "(mark 1 3)")]
    ):
        assert server.post(f"/match/{match}/move", role=role, move=move, node=node) == {}
        added = events.next("node", number=node + 1)
    assert added["goals"] == [100, 0]
    assert added["view"]["terminal"]
    events.close()


def test_an_engine_at_a_level_answers_a_person(server: Served) -> None:
    match = new_match(server, "person", "uct:iterations=50")
    events = server.events(match)
    events.next("snapshot")
    server.post(f"/match/{match}/move", role=0, move="(mark 2 2)", node=0)
    assert events.next("thoughts", node=1)["candidates"]
    assert events.next("node", number=2)["moves"][0] == "noop"
    events.close()


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {"Host": "evil.example"}, 403),
        ("/games", {"Origin": "http://evil.example"}, 403),
        ("/games", {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"}, 403),
        ("/page/../access.py", {}, 404),
        ("/page/%2e%2e/access.py", {}, 404),
        ("/match/../../etc/passwd/snapshot", {}, 409),
        ("/nothing", {}, 404),
    ],
)
def test_other_pages_and_other_paths_get_nothing(
    server: Served, path: str, headers: dict[str, Any], status: int
) -> None:
    assert server.request("GET", path, **headers)[0] == status


@pytest.mark.skipif(not knows_users(), reason="only Linux says whose a connection is")
@pytest.mark.parametrize("path", ["/", "/page/app.js", "/archive", "/matches", "/nothing"])
def test_another_user_of_the_machine_gets_nothing_and_is_told_why(server: Served, path: str) -> None:
    status, told = ask_as_another_user(server.port, path)
    assert status == 403
    assert json.loads(told) == {"error": "only programs of the user who started this page are answered"}


def test_no_other_file_is_given_for_a_picture(server: Served, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text('{"password": "hidden"}')
    status, told, _ = server.request("GET", f"/picture/{quote(str(tmp_path / 'mine'), safe='')}")
    assert status == 409
    assert b"is no key of a game" in told and b"hidden" not in told


def test_nothing_is_changed_without_the_token_of_a_page(server: Served) -> None:
    body = json.dumps({"game": key_of(server, "tic_tac_toe")}).encode()
    tries: list[dict[str, Any]] = [{}, {"X_Ludens_Token": "guess"}]
    for headers in tries:
        status, answer, _ = server.request("POST", "/matches", body, **headers)
        assert status == 403
        assert "load it again" in json.loads(answer)["error"]


@pytest.mark.parametrize(
    ("player", "setting"),
    [
        ("{folder}/mine.py:Mine", "player"),
        ("{folder}/mine.py", "player"),
        ("{folder}/none.py:Mine", "player"),
        ("td:weights={folder}/td.weights", "weights"),
        ("td:weights={folder}/none.weights", "weights"),
        ("guided:network={folder}/none.network", "network"),
        ("uct:log={folder}/log.txt", "log"),
        ("uct:records={folder}", "records"),
        ("uct:cluster=127.0.0.1:6379", "cluster"),
    ],
)
def test_a_page_alone_can_have_no_code_run_and_no_file_used_or_looked_for(
    server: Served, tmp_path: Path, player: str, setting: str
) -> None:
    (tmp_path / "mine.py").write_text("class Mine: ...")
    (tmp_path / "td.weights").write_bytes(shipped_weights(5).to_bytes())
    text = player.format(folder=tmp_path)
    begun = server.post("/matches", game=key_of(server, "tic_tac_toe"), players=["person", text])
    changed = server.post(f"/match/{new_match(server, 'person', 'random')}/players", players=["person", text])
    for answer in (begun, changed):
        assert answer["error"] == (
            f"a page alone cannot choose a player with {setting}: start a page with `ludens play --player {text}`, "
            "then it can be chosen"
        )


@pytest.mark.parametrize("name", ["mine.py", "Zoë's players/mine.py"])
def test_a_player_of_your_own_that_is_named_at_the_start_plays_at_the_page(tmp_path: Path, name: str) -> None:
    file, data = tmp_path / name, tmp_path / "data"
    file.parent.mkdir(exist_ok=True)
    file.write_text(LAST_MOVE)
    own = f"{file}:LastMove"
    with page_server(data, "--player", own) as server:
        assert server.get("/strategies")["named"] == [own]
        match = new_match(server, "person", own)
        events = server.events(match)
        events.next("snapshot")
        server.post(f"/match/{match}/move", role=0, move="(mark 1 1)", node=0)
        assert events.next("node", number=2)["moves"] == ["noop", "(mark 3 3)"]
        events.close()
    with page_server(data) as server:  # which knows it by the match alone
        assert server.get(f"/match/{match}/snapshot")["state"]["seats"] == ["person", own]
        assert server.post(f"/match/{match}/players", players=[own, "person"]) == {}
        assert server.get(f"/match/{match}/snapshot")["state"]["seats"] == [own, "person"]


@pytest.mark.parametrize(
    ("order", "body", "reason"),
    [
        ("move", {"role": 0, "move": "(mark 9 9)", "node": 0}, "not legal"),
        ("move", {"role": 1, "move": "noop", "node": 0}, "nobody at a page"),
        ("move", {"role": 0, "move": "(mark 1 1)", "node": 7}, "no position 7"),
        ("move", {"role": "x", "move": "(mark 1 1)", "node": 0}, "whole number"),
        ("players", {"players": ["person"]}, "2 players are needed"),
        ("players", {"players": ["person", "utc"]}, "uct"),
        ("players", {"players": ["person", "http://nowhere"]}, "write http://host:port"),
        ("pace", {"play_clock": -1}, "seconds"),
        ("back", {}, "no move to take back"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason(
    server: Served, order: str, body: dict[str, Any], reason: str
) -> None:
    match = new_match(server, "person", "random")
    assert reason in server.post(f"/match/{match}/{order}", **body)["error"]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("(role x)\n(<= (legal x a) (true b))\n(init (b))\n(goal x", [(4, 1)]),
        ("(role x)\n(<= (legal x ?a)\n    (true b))\n(init b)\n  (goal x)", [(2, 5), (5, 3)]),
    ],
)
def test_a_sheet_with_mistakes_is_told_with_lines_and_columns(
    server: Served, text: str, places: list[tuple[int, int]]
) -> None:
    found = server.post("/sheets", name="bad", text=text)
    assert found["key"] is None
    errors = [finding for finding in found["findings"] if finding["severity"] == "error"]
    assert [(error["line"], error["column"]) for error in errors] == places


def test_a_program_that_ends_its_sending_half_has_its_answer(server: Served) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", "/strategies")  # in which the server finds out whose the connection is
    assert connection.getresponse().read()
    connection.request("GET", "/games")
    connection.sock.shutdown(socket.SHUT_WR)
    assert b"tic_tac_toe" in connection.getresponse().read()
    connection.close()


def test_a_match_outlasts_a_server_that_is_killed(tmp_path: Path) -> None:
    first = Served(tmp_path)
    match = new_match(first, "person", "person")
    events = first.events(match)
    first.post(f"/match/{match}/move", role=0, move="(mark 2 2)", node=0)
    events.next("node", number=1)
    first.post(f"/match/{match}/back")
    events.next("state", at=0)
    until_kept(tmp_path, match, 0)
    events.close()
    first.kill()
    with page_server(tmp_path) as second:
        found = second.get(f"/match/{match}/snapshot")
        assert [node["moves"] for node in found["nodes"]] == [[], ["(mark 2 2)", "noop"]]
        assert found["state"]["at"] == 0
        assert second.post(f"/match/{match}/move", role=0, move="(mark 2 2)", node=0) == {}


def until_kept(data: Path, match: str, at: int) -> None:
    """Waits until the file of a match of two positions says where it stands."""
    file = data / "ludens" / "play" / f"{match}.json"

    def kept() -> bool:
        found = json.loads(file.read_text()) if file.exists() else {}
        return bool(found) and found["at"] == at and len(found["nodes"]) == 2

    until(kept)


def test_nobody_is_told_a_choice_before_all_have_chosen(server: Served) -> None:
    match = new_match(server, "person", "person", game="rock_paper_scissors")
    events = server.events(match)
    legal = snapshot_moves(server, match)
    assert server.post(f"/match/{match}/move", role=0, move=legal[0], node=0) == {}
    told = events.next("state", chosen=[0])
    assert legal[0] not in json.dumps(told)
    assert server.get(f"/match/{match}/snapshot")["nodes"][1:] == []
    server.post(f"/match/{match}/move", role=1, move=legal[1], node=0)
    assert events.next("node")["moves"] == legal[:2]
    events.close()


def snapshot_moves(server: Served, match: str) -> list[str]:
    """The moves of the first role at the first position."""
    found = server.get(f"/match/{match}/snapshot")
    look, view = server.get(f"/game/{found['game']}"), server.get(f"/match/{match}/view/0")
    return [look["moves"][0][index]["text"] for index in view["legal"][0]]


def test_a_match_is_taken_back_branched_off_and_gone_on_with_from_anywhere(server: Served) -> None:
    match = new_match(server, "person", "person")
    events = server.events(match)
    server.post(f"/match/{match}/move", role=0, move="(mark 1 1)", node=0)
    events.next("node", number=1)
    late = server.post(f"/match/{match}/move", role=0, move="(mark 2 2)", node=0)
    assert "gone on" in late["error"]
    assert server.post(f"/match/{match}/move", role=0, move="(mark 2 2)", node=0, branch=True) == {}
    assert events.next("node", number=2)["parent"] == 0
    assert server.post(f"/match/{match}/go", node=1) == {}
    assert events.next("state", at=1)
    assert server.post(f"/match/{match}/back") == {}
    assert events.next("state", at=0)
    server.post(f"/match/{match}/move", role=0, move="(mark 1 1)", node=0)  # a position that is known already
    assert events.next("state", at=1)
    assert len(server.get(f"/match/{match}/snapshot")["nodes"]) == 3
    events.close()


def test_engines_wait_while_a_match_is_paused_and_make_single_steps(server: Served) -> None:
    match = new_match(server, "random", "random", delay=86_400)
    events = server.events(match)
    events.next("snapshot")
    server.post(f"/match/{match}/pause", paused=True)
    for number in (1, 2):
        server.post(f"/match/{match}/step")
        events.next("node", number=number)
        assert events.next("state", at=number)["paused"]
    server.post(f"/match/{match}/pace", delay=0)
    server.post(f"/match/{match}/pause", paused=False)
    while "goals" not in events.next("node"):
        pass
    events.close()


def test_players_are_changed_and_ludens_finishes_a_match_of_three(server: Served) -> None:
    game = next(found["name"] for found in server.get("/games")["games"] if found["players"] == 3)
    match = new_match(server, "person", "random", "random", game=game)
    events = server.events(match)
    events.next("snapshot")
    server.post(f"/match/{match}/players", players=["uct:iterations=10"] * 3)
    while "goals" not in (node := events.next("node")):
        pass
    assert len(node["goals"]) == 3
    events.close()


def test_people_in_two_tabs_swap_sides(server: Served) -> None:
    match = new_match(server, "person", "person")
    events = server.events(match)
    events.next("snapshot")
    server.post(f"/match/{match}/sit", role=1, tab="tab-2")
    before = server.get(f"/match/{match}/snapshot")["state"]["held"]
    assert server.post(f"/match/{match}/swap") == {}
    after = server.get(f"/match/{match}/snapshot")["state"]["held"]
    events.close()
    assert after == before[::-1] != before


def test_a_puzzle_is_played_and_a_hint_leads_on(server: Served) -> None:
    game = next(found["name"] for found in server.get("/games")["games"] if found["players"] == 1)
    match = new_match(server, "person", game=game)
    events = server.events(match)
    assert events.next("snapshot")["nodes"][0]["choosers"] == [0]
    assert server.post(f"/match/{match}/hint", role=0, node=0) == {}
    hint = events.next("hint", node=0)
    assert server.post(f"/match/{match}/move", role=0, move=hint["move"], node=0) == {}
    assert events.next("node", number=1)["moves"] == [hint["move"]]
    events.close()


def test_a_record_is_saved_and_opened_again_and_found_in_the_archive(server: Served) -> None:
    match = new_match(server, "random", "random")
    events = server.events(match)
    nodes = events.next("snapshot")["nodes"]
    while "goals" not in nodes[-1]:
        nodes.append(events.next("node"))
    record = server.get(f"/match/{match}/record")
    again = server.post("/records", text=json.dumps(record), file="called-so.ptn")["match"]
    assert server.get(f"/match/{again}/record")["moves"] == record["moves"]
    text = json.dumps(record)
    cut = server.post("/records", text=text[: text.index('"states"')])["match"]
    assert server.get(f"/match/{cut}/record")["moves"] == record["moves"]
    assert "breaks off in line 1" in server.get(f"/match/{cut}/snapshot")["state"]["notes"][0]
    until(lambda: bool(server.get("/archive?game=tic_tac&player=random")["entries"]))
    entry = server.get("/archive?game=tic_tac&player=random")["entries"][0]
    assert entry["players"] == ["random", "random"]
    assert "match" in server.post("/records", number=entry["number"])
    events.close()


def test_a_record_is_opened_in_whatever_spelling_its_moves_are_understood(server: Served) -> None:
    shouted = [[f" {move.upper()} " for move in joint] for joint in MOVES]
    text = json.dumps(to_json(replace(RECORD, moves=shouted)))
    match = server.post("/records", text=text, file="match.json")["match"]
    assert server.get(f"/match/{match}/record")["moves"] == MOVES
    assert server.get(f"/match/{match}/record")["thoughts"] == [[], [], [THOUGHT]]


def test_a_record_is_opened_as_far_as_it_makes_sense(server: Served) -> None:
    text = json.dumps(to_json(replace(RECORD, moves=[*MOVES[:2], MOVES[0]])))
    match = server.post("/records", text=text, file="match.json")["match"]
    assert server.get(f"/match/{match}/record")["moves"] == MOVES[:2]
    notes = server.get(f"/match/{match}/snapshot")["state"]["notes"]
    assert "turn 3: (mark 1 1) is no legal move of cross" in notes[-1]


def test_a_match_that_was_saved_as_a_long_page_is_opened_again(server: Served) -> None:
    page = server.text(f"/match/{new_match(server, 'person', 'person')}/page")
    assert "match" in server.post("/records", text=page + " " * (3 << 20), file="match.html")


def test_who_sends_too_much_is_told_so(server: Served) -> None:
    assert server.post("/records", text=" " * (33 << 20)) == {"error": "that is too long: 32 MB are taken"}
    assert server.request("POST", "/records", bytes(3 << 20))[0] == 403
    with pytest.raises(OSError):
        server.request("POST", "/records", bytes(33 << 20))


def test_a_game_in_ptn_is_opened_and_gone_on_with(server: Served) -> None:
    text = '[Size "3"]\n[Komi "2"]\n[Player1 "Ann"]\n[Player2 "Ben"]\n1. a1 c3 2. b2 Sb1 3. c3<'
    match = server.post("/records", text=text, file="game.PTN")["match"]
    events = server.events(match)
    told = events.next("snapshot")
    assert [node["moves"] for node in told["nodes"][1:]] == [
        ["(place a 1 flat)", "noop"],
        ["noop", "(place c 3 flat)"],
        ["(place b 2 flat)", "noop"],
        ["noop", "(place b 1 wall)"],
        ["(spread c 3 left 1)", "noop"],
    ]
    notes = told["state"]["notes"]
    assert "Ann, Ben played" in notes[0]
    assert notes[1].startswith("a komi of 2 is left out, since tak_3 has none; the text ends without a result")
    assert server.post(f"/match/{match}/sit", role=1) == {}
    assert server.post(f"/match/{match}/move", role=1, move="(place c 3 flat)", node=5) == {}
    assert events.next("node", number=6)["moves"] == ["noop", "(place c 3 flat)"]
    events.close()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[Size "3"]\n1. a1 a1', "line 2, column 7: 'a1' is not legal: a1 is taken"),
        ('[Size "6"]\n1. a1 f6', "no rule sheet for Tak on 6 x 6 squares comes with Ludens, only for size 3, 4, 5"),
        ('[TPS "x3/x3/1,2,x 1 2"]', "the game begins in a position in TPS"),
        ("", "line 1, column 1: the size of the board is missing"),
    ],
)
def test_what_is_wrong_with_a_game_in_ptn_is_told(server: Served, text: str, told: str) -> None:
    assert told in server.post("/records", text=text, file="game.ptn")["error"]


def test_a_match_is_analysed_and_gone_through(server: Served) -> None:
    match = new_match(server, "person", "person")
    events = server.events(match)
    server.post(f"/match/{match}/move", role=0, move="(mark 1 1)", node=0)
    events.next("node", number=1)
    assert server.post(f"/match/{match}/analyse", on=True, node=1) == {}
    found = events.next("analysis", node=1)["analysis"]
    assert {candidate["role"] for candidate in found["candidates"]} == {1}
    assert len(found["values"]) == 2
    server.post(f"/match/{match}/review", node=1)
    events.next("analysis", node=0)
    assert events.next("state", reviewed=None, analysing=None)
    events.close()


def test_what_an_engine_does_before_it_is_ready_is_told_with_its_time_and_then_no_more(server: Served) -> None:
    match = new_match(server, "uct", "uct", start_clock=600.0, play_clock=600.0, game="connect_four")
    events = server.events(match)
    told = [events.next("snapshot")["state"]]
    while told[-1]["doing"] or len(told) < 2:
        told.append(events.next("state"))
    events.close()
    busy = [state for state in told if "0" in state["doing"]]
    assert {state["doing"]["0"] for state in busy} <= {
        "reads the rules",
        "turns the rules into a network",
        "gets to know the game",
    }
    assert all(0 < state["due"]["0"] <= 600 for state in busy)
    assert busy


def test_the_game_of_a_match_is_told_though_many_sheets_were_read_meanwhile(server: Served) -> None:
    sheet = "(role me) (init (at 1)) (legal me go) (next (at 2)) (<= terminal (true (at 2))) (goal me 100) ; "
    key = server.post("/sheets", name="go", text=sheet)["key"]
    match = str(server.post("/matches", game=key, players=["person"])["match"])
    for number in range(201):
        assert server.post("/sheets", name="other", text=f"{sheet}{number}")["key"]
    assert "does not know the game" in server.post("/matches", game=key, players=["person"])["error"]
    assert server.get(f"/game/{server.get(f'/match/{match}/snapshot')['game']}")["roles"] == ["me"]
