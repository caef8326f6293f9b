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


def test_fits_find_the_weights_that_made_the_data() -> None:
    rng = np.random.default_rng(1)
    counts = np.zeros((20_000, 2 * weights.CLASSES), np.float32)
    counts[:, 2] = rng.integers(0, 3, len(counts))
    counts[:, weights.CLASSES + 1] = rng.integers(0, 3, len(counts))
    odds = 1 / (1 + np.exp(-(1.5 * counts[:, 2] - counts[:, weights.CLASSES + 1] + 0.25)))
    scores = (rng.random(len(counts)) < odds).astype(np.float32)
    found = weights.fit_estimates(weights.Estimates(counts, scores), 0.1)
    assert np.allclose([found.classes[0, 2], found.classes[1, 1], found.tempo], [1.5, -1, 0.25], atol=0.1)

    likelihoods = np.exp([0.0, 1.0, 2.0])
    classes = np.tile(np.array([[0, 7, 8], [0, 0, 0]]), 5000)
    played = 3 * np.arange(5000) + rng.choice(3, 5000, p=likelihoods / likelihoods.sum())
    fitted = weights.fit_choices(weights.Choices(classes, np.repeat(np.arange(5000), 3), played), 0.1)
    assert np.allclose(fitted[0, [0, 7, 8]], [0, 1, 2], atol=0.15)
