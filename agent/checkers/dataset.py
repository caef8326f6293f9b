"""Makes checkers data shard by shard: positions of games, no two alike, and what their moves are worth.

Each shard follows from the seed, its number and the shards before it, whose positions it does not repeat. Positions
are chosen so that there are as many with few pieces as with many, as far as the games have them.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ludens.agent.checkers.games import COIN, DESCENT, MINIMAX, RANDOM, SEARCH, GamePlayer, GamePositions
from ludens.agent.checkers.move_values import (
    KERNELS,
    Judge,
    MoveValues,
    block_size,
    judge_all,
    random_descent,
    searched,
)
from ludens.agent.checkers.shards import (
    DataError,
    check_no_shards,
    read_configuration,
    read_shard,
    remove_shard_drafts,
    shard_path,
    write_configuration,
    write_shard,
)
from ludens.agent.checkers.views import Words, counted_rules, hashes
from ludens.games.checkers.networks.network_file import read_network
from ludens.propnet.base.child import Tell
from ludens.propnet.base.folder_lock import FolderLock
from ludens.propnet.base.owned_files import make_folder

_CANDIDATES = 2  # positions of games for each that is kept, so that there is a choice
_USUAL = 50  # positions of a game: so many games are played, and again, until there are enough
_MOST_GAMES = 64  # side by side
_FUTILE = 20  # times that games may bring too few new positions
Hashes = npt.NDArray[np.uint64]


METHODS = ("outcome", "mcrd", "search")
SHARES = ("equal", "proportional")
GUIDED = "guided"
_USED_BY = {"playouts": ("mcrd", "search"), "shares": ("mcrd",), "kernel": ("mcrd",), "strategy": ("search",)}


@dataclass(frozen=True, slots=True)
class DataOptions:
    """From which everything in the data follows."""

    positions: int = 100_000
    method: str = "mcrd"
    playouts: int = 1000  # for each legal move
    shares: str = "equal"
    strategy: str = "uct"  # of the method `search`
    network: str = ""  # the file of the network by which `guided` judges positions
    network_digest: str = ""  # SHA-256 of that file, which is found by itself
    kernel: str = "off"  # where the kernel plays random games, as `KERNELS` says
    idle: int = 40
    cap: int = 200
    shard: int = 4096  # positions
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("positions", "playouts", "idle", "cap", "shard"):
            if getattr(self, name) < 1:
                raise DataError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name, known in (("method", METHODS), ("shares", SHARES), ("kernel", KERNELS)):
            if getattr(self, name) not in known:
                raise DataError(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        if (self.method == "search" and self.strategy == GUIDED) != bool(self.network):
            raise DataError("a network is needed by the method search with the strategy guided, and by nothing else")


@dataclass(slots=True)
class Progress:
    """What a run has done, and how fast."""

    positions: int = 0
    playouts: int = 0
    seconds: float = 0.0

    def line(self, done: int, wanted: int) -> str:
        """Returns how far the data are, for people."""
        if not self.positions:
            return f"{done:,} of {wanted:,} positions"
        rate = self.positions / self.seconds
        return (
            f"{done:,} of {wanted:,} positions, {rate:,.0f}/s, {self.playouts / self.seconds:,.0f} playouts/s, "
            f"{(wanted - done) / rate:,.0f} s left"
        )


def begin(
    folder: Path,
    given: Mapping[str, int | str],
    *,
    resume: bool,
    kernels: Collection[str] = KERNELS,
    warn: Callable[[str], None] = lambda _line: None,
) -> DataOptions:
    """Returns the options of new data, or those of data in the folder which are to be gone on with.

    A network may have been moved since: it is known by its digest. `kernels` are those of `KERNELS` that may play;
    `warn` hears of data that other code has begun. Raises `DataError` if the folder has data and is not to be resumed,
    the options given differ from its own or its kernel may not play, and `LudensError` if what they need is missing.
    """
    found = read_configuration(folder, asdict(DataOptions()), going_on=resume, warn=warn)
    if found is None:
        if resume:
            raise DataError(f"{folder} has no data to go on with")
        check_no_shards(folder)
        options = _with_digest(DataOptions(**given))  # type: ignore[arg-type]
        _check_use(options, given)
        _check_kernel(options, kernels)
        new_judge(options)  # or says what is missing
        write_configuration(folder, {name: value for name, value in asdict(options).items() if _uses(options, name)})
        return options
    if not resume:
        raise DataError(f"{folder} has data already: go on with them by --resume, or choose another --out")
    for name, value in given.items():
        if found[name] != value and not (name == "network" and found["network_digest"]):
            raise DataError(f"the data in {folder} have {name} {found[name]}, not {value}: leave --{name} out")
    options = _with_digest(DataOptions(**{**found, **given}))
    _check_use(options, given)
    _check_kernel(options, kernels)
    return options


def _check_use(options: DataOptions, given: Mapping[str, int | str]) -> None:
    """Raises `DataError` if the user gave what the method has no use for."""
    for name in given:
        if not _uses(options, name):
            methods = " or ".join(_USED_BY[name])
            raise DataError(f"--{name} is for the method {methods}, and the method here is {options.method}")


def _uses(options: DataOptions, name: str) -> bool:
    return options.method in _USED_BY.get(name, METHODS)


def _check_kernel(options: DataOptions, kernels: Collection[str]) -> None:
    if options.kernel not in kernels:
        raise DataError(f"with the kernel {options.kernel} no data are made on a cluster: it plays on one machine")


def _with_digest(options: DataOptions) -> DataOptions:
    """Returns the options with the digest of their network; raises `DataError` if they have another one."""
    if not options.network:
        return options
    try:
        digest = hashlib.sha256(Path(options.network).read_bytes()).hexdigest()
    except OSError as error:
        raise DataError(f"cannot read {options.network}: {error.strerror}") from None
    if options.network_digest not in ("", digest):
        raise DataError(f"{options.network} is not the network by which these data were begun")
    return replace(options, network_digest=digest)


@contextmanager
def alone(folder: Path, *, resume: bool) -> Iterator[None]:
    """Keeps other processes out of a folder; new data get one if need be. Raises `DataError`."""
    try:
        if not resume:
            make_folder(folder)
        lock = FolderLock(folder)
    except BlockingIOError:
        raise DataError(f"{folder}: another process is making data here") from None
    except OSError as error:
        raise DataError(f"cannot open the folder {folder}: {error.strerror}") from None
    with lock:
        remove_shard_drafts(folder)
        yield


def make(folder: Path, options: DataOptions, threads: int, tell: Tell, warn: Callable[[str], None]) -> Progress:
    """Makes the shards that are missing or damaged; raises `DataError`. `warn` gets one line for each damaged one."""
    made, known, done = Progress(), np.zeros(0, np.uint64), 0
    maker = _ShardMaker(options, threads)
    for number, size in enumerate(shard_sizes(options)):
        tell(made.line(done, options.positions))
        path = shard_path(folder, number)
        words = kept_words(path, size, warn)
        if words is None:
            began = time.monotonic()
            positions, values = maker.make(number, size, known)
            write_shard(path, positions, values)
            words = positions.words
            made.positions += size
            made.playouts += values.playouts
            made.seconds += time.monotonic() - began
        known = with_words(known, words)
        done += size
    tell(made.line(done, options.positions))
    return made


def with_words(known: Hashes, words: Words) -> Hashes:
    """Returns the hashes that are known, in order, with those of some positions."""
    new = np.sort(hashes(words))
    return np.insert(known, np.searchsorted(known, new), new)


def shard_sizes(options: DataOptions) -> list[int]:
    """Returns how many positions each shard has."""
    whole, rest = divmod(options.positions, options.shard)
    return [options.shard] * whole + [rest] * (rest > 0)


def kept_words(path: Path, size: int, warn: Callable[[str], None]) -> Words | None:
    """Returns the positions of a shard that is there and whole."""
    if not path.exists():
        return None
    try:
        words: Words = read_shard(path)["words"]
        if len(words) == size:
            return words
        raise DataError(f"{path} has {len(words):,} positions, not {size:,}")
    except DataError as error:
        warn(f"{error}; making it again")
        return None


def new_player(options: DataOptions) -> GamePlayer:
    """Returns what plays the games of data."""
    policies = (COIN,) if options.method == "outcome" else (COIN, RANDOM, MINIMAX, DESCENT, SEARCH)
    return GamePlayer(counted_rules(options.idle, options.cap), policies)


def new_judge(options: DataOptions) -> Judge | None:
    """Returns what judges moves; None where the ends of games are all that is asked.

    Raises `DataError` where the network is another one than that by which the data were begun, as it may be elsewhere.
    """
    rules = counted_rules(options.idle, options.cap)
    if options.method == "mcrd":
        return random_descent(rules, options.playouts, options.shares == "proportional", options.kernel)
    if options.method != "search":
        return None
    network = read_network(Path(_with_digest(options).network)) if options.network else None
    return searched(rules, options.strategy, options.playouts, network)


def shard_seeds(options: DataOptions, number: int) -> tuple[np.random.Generator, np.random.SeedSequence]:
    """Returns what a shard is random by: its games and the choice of positions, and what their moves are worth."""
    games_seed, judge_seed = np.random.SeedSequence([options.seed, number]).spawn(2)
    return np.random.default_rng(games_seed), judge_seed


class ShardChoice:
    """Chooses the positions of a shard from games, batch by batch, until there are enough of them."""

    def __init__(self, number: int, size: int, known: Hashes) -> None:
        """`known`: hashes of positions that are not wanted again, in order."""
        self._number, self._size, self._known = number, size, known
        self.games = min(_MOST_GAMES, -(-size * _CANDIDATES // _USUAL))  # of a batch
        self._found: GamePositions | None = None
        self._played = self._futile = 0

    @property
    def enough(self) -> bool:
        """Whether no more batches are needed."""
        return self._found is not None and len(self._found) >= self._size * _CANDIDATES

    def add(self, new: GamePositions) -> None:
        """Takes the positions of the next batch; raises `DataError` where games bring nothing new any more."""
        before = 0 if self._found is None else len(self._found)
        new = replace(new, game=new.game + (self._number << 24) + self._played)
        self._played += self.games
        joined = new if self._found is None else GamePositions.joined((self._found, new))
        self._found = _new_ones(joined, self._known)
        self._futile += len(self._found) - before < self.games
        if self._futile > _FUTILE:
            raise DataError(f"the games of this method have no {self._size:,} positions more: ask for fewer")

    def chosen(self, rng: np.random.Generator) -> GamePositions:
        """Returns the positions of the shard, `rng` being as the games have left it."""
        assert self._found is not None
        return self._found[_balanced(self._found.words, self._size, rng)]


class _ShardMaker:
    def __init__(self, options: DataOptions, threads: int) -> None:
        self._options, self._threads = options, threads
        self._player, self._judge = new_player(options), new_judge(options)

    def make(self, number: int, size: int, known: Hashes) -> tuple[GamePositions, MoveValues]:
        """Returns the positions of a shard and what their moves are worth; raises `DataError`."""
        rng, judge_seed = shard_seeds(self._options, number)
        choice = ShardChoice(number, size, known)
        while not choice.enough:
            choice.add(self._player.play(choice.games, rng))
        positions = choice.chosen(rng)
        if self._judge is None:
            return positions, MoveValues.none(size)
        block = block_size(self._options.kernel)
        return positions, judge_all(self._judge, positions.words, judge_seed, self._threads, block)


def _new_ones(positions: GamePositions, known: Hashes) -> GamePositions:
    """Returns the first of equal positions, without those that are known."""
    found, first = np.unique(hashes(positions.words), return_index=True)
    is_new = np.searchsorted(known, found) == np.searchsorted(known, found, side="right")
    return positions[np.sort(first[is_new])]


def _balanced(words: Words, size: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Chooses rows so that numbers of pieces are as evenly frequent as can be, in the order of the games."""
    pieces = np.bitwise_count(words[:, 0] | words[:, 1])
    order = rng.permutation(len(words))
    rank = np.empty(len(words), np.int64)
    for number in np.unique(pieces):
        rows = order[pieces[order] == number]
        rank[rows] = np.arange(len(rows))
    chosen: npt.NDArray[np.intp] = np.sort(order[np.argsort(rank[order], kind="stable")][:size])
    return chosen
