"""Says why this process is gone when Ray has ended it without a word, as it does when the head is lost.

Ray's C++ ends a process as soon as it misses the store of objects that was on a lost node; no code of Python runs then.
So a second process waits for the end of the first, and says what there is to say if the first has not said that all is
well.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ludens.agent.cluster.answer import check_answer
from ludens.agent.cluster.errors import ClusterError

_KEPT = "what was done until then is kept, and the same command goes on from there (`learn` and `data` with --resume)"


@contextmanager
def last_words(head: str) -> Iterator[None]:
    """Has it said on standard error if this process is ended within, connected to the cluster with this head."""
    command = [sys.executable, "-P", "-m", "ludens.agent.cluster.last_words", head]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        assert process.stdin
        try:
            yield
        finally:
            with suppress(BrokenPipeError):
                process.stdin.write(b"all is well")
                process.stdin.close()


def main() -> None:
    """The second process."""
    head = sys.argv[1]
    if sys.stdin.buffer.read():
        return
    try:
        check_answer(head)
        reason = f"ended while it was connected to the cluster {head}"
    except ClusterError as error:
        reason = str(error)
    print(f"ludens: {reason}; {_KEPT}", file=sys.stderr)


if __name__ == "__main__":
    main()
