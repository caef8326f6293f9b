"""Holds machine code on ARM64 to the numpy evaluator, in an emulator: random networks and built-in games.

    python -m scripts.verify.arm64_code
    python -m scripts.verify.arm64_code hex reversi --networks 20

Compiles the networks of the native core for ARM64, with all warnings as errors, and plays under qemu, once on a
processor with SHA3 and once on one without. Takes minutes, where `make test-aarch64` takes an hour; what to install is
in docs/howto/test-on-aarch64.md. The exit status is 0 only when all agree.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ludens import games
from ludens.native.core import Game, Simulator, pack_bits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from scripts.common import arguments
from scripts.common.progress import tell
from scripts.common.random_networks import random_network

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "build" / "arm64-code"
NATIVE = ROOT / "native" / "src"
COMPILER = "aarch64-linux-gnu-g++"
EMULATORS = ("qemu-aarch64", "qemu-aarch64-static")
PROCESSORS = ("cortex-a72", "max")  # without and with SHA3
STATES = 300  # of each network


def compiled() -> Path:
    """The program, compiled anew where its sources are newer."""
    program, options = PLACE / "check", ["-std=c++20", "-O1", "-fwrapv", "-ffp-contract=off", "-Wno-psabi"]
    options += ["-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'native'}", f"-I{NATIVE}"]
    PLACE.mkdir(parents=True, exist_ok=True)
    objects = []
    newest_header = max(path.stat().st_mtime for path in (ROOT / "native").rglob("*.h*"))
    for source in [Path(__file__).with_suffix(".cpp"), *NATIVE.glob("base/*.cpp"), *NATIVE.glob("network/*.cpp")]:
        out = PLACE / f"{source.parent.name}-{source.stem}.o"
        objects.append(str(out))
        if out.exists() and out.stat().st_mtime > max(newest_header, source.stat().st_mtime):
            continue
        tell(f"compiling {source.parent.name}/{source.name}")
        one_set = ["-DLUDENS_ISA=baseline", "-DLUDENS_BASELINE"] if source.stem in {"machine", "batch"} else []
        one_set = one_set if source.parent.name == "network" else []
        subprocess.run([COMPILER, *options, *one_set, "-c", str(source), "-o", str(out)], check=True)
    subprocess.run([COMPILER, "-static", *objects, "-o", str(program)], check=True)
    return program


def case(net: Propnet, states: npt.NDArray[np.bool_], joint: npt.NDArray[np.int32], max_steps: int) -> bytes:
    """A network, states, and what the evaluator says of them, as the program reads it."""
    evaluator = Evaluator(net)
    terminal = evaluator.terminal(states)
    able = np.all([legal.any(axis=-1) for legal in evaluator.legal_by_role(states)], axis=0)
    successors = np.where((able & ~terminal)[:, None], evaluator.next(states, joint), states)
    sizes = [len(net.roles), net.state_bits, len(net.gates), net.move_count, len(net.goal_role)]
    sizes += [len(net.feedback), len(net.loops), len(states), max_steps]
    parts: list[npt.ArrayLike] = [sizes, [len(moves) for moves in net.moves], net.gates, net.next, net.legal]
    parts += [[net.terminal], net.goal_role, net.goal_value, net.goal_literal, net.feedback, net.loops]
    data = [np.asarray(part, np.int32).tobytes() for part in parts]
    data += [pack_bits(bits).tobytes() for bits in (np.asarray(net.initial), states)]
    data += [np.asarray(joint, np.int32).tobytes(), pack_bits(evaluator.legal(states)).tobytes()]
    data += [terminal.astype(np.uint8).tobytes(), evaluator.goals(states).astype(np.int32).tobytes()]
    data += [pack_bits(successors).tobytes(), able.astype(np.uint8).tobytes()]
    return b"".join(data)


def case_of_random_network(seed: int) -> bytes:
    """Random states of a random network."""
    rng = np.random.default_rng(seed)
    net = random_network(rng)
    states = rng.random((STATES, net.state_bits)) < rng.random()
    joint = np.stack([rng.integers(0, len(moves), STATES) for moves in net.moves], axis=1)
    return case(net, states, joint.astype(np.int32), 4)


def case_of_game(name: str) -> bytes:
    """Positions of random games, with their moves."""
    net = load(games.read(name))
    evaluator = Evaluator(net)
    recorded = Simulator(Game.from_propnet(net), 64, seed=6).record(max_steps=60)
    states, joint = [np.tile(net.initial, (len(recorded), 1))], []
    for step in range(min(8, max(map(len, recorded)))):
        made = np.array([moves[step] if step < len(moves) else np.zeros(len(net.roles), int) for moves in recorded])
        joint.append(made)
        alive = np.array([step < len(moves) for moves in recorded])
        states.append(np.where(alive[:, None], evaluator.next(states[-1], made), states[-1]))
    return case(net, np.concatenate(states[:-1]), np.concatenate(joint).astype(np.int32), 200)


def main() -> int:
    """Compiles, and plays on each processor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="built-in games (all)")
    parser.add_argument("--networks", type=arguments.count, default=200, help="random ones (200)")
    args = parser.parse_args()
    emulator = next(filter(None, map(shutil.which, EMULATORS)), None)
    if emulator is None or shutil.which(COMPILER) is None:
        print(f"arm64_code: {COMPILER} and {' or '.join(EMULATORS)} are needed", file=sys.stderr)
        return 1
    program = compiled()
    try:
        tell("evaluating on numpy")
        cases = [case_of_random_network(seed) for seed in range(args.networks)]
        cases += [case_of_game(name) for name in args.games or games.names()]
    except LudensError as error:
        print(f"arm64_code: {error}", file=sys.stderr)
        return 1
    failed = False
    for processor in PROCESSORS:
        tell(f"playing on {processor}")
        done = subprocess.run([emulator, "-cpu", processor, str(program)], input=b"".join(cases), check=False)
        failed |= done.returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
