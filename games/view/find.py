"""Finds the view of a game: boards, pieces, and the places of its moves.

    sample = play_sample(game, sheet.roles, seconds=2.0)
    found = find_view("chess", sheet, sample, net)
    position = found.reader.read(facts, legal, terminal, goals)

Takes a moment for large games, so it is called in a thread or process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from ludens.games.view.forms import Forms, Key, read_forms
from ludens.games.view.geometry import Orientation, boards_of, swapped_by_names
from ludens.games.view.hints import Hints
from ludens.games.view.moves import MoveReader, card_of
from ludens.games.view.pieces import Pieces, read_pieces
from ludens.games.view.reader import CARD, CARDS, NetworkFacts, PositionReader, told_apart
from ludens.games.view.recast import Recast, find_recast
from ludens.games.view.sample import Sample, base_facts, static_relations
from ludens.games.view.sites import Site, find_sites
from ludens.games.view.vocabulary import Board, GameView, MoveView, Piece, Place, Step
from ludens.games.view.walls import find_walls, is_wall
from ludens.games.view.words import WAYS, ordered, parts, text_of, words
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_MOST_CARDS, _CARDS_PER_ROW = 120, 8
MOST_MOVES = 3000
"""More moves of all roles together are not listed in the view of a game, but in those of positions."""

_SIDE_OF_MEN = 3  # of each of two roles, at least, for them to face each other
_CHESSMEN = {"pawn", "knight", "bishop", "rook", "queen", "chess-king", "man", "king"}


def _never() -> bool:
    return False


def find_view(
    game: str,
    sheet: RuleSheet,
    sample: Sample,
    net: Propnet | None = None,
    hints: Hints | None = None,
    over: Callable[[], bool] = _never,
) -> PositionReader:
    """Returns what reads the positions of a game; its `view` describes the game.

    `sample` is from `play_sample`; of a network all facts and moves are known, without one those of the sample. When
    `over` says that time is up, the view shows what was found by then: facts that are on no board are listed, and so
    are moves.
    """
    hints = hints or Hints()
    sample = replace(sample, relations=sample.relations or static_relations(sheet, over))
    if net is not None:
        sample = replace(sample, facts=net.propositions, moves=net.moves)
    elif not sample.facts:
        sample = replace(sample, facts=base_facts(sheet))
    network_facts = NetworkFacts(frozenset(sample.facts), _constants(sample, net))
    forms = read_forms(sample)
    recast = find_recast(forms, hints.ignore)
    if recast != Recast():
        sample = recast.sample(sample, forms.successors)
        forms = replace(read_forms(sample), joined=recast.joined, stacked=recast.stacked)
    sites = find_sites(forms, hints.ignore, over)
    pieces = read_pieces(forms, sites, game)
    for key, piece in pieces.table.items():
        pieces.table[key] = hints.piece(key, piece, sample.roles)
    turned = [_hinted(hints, site, Orientation(swapped=swapped_by_names(forms, site))) for site in sites]
    boards, steps = _lay_out(forms, sites, turned)
    moves = MoveReader(forms, sites, steps, boards, pieces, over)
    better = [_hinted(hints, site, each) for site, each in zip(sites, _oriented(moves, steps, turned), strict=True)]
    if better != turned and not over():
        boards, steps = _lay_out(forms, sites, better)
        moves = MoveReader(forms, sites, steps, boards, pieces, over)
    boards, card_pieces = (boards, {}) if over() else _add_cards(moves, sample, boards)
    pieces.table.update(card_pieces)
    fences = [form for form in forms.facts.values() if form.name not in hints.ignore and is_wall(form)]
    walls = find_walls(fences, steps, boards)
    view = GameView(game, sample.roles, _checkered(boards, pieces, hints), pieces.table, _moves(moves, sample))
    return PositionReader(view, forms, sites, steps, pieces, moves, recast, network_facts, walls)


def _add_cards(moves: MoveReader, sample: Sample, boards: list[Board]) -> tuple[list[Board], dict[str, Piece]]:
    """Adds a track of cards for moves that lie on no board, where they are not too many, and returns these cards."""
    known = {
        (role, text)
        for state in sample.states()
        for role, legal in enumerate(state.legal)
        for text in (legal if len(legal) > 1 else ())
    }
    names = list(dict.fromkeys(card_of(words(text)) for role, text in sorted(known) if moves.lies_nowhere(role, text)))
    if not names or len(names) > _MOST_CARDS:
        return boards, {}
    names = list(ordered(names, {}) or names)
    per_row = min(len(names), _CARDS_PER_ROW)
    rows = -(-len(names) // per_row)
    places = tuple(Place(name, i % per_row + 0.5, rows - i // per_row - 0.5, name) for i, name in enumerate(names))
    moves.cards = {name: (len(boards), i) for i, name in enumerate(names)}
    ends = Counter(name.split()[-1] for name in names)
    texts = {name: end if ends[end := name.split()[-1]] == 1 else name for name in names}
    cards = {CARD + name: Piece("card", None, text) for name, text in texts.items()}
    return [*boards, Board(CARDS, "track", per_row, rows, (), (), False, places)], cards


def _constants(sample: Sample, net: Propnet | None) -> frozenset[str]:
    """The facts that always hold, as far as seen, which the network therefore leaves out."""
    if net is None:
        return frozenset()
    always = frozenset.intersection(*(state.facts for state in sample.states()))
    return frozenset(map(text_of, always)) - frozenset(net.propositions)


def _lay_out(
    forms: Forms, sites: Sequence[Site], turned: Sequence[Orientation]
) -> tuple[list[Board], list[dict[Key, Step]]]:
    boards: list[Board] = []
    steps: list[dict[Key, Step]] = []
    for site, orientation in zip(sites, turned, strict=True):
        more, at = boards_of(forms, site, orientation, len(boards))
        boards.extend(more)
        steps.append(at)
    return boards, steps


def _hinted(hints: Hints, site: Site, found: Orientation) -> Orientation:
    said = hints.boards.get(site.id, {})
    return replace(found, **{name: said[name] for name in ("swapped", "left", "down") if name in said})


def _oriented(moves: MoveReader, steps: Sequence[dict[Key, Step]], turned: Sequence[Orientation]) -> list[Orientation]:
    """How boards must lie for `north` to lead up and discs to fall down, as most moves have it."""
    votes: list[Counter[str]] = [Counter() for _ in steps]  # for and against what is to change
    site_of = {board: i for i, at in enumerate(steps) for board, _ in at.values()}
    for (_, text), shift in moves.shifts.items():
        way = next((WAYS[part] for part in parts(text) if part in WAYS), None)
        across, along = _sign(shift.by[0]), _sign(shift.by[1])
        if way is None or abs(across) + abs(along) != 1:
            continue
        vote, swapped = votes[site_of[shift.board]], bool(across) != bool(way[0])
        seen = (along, across) if swapped else (across, along)
        vote["swapped"] += 1 if swapped else -1
        axis, wrong = ("left", seen[0] != way[0]) if way[0] else ("down", seen[1] != way[1])
        vote[f"{axis} {swapped}"] += 1 if wrong else -1
    for board in moves.upside_down():
        votes[site_of[board]]["down False"] += 1
    better = []
    for i, (orientation, vote) in enumerate(zip(turned, votes, strict=True)):
        if not vote:
            better.append(_upright(orientation, _sides(moves, i)))
            continue
        swap = vote["swapped"] > 0
        left, down = vote[f"left {swap}"] > 0, vote[f"down {swap}"] > 0
        better.append(Orientation(orientation.swapped != swap, left, down))
    return better


def _sides(moves: MoveReader, site: int) -> tuple[float, float]:
    """How far the men of the second of two roles are to the right of those of the first, and above them, at first."""
    men: tuple[list[Place], list[Place]] = [], []
    for step, keys in moves.first.items():
        for owner in {moves.pieces.table[key].owner for key in keys}:
            if owner in (0, 1) and step in moves.steps[site].values():
                men[owner].append(moves.boards[step[0]].places[step[1]])
    if len(moves.forms.roles) != 2 or min(map(len, men)) < _SIDE_OF_MEN:
        return 0.0, 0.0
    (ax, ay), (bx, by) = ((sum(p.x for p in own) / len(own), sum(p.y for p in own) / len(own)) for own in men)
    return bx - ax, by - ay


def _upright(found: Orientation, sides: tuple[float, float]) -> Orientation:
    """Turns a board by a quarter if the men of two roles face each other from left to right, the first then below."""
    if abs(sides[0]) < 2 or abs(sides[0]) < 4 * abs(sides[1]) or found.left or found.down:
        return found
    return replace(found, swapped=not found.swapped, **{"left" if sides[0] > 0 else "down": True})


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _checkered(boards: Sequence[Board], pieces: Pieces, hints: Hints) -> tuple[Board, ...]:
    """Gives boards of squares for chessmen and men two colours."""
    men = any(piece.shape in _CHESSMEN for piece in pieces.table.values())
    return tuple(
        replace(
            board,
            checkered=hints.boards.get(board.id.split()[0], {}).get(
                "checkered", board.checkered or (men and board.style == "squares" and board.width >= 4)
            ),
        )
        for board in boards
    )


def _moves(moves: MoveReader, sample: Sample) -> tuple[tuple[MoveView, ...], ...]:
    if sum(map(len, sample.moves)) > MOST_MOVES or not sample.moves:
        return tuple(() for _ in sample.roles)
    return tuple(
        tuple(told_apart([(moves.view(role, text), moves.choice(role, text)) for text in texts]))
        for role, texts in enumerate(sample.moves)
    )
