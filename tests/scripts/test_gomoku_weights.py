"""Tests fitting the weights of the pattern search of gomoku."""

from pathlib import Path

import numpy as np

from scripts.strength import gomoku_weights as weights


def test_classes_do_not_depend_on_the_order_of_lines() -> None:
    table = weights.class_table()
    assert sorted(set(table.ravel().tolist())) == list(range(weights.CLASSES))
    assert all((table == np.moveaxis(table, i, j)).all() for i in range(4) for j in range(4))


def test_positions_of_games_have_all_their_empty_cells_and_the_move_played(tmp_path: Path) -> None:
    weights.play(2, 300, 1, tmp_path / "games")
    games = weights.read_games(tmp_path / "games")
    assert len(games) == 2
    estimates, choices = weights.describe(games)
    assert 0 < len(estimates.counts) <= sum(len(moves) - opening for opening, _, moves in games)
    of_sides = estimates.counts.reshape(-1, 2, weights.CLASSES).sum(2)
    assert (of_sides[:, 0] == of_sides[:, 1]).all()
    assert (choices.position[choices.played] == np.arange(len(choices.played))).all()
    for described in (estimates, choices):
        assert set(described.games) == {0, 1} and (np.diff(described.games) >= 0).all()


def test_fits_find_the_weights_that_made_the_data() -> None:
    rng = np.random.default_rng(1)
    counts = np.zeros((20_000, 2 * weights.CLASSES), np.float32)
    counts[:, 2] = rng.integers(0, 3, len(counts))
    counts[:, weights.CLASSES + 1] = rng.integers(0, 3, len(counts))
    odds = 1 / (1 + np.exp(-(1.5 * counts[:, 2] - counts[:, weights.CLASSES + 1] + 0.25)))
    scores = (rng.random(len(counts)) < odds).astype(np.float32)
    found = weights.fit_estimates(weights.Estimates(counts, scores, np.arange(len(scores))), 0.1)
    assert np.allclose([found.classes[0, 2], found.classes[1, 1], found.tempo], [1.5, -1, 0.25], atol=0.1)

    likelihoods = np.exp([0.0, 1.0, 2.0])
    classes = np.tile(np.array([[0, 7, 8], [0, 0, 0]]), 5000)
    played = 3 * np.arange(5000) + rng.choice(3, 5000, p=likelihoods / likelihoods.sum())
    choices = weights.Choices(classes, np.repeat(np.arange(5000), 3), played, np.arange(5000))
    fitted = weights.fit_choices(choices, 0.1)
    assert np.allclose(fitted[0, [0, 7, 8]], [0, 1, 2], atol=0.15)


def test_games_that_are_held_out_play_no_part_in_the_fits() -> None:
    rng = np.random.default_rng(1)
    games = np.repeat(np.arange(20), 10)
    counts = rng.integers(0, 3, (len(games), 2 * weights.CLASSES)).astype(np.float32)
    scores = rng.integers(0, 2, len(games)).astype(np.float32)
    classes = rng.integers(0, weights.CLASSES, (2, 3 * len(games)))
    played = 3 * np.arange(len(games)) + rng.integers(0, 3, len(games))
    held_out = games % weights.TEST_EVERY == 0
    other_moves = np.where(held_out, 3 * np.arange(len(games)), played)
    first, second = (
        weights.fit_estimates(weights.Estimates(counts, each, games), 4.0, steps=5).classes
        for each in (scores, np.where(held_out, 1 - scores, scores))
    )
    assert (first == second).all()
    position = np.repeat(np.arange(len(games)), 3)
    first, second = (
        weights.fit_choices(weights.Choices(classes, position, each, games), 4.0, steps=5)
        for each in (played, other_moves)
    )
    assert (first == second).all()


def test_moves_of_chosen_positions_are_those_that_they_had() -> None:
    choices = weights.Choices(
        np.array([[5, 6, 7, 8, 9], [0, 1, 2, 3, 4]]), np.array([0, 0, 1, 2, 2]), np.array([1, 2, 3]), np.arange(3)
    )
    chosen = choices.of(np.array([True, False, True]))
    assert (chosen.classes[0] == [5, 6, 8, 9]).all() and (chosen.position == [0, 0, 1, 1]).all()
    assert (chosen.classes[0, chosen.played] == [6, 8]).all() and (chosen.games == [0, 2]).all()
