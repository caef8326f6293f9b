"""The model by which a search is chosen: what it learns from games, and what its choices lose."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from ludens.agent.preparation.strength_coefficients import STRENGTH_MODELS
from scripts.strength import choice_model
from scripts.strength.choice_games import main as play
from scripts.strength.choice_model import (
    FIGURES,
    Fitted,
    Row,
    by_family,
    by_game,
    fit,
    fitted,
    left_out,
    mean_and_worst,
    read,
    regrets,
)


def row(path: str, search: str = "guided", scores: tuple[float, ...] = (), **figures: float) -> Row:
    known = dict.fromkeys(
        ("alternating", "playouts", "branching", "length", "places", "ahead", "behind", "random_games", "learned"), 0.0
    )
    return Row(path, search, 0.1, known | {"constant": 1.0} | figures, scores, ())


def many(strength_of_behind: float, games: int = 60, each: int = 40) -> list[Row]:
    """Games whose strength is 1 but for what is behind."""
    rng, rows = np.random.default_rng(1), []
    for number in range(games):
        behind = max(0.0, float(rng.normal(0, 0.3)))
        chance = 1 / (1 + math.exp(-(1 + strength_of_behind * behind)))
        rows.append(row(str(number), scores=tuple(map(float, rng.random(each) < chance)), behind=behind))
    return rows


def test_coefficients_are_found_again() -> None:
    found = fit(many(-5.0), ("constant", "behind"), 0.5)
    assert found == {"constant": pytest.approx(1.0, abs=0.15), "behind": pytest.approx(-5.0, abs=0.7)}


def test_games_that_differ_much_for_no_reason_make_a_wide_spread() -> None:
    rows = [row(str(n), scores=(float(n % 2),) * 8) for n in range(20)]
    alike = [row(str(n), scores=(1.0, 0.0) * 4) for n in range(20)]
    assert fitted(rows, ("constant",)).spread > 2 > 0.5 > fitted(alike, ("constant",)).spread


def test_a_spread_is_found_again() -> None:
    rng, rows = np.random.default_rng(1), []
    for number in range(30):
        chance = 1 / (1 + math.exp(-rng.normal(0.5, 1.0)))
        rows.append(row(str(number), scores=tuple(map(float, rng.random(20) < chance))))
    assert fitted(rows, ("constant",)).spread == pytest.approx(1.0, abs=0.5)


def test_an_uncertain_model_expects_less() -> None:
    figures = row("a").figures
    certain, uncertain = (Fitted({"constant": 2.0}, spread).chance(figures) for spread in (0.1, 3.0))
    assert 0.5 < uncertain < certain < 1 / (1 + math.exp(-2.0)) + 1e-9
    drawn = 1 / (1 + np.exp(-np.random.default_rng(1).normal(2.0, 3.0, 200_000)))
    assert uncertain == pytest.approx(float(drawn.mean()), abs=0.02)


def test_a_game_plays_no_part_in_what_is_expected_of_it() -> None:
    rows = many(-5.0, games=8, each=10)
    names = ("constant", "behind")
    changed = [*rows[:-1], row(rows[-1].path, scores=(0.0,) * 10, behind=rows[-1].figures["behind"])]
    first, second = (left_out(each, names, 0.5)[-1] for each in (rows, changed))
    assert first.coefficients == pytest.approx(second.coefficients)


def test_variants_of_a_game_play_no_part_where_they_are_left_out_with_it() -> None:
    rows = [row(f"skirmish{n}.kif", scores=(0.0,) * 6) for n in range(3)]
    rows += [row(f"other{n}.kif", scores=(1.0,) * 6) for n in range(8)]
    seen, unseen = (left_out(rows, ("constant",), 0.5, unit)[0] for unit in (by_game, by_family))
    assert unseen.coefficients["constant"] > seen.coefficients["constant"] > 0
    assert len({by_family(each) for each in rows}) == 9


@pytest.mark.parametrize(
    ("path", "family"),
    [
        ("tictactoe_3d_2player.kif", "tictactoe"),
        ("connect_four.kif", "connectfour"),
        ("dualConnect4.kif", "connectfour"),
        ("reversiSuicide.kif", "othello"),
        ("knightthrough.kif", "breakthrough"),
        ("chineseCheckers6.kif", "chinesecheckers"),
        ("four_way_battle.kif", "battle"),
        ("tttcc4.kif", "ttcc4"),
        ("4pttc.kif", "ttcc4"),
        ("sum15.kif", "tictactoe"),
        ("ticTicToe.kif", "tictactoe"),
        ("speedChess.kif", "chess"),
        ("mini_chess.kif", "chess"),
        ("zhadu.kif", "zhadu"),
    ],
)
def test_variants_have_one_family(path: str, family: str) -> None:
    assert by_family(row(path)) == family


def test_searches_without_games_keep_their_models() -> None:
    name, models = "guided", STRENGTH_MODELS
    same = choice_model.source({name: Fitted(models[name].coefficients, models[name].spread)})
    assert same == choice_model.TARGET.read_text("utf-8")


def test_what_is_lost_is_the_distance_to_the_better_search() -> None:
    rows = [row(str(n), scores=(0.0,) * 8, behind=0.5) for n in range(5)]
    rows += [row(str(10 + n), scores=(1.0,) * 8) for n in range(5)]
    found = regrets(rows)
    assert mean_and_worst(found, "model") == (0, 0)
    assert list(mean_and_worst(found, "always UCT")) == pytest.approx([0.2, 0.4])
    assert list(mean_and_worst(found, "always guided")) == pytest.approx([0.2, 0.4])
    assert mean_and_worst(found, "by features") == mean_and_worst(found, "always UCT")


def test_of_few_games_little_is_lost_at_the_least() -> None:
    rows = [row(str(n), scores=(1.0,) * 8) for n in range(5)]
    rows += [row("lost", scores=(0.0,) * 3), row("lost often", scores=(0.0,) * 8), row("drawn", scores=(0.5,) * 8)]
    found = {each.row.path: each.least_loss("always guided") for each in regrets(rows)}
    assert found["lost often"] == pytest.approx(0.5 - 0.3244, abs=1e-4)  # Wilson's interval of none of 8 ends there
    assert [found[path] for path in ("0", "lost", "drawn")] == [0.0, 0.0, 0.0]
    assert [each.least_loss("always UCT") for each in regrets(rows)[:1]] == pytest.approx([0.1756], abs=1e-4)


def test_the_models_in_use_are_those_of_the_data() -> None:
    rows = read()
    models = {name: fitted([r for r in rows if r.search == name], figures) for name, figures in FIGURES.items()}
    assert choice_model.source(models) == choice_model.TARGET.read_text("utf-8")
    assert set(STRENGTH_MODELS) == set(FIGURES)


def test_the_choice_loses_little_in_games_it_has_not_seen() -> None:
    found = regrets(read())
    mean, _ = mean_and_worst(found, "model")
    assert mean < 0.02
    for rule in ("always guided", "always UCT", "by features"):
        assert mean < mean_and_worst(found, rule)[0]
    for alternating, most in ((1.0, 0.017), (0.0, 0.031)):
        of_kind = [regret for regret in found if regret.row.figures["alternating"] == alternating]
        assert mean_and_worst(of_kind, "model")[0] < most


def test_no_game_begins_once_the_time_for_a_length_of_moves_is_over(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    sheet = Path(choice_model.__file__).parents[2] / "games" / "sheets" / "breakthrough_small.kif"
    asked = [str(sheet), "--learn", "1.5", "--seconds", "0.001", "--searches", "guided", "--out", str(out)]
    assert play([*asked, "--games", "50", "--most-seconds", "0.0001"]) == 0
    (found,) = read(out)
    assert len(found.scores) == 1
    assert found.figures["learned"] == pytest.approx(math.log(2.5 / 16), abs=1e-3)  # at least that is taken for granted


def test_of_what_was_played_before_the_time_of_learning_is_most_of_the_preparation(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    old = {"path": "a.kif", "search": "guided", "learned": 16.0, "seconds": 0.1, "scores": [1.0], "sees": []}
    new = {**old, "figures": {"learned": -0.5}}
    out.write_text("".join(json.dumps({**old, "figures": {}} if row is old else row) + "\n" for row in (old, new)))
    first, second = read(out)
    assert -0.5 < first.figures["learned"] < 0
    assert second.figures["learned"] == -0.5


def test_games_of_a_sheet_are_added_to_the_data_once(tmp_path: Path) -> None:
    out, folder = tmp_path / "games.jsonl", Path(choice_model.__file__).parents[2] / "games" / "sheets"
    asked = [str(folder / "breakthrough_small.kif"), "--learn", "1.5", "--seconds", "0.001", "--games", "1"]
    broken = tmp_path / "broken.kif"
    broken.write_text("(role a) (role")
    for _ in range(2):
        with out.open("a") as file:
            file.write('{"path": "brok')  # cut short
        assert play([str(broken), *asked, "--searches", "guided", "--out", str(out)]) == 0
    (found,) = read(out)
    assert (found.path, found.search, len(found.scores)) == ("breakthrough_small.kif", "guided", 1)
    assert [json.loads(line)["path"] for line in out.read_text().splitlines()] == ["broken.kif", found.path]
    more = [*asked[:4], "0.001", "0.002", *asked[5:], "--searches", "guided", "rave", "--out", str(out)]
    for _ in range(2):
        assert play(more) == 0
    assert [(each.search, each.seconds) for each in read(out)] == [("guided", 0.001), ("guided", 0.002)]
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["seconds"] for row in rows if row.get("search") == "rave"] == [0.001, 0.002]  # it cannot play there
