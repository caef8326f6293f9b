"""Every setting of the player, one line each: default, meaning, range, and whether only experts need it.

The options of `ludens serve`, the checks and their messages all follow from this table.

    >>> PlayerOptions(strategy="uct", threads=2).threads
    2
    >>> PlayerOptions.from_texts({"margin": "2.5"}).margin
    2.5
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

from ludens.agent.settings import memory_shares
from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.levels import LEVELS, Level
from ludens.agent.settings.processors import processors
from ludens.agent.settings.setting import LARGEST, check, convert, expert_setting, setting
from ludens.agent.settings.strategies import AUTO, EXPLANATIONS, INSTANT, OTHER_NAMES
from ludens.native import defaults
from ludens.native.playout_policies import MACHINE_POLICIES
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.suggestions import did_you_mean
from ludens.propnet.policies.table import POLICIES

WEIGHTED = "td"
"""The strategy that can judge positions by a network whose weights are in a file."""

_NETWORKED = (
    AUTO,
    *(name for name, strategy in STRATEGIES.items() if strategy.needs_evaluation or strategy.takes_leaf_batches),
)

UNIFORM = "uniform"
"""The playout policy of random games that choose from all legal moves."""

_POLICY_MEANINGS = {name: policy.meaning for name, policy in POLICIES.items()} | MACHINE_POLICIES
PLAYOUT_POLICIES = (AUTO, UNIFORM, *_POLICY_MEANINGS)
"""What random games may choose from."""

_POLICY_MEANING = "how random games choose their moves; uniform: all alike; " + "; ".join(
    f"{name}: {meaning}" for name, meaning in _POLICY_MEANINGS.items()
)
FEATURES = ("all", "mobility", "threats", "territory", "distance", "state")
"""What an evaluation may see: the state alone, one kind of features besides, or all kinds."""

PLANES = "planes"
"""In place of features: an evaluation that is a network over the board of the game."""

MANAGER_PAGES = tuple(
    f"{scheme}://{host}.stanford.edu" for host in ("ggp", "gamemaster") for scheme in ("http", "https")
)
"""Game Managers that are web pages, and send their messages from a browser."""

CLUSTER_ADDRESS = r"(auto|local|(\[[\da-fA-F:.]+\]|[^\s:/]+):\d{1,5})"
"""Where a cluster is: a pattern."""

_PERSONAL = ("FILE", "DIR", "FILE.py:CLASS", "ADDRESS")  # forms of what only the user may name

_ORIGIN = r"(null|[a-z][a-z0-9+.-]*://[^/,\s]+)"

_UNCLOCKED_SECONDS = 60.0  # to prepare where there is neither a start clock nor a limit
_ENGINE_MB = 6144  # address space of an engine, unless its trees need more
_LEAST_ENGINE_MB = 512
_BESIDE_MB = 1024  # of it beside its trees, where it is not small
_BESIDE_SHARE = 0.85  # where it is
_MOST_THREADS = 256
_THREAD_MB = 64  # of the nodes, that a thread should have at least: it grows a tree of its own


@dataclass(frozen=True)
class PlayerOptions:
    """What the user says about one player. Raises `OptionError`, which names the setting, for a value out of range."""

    name: str = setting(
        "Ludens",
        "name that managers show",
        pattern=r"[a-zA-Z][a-zA-Z0-9._-]{0,19}",
        rule="up to 20 letters, digits, dots, hyphens and underscores that begin with a letter",
    )
    interface: str = setting("127.0.0.1", "address to listen on; 0.0.0.0 for managers on other machines", form="HOST")
    port: int = setting(9147, "port to listen on; 0 for any free one", low=0, high=65535)
    strategy: str = setting(AUTO, "how moves are chosen; `ludens strategies` explains each", choices=(*EXPLANATIONS,))
    player: str = setting(
        "",
        "class of your own, in a file, that chooses the moves instead; what is about learning and searching then has "
        "no effect",
        form="FILE.py:CLASS",
    )
    learn: float = setting(
        math.inf,
        "longest time to learn before the first turn, or later if it comes too early, in seconds",
        low=0.0,
        high=3600.0,
        form="S",
    )
    recall: str = setting("on", "keep what was learned of a game, and use it again", choices=("on", "off"))
    matches: int = setting(1, "matches at once, each with an engine, memory and threads of its own", low=1, high=1000)
    log: str = setting("", "file to which log lines with dates are added", form="FILE")
    records: str = setting("", "folder for records of the matches played, in ggp-base's JSON", form="DIR")
    iterations: int = setting(
        0,
        "random games searched for each move, the same at each repetition; 0 for as many as the clock allows",
        low=0,
        high=10**12,
    )
    level: int = setting(
        0,
        "strength of an opponent for people, who plays without a clock: "
        f"from 1, which a child beats, to {len(LEVELS)}; 0 for full strength",
        low=1,
        high=len(LEVELS),
        automatic=True,
    )
    threads: int = setting(
        1,
        "search threads of a match; 0 for its share of the processors, as far as memory goes",
        low=0,
        high=_MOST_THREADS,
    )
    nodes_mb: int = setting(
        0,
        f"memory for the search tree, in MB; 0 for {defaults.MEMORY_MB}, or what engine_mb leaves",
        low=1,
        high=1_000_000,
        automatic=True,
    )
    margin: float = setting(
        0.3,
        "seconds of the clock kept free, besides those of the way to the manager, at most a quarter of it",
        low=0.0,
        high=60.0,
        form="S",
    )
    cluster: str = setting(
        "",
        "cluster of machines that search too: the address of its head, auto for the one that this machine belongs to, "
        "local for the other processors of this machine",
        form="ADDRESS",
        pattern=f"|{CLUSTER_ADDRESS}",
        rule="auto, local, or an address such as 192.168.0.7:6379",
    )
    seed: int = expert_setting(0, "seed of all random choices; 0 for a new one each time", low=0, high=LARGEST)
    policy: str = expert_setting(AUTO, _POLICY_MEANING, choices=PLAYOUT_POLICIES)
    weights: str = expert_setting(
        "",
        f"for {WEIGHTED}: file of `ludens train` with a network to judge positions by; "
        "shipped: the one that comes with Ludens",
        form="FILE",
        shipped="shipped",
    )
    network: str = expert_setting(
        "",
        "for English draughts: file of a trained network by which guided judges positions, and which chooses part of "
        "the moves in the random games of uct and mcrd",
        form="FILE",
    )
    network_share: float = expert_setting(
        0.1, "part of the moves in random games that the network chooses; the others are any", low=0.0, high=1.0
    )
    features: str = expert_setting(
        "all",
        "what learned evaluations see besides the facts of a state; with planes they are networks over the board, made "
        "by `ludens learn`",
        choices=(*FEATURES, PLANES),
    )
    factored: str = expert_setting("on", "play independent parts of a game apart", choices=("on", "off"))
    early_wins: str = expert_setting("on", "end searches at wins that nobody can prevent", choices=("on", "off"))
    recognise: str = expert_setting(
        "on", "play games that are recognised, as checkers and Tak, on cores of their own", choices=("on", "off")
    )
    exploration: float = expert_setting(
        defaults.EXPLORATION,
        "how much searches favour moves tried seldom (UCB constant), in ranges of goals",
        low=0.0,
        high=10.0,
    )
    playouts_per_leaf: int = expert_setting(
        0, "random games from each new position; 0 for a number that suits their cost", low=0, high=1024
    )
    expand_after: int = expert_setting(
        defaults.EXPAND_AFTER,
        "visits of a position before it becomes a node of the tree, in searches by random games",
        low=1,
        high=1_000_000,
    )
    max_steps: int = expert_setting(defaults.MAX_STEPS, "longest random game, in moves", low=1, high=1_000_000)
    lanes: int = expert_setting(
        0, "games that a thread plays side by side; 0 for the best number here", choices=(0, 64, 128, 256, 512)
    )
    kernel: str = expert_setting(
        "gpu", "what may play random games in large batches, if that is faster", choices=("gpu", "processor", "off")
    )
    solver_share: float = expert_setting(
        0.1, "part of the time for a search that proves wins near the end of a game", low=0.0, high=0.9
    )
    endgame_pieces: int = expert_setting(
        4, "pieces in the endgame tables of draughts; 0 for none", choices=(0, 2, 3, 4, 5, 6)
    )
    engine_mb: int = expert_setting(
        0,
        "memory (address space) of the process that thinks, search tree included, in MB; "
        f"0 for {_ENGINE_MB}, or more where nodes_mb needs it",
        low=_LEAST_ENGINE_MB,
        high=2_000_000,
        automatic=True,
    )
    grounding_seconds: float = expert_setting(
        600.0, "longest time to make a network of the rules, in seconds", low=0.0, high=86_400.0, form="S"
    )
    grounding_mb: int = expert_setting(2048, "memory to make a network of the rules, in MB", low=64, high=1_000_000)
    patience: float = expert_setting(
        15.0,
        "seconds of silence beyond twice the clock after which a match is given up",
        low=0.0,
        high=86_400.0,
        form="S",
    )
    allow_origin: str = expert_setting(
        ",".join(MANAGER_PAGES),
        "web pages that may send messages from a browser, as http://host:port, with commas between them; * for all",
        form="ORIGINS",
        pattern=rf"\*?|{_ORIGIN}(,{_ORIGIN})*",
        rule="*, or origins of web pages such as http://host:port with commas between them",
    )
    body_mb: int = expert_setting(16, "longest message taken, in MB", low=1, high=1024)
    request_seconds: float = expert_setting(
        30.0, "longest time for a message to arrive, in seconds", low=0.1, high=3600.0, form="S"
    )

    def __post_init__(self) -> None:
        """Checks every setting, and those that depend on each other."""
        if self.strategy not in EXPLANATIONS:
            near = did_you_mean(str(self.strategy), EXPLANATIONS, OTHER_NAMES)
            see = "`ludens strategies` explains all"
            raise OptionError("there is no strategy {given!r}{near}", see, given=self.strategy, near=near)
        for knob in dataclasses.fields(self):
            check(knob, getattr(self, knob.name))
        if self.player:
            self._check_player()
        if self.weights and self.strategy != WEIGHTED:
            text = "{weights} does not go with {given}, which has no use for them: choose {weighted}"
            raise OptionError(text, given=self.strategy, weighted=WEIGHTED)
        if self.network and self.strategy not in _NETWORKED:
            text = "{network} does not go with {given}, which has no use for it: choose one of " + ", ".join(_NETWORKED)
            raise OptionError(text, given=self.strategy)
        if self.recognise == "off":
            self._check_networked()
        if self.features == PLANES and self.recall == "off":
            raise OptionError("{features} planes does not go with {recall} off: `ludens learn` makes its networks")
        if self.nodes_mb > self._room:
            less = "raise {engine_mb}, or lower {nodes_mb} to {most}"
            text = "{engine_mb} must be at least {least} where {nodes_mb} is {nodes}: " + less
            raise OptionError(text, least=_needed(self.nodes_mb), nodes=self.nodes_mb, most=self._room)
        if self.level:
            self._check_level()
            self._check_repeatable("level")
        elif self.iterations:
            self._check_repeatable("iterations")

    def _check_player(self) -> None:
        """Checks that nothing else is to choose the moves."""
        for name, asked in (
            ("strategy", self.strategy != AUTO),
            ("iterations", self.iterations),
            ("level", self.level),
            ("cluster", self.cluster),
            ("network", self.network),
        ):
            if asked:
                text = f"{{{name}}} does not go with {{player}}, which chooses the moves: say one of them"
                raise OptionError(text)

    def _check_networked(self) -> None:
        """Checks that nothing asks for the core of a game, which is played on the network of its rules."""
        if self.strategy in STRATEGIES and STRATEGIES[self.strategy].needs_core:
            text = (
                "{recognise} off does not go with {given}, which plays only on cores of recognised games: choose auto"
            )
            raise OptionError(text, given=self.strategy)
        if self.network:
            raise OptionError("{recognise} off does not go with {network}, which is for recognised English draughts")

    def _check_level(self) -> None:
        """Checks that a level is what says how strong a search is."""
        if self.iterations:
            raise OptionError("{level} and {iterations} both say how long a move is searched: choose one of them")
        if self.strategy in INSTANT:
            raise OptionError(
                "{level} does not go with {given}, which does not search: choose auto", given=self.strategy
            )

    def _check_repeatable(self, limit: str) -> None:
        """Checks that a search of so many iterations depends on nothing but its seed."""
        if self.cluster:
            text = f"{{{limit}}} does not go with {{cluster}}: what other machines find out is never the same twice"
            raise OptionError(text)
        if self.threads > 1:
            text = f"{{{limit}}} needs {{threads}} to be 1: no two searches by several threads are the same"
            raise OptionError(text)
        if self.features == PLANES:
            raise OptionError(
                f"{{{limit}}} does not go with {{features}} {PLANES}: it searches with nothing learned before"
            )
        if self.strategy in STRATEGIES and STRATEGIES[self.strategy].needs_evaluation:
            text = f"{{{limit}}} does not go with {{given}}, which learns for as long as the clock allows: choose uct"
            raise OptionError(text, given=self.strategy)

    @property
    def weakness(self) -> Level | None:
        """The level of an opponent for people; None at full strength."""
        return LEVELS[self.level - 1] if self.level else None

    @property
    def move_iterations(self) -> int:
        """How many random games a move is searched for; 0 for as many as the clock allows."""
        return self.weakness.iterations if self.weakness else self.iterations

    @property
    def needs_no_clock(self) -> bool:
        """Whether this player chooses the same moves however much time it has."""
        return self.move_iterations > 0 or self.strategy in INSTANT

    @property
    def unclocked_seconds(self) -> float:
        """How long this player prepares where there is no start clock: as long as it may learn, or a minute."""
        return self.learn if self.learn < math.inf else _UNCLOCKED_SECONDS

    @property
    def personal(self) -> list[str]:
        """The settings by which this player runs code, uses files or joins a cluster in its user's name."""
        return [
            knob.name
            for knob in dataclasses.fields(self)
            if knob.metadata.get("form") in _PERSONAL
            and getattr(self, knob.name) not in ("", knob.metadata.get("shipped"))
        ]

    @property
    def tree_mb(self) -> int:
        """How much memory a search tree has: as much as `nodes_mb` says, or as there is room for."""
        return self.nodes_mb or min(defaults.MEMORY_MB, self._room)

    @property
    def process_mb(self) -> int:
        """How much address space an engine has: as much as `engine_mb` says, or as its trees need."""
        return self.engine_mb or max(_ENGINE_MB, _needed(self.nodes_mb))

    @property
    def _room(self) -> int:
        """The largest tree that the engine has room for."""
        beside = min(_BESIDE_MB, _BESIDE_SHARE * self.process_mb)
        return math.floor((self.process_mb - beside) / memory_shares.ALL)

    @property
    def workers(self) -> int:
        """How many threads search for a match: as many as `threads` says, or its share of processors and memory."""
        if self.move_iterations:
            return 1
        return self.threads or self.affordable_threads(processors() // self.matches)

    def affordable_threads(self, share: int) -> int:
        """Returns how many threads may search where a share of so many processors is there, as far as memory goes."""
        return max(1, min(share, self.tree_mb // _THREAD_MB, _MOST_THREADS))

    @classmethod
    def from_texts(cls, texts: Mapping[str, str]) -> PlayerOptions:
        """Returns the settings named in `texts`, the rest by default; raises `OptionError`."""
        knobs = {knob.name: knob for knob in dataclasses.fields(cls)}
        for name in texts:
            if name not in knobs:
                text = "there is no setting {given!r}{near}"
                raise OptionError(text, given=name, near=did_you_mean(name, knobs))
        return cls(**{name: convert(knobs[name], text) for name, text in texts.items()})


def _needed(nodes_mb: int) -> int:
    """Returns the address space of an engine with a tree of `nodes_mb`."""
    trees = memory_shares.ALL * nodes_mb
    return math.ceil(min(trees + _BESIDE_MB, max(trees / (1 - _BESIDE_SHARE), _LEAST_ENGINE_MB)))
