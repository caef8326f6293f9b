"""Shows that a command is still working, once it has taken more than a second."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

_FIRST_SECONDS = 1.0  # without a word
_REFRESHED = 4  # times a second
_PERCENT, _OF = re.compile(r"(\d+) %"), re.compile(r"(\d[\d,]*) of (\d[\d,]*)\b")


@contextmanager
def progress(what: str, stream: TextIO | None = None) -> Iterator[Callable[[str], None]]:
    """Shows `what` and the seconds gone by on `stream` (standard error) while the body runs.

    A terminal gets a bar that vanishes in the end; anything else gets plain lines at 1, 2, 4 … s. The body may say what
    it is at by calling what it is given with a few words; the bar fills where they tell how much is done, as `3 of 20`
    and `15 %` do.
    """
    shown = _Shown(what, stream or sys.stderr)
    watcher = threading.Thread(target=shown.show, daemon=True)
    watcher.start()
    try:
        yield shown.tell
    finally:
        shown.over.set()
        watcher.join()


def share_done(step: str) -> float | None:
    """Returns how much is done by what a step says of itself first, 0 … 1; None if it does not say."""
    percent, of = _PERCENT.search(step), _OF.search(step)
    if percent and not (of and of.start() < percent.start()):
        return min(1.0, int(percent[1]) / 100)
    if of:
        done, all_ = (int(number.replace(",", "")) for number in of.groups())
        return min(1.0, done / all_) if all_ else None
    return None


class _Shown:
    """What a stream shows of work in progress, in a thread of its own."""

    def __init__(self, what: str, out: TextIO) -> None:
        self._what, self._out, self._step = what, out, ""
        self._began = time.monotonic()
        self.over = threading.Event()

    def tell(self, text: str) -> None:
        """Takes what is being done."""
        self._step = text

    def show(self) -> None:
        """Shows it until it is over."""
        if self.over.wait(_FIRST_SECONDS):
            return
        if self._out.isatty():
            self._show_bar()
        else:
            self._print_lines()

    @property
    def _text(self) -> str:
        return f"{self._what}: {self._step}" if self._step else self._what

    def _print_lines(self) -> None:
        while True:
            seconds = time.monotonic() - self._began
            print(f"{self._text} … {seconds:.0f} s", file=self._out, flush=True)
            if self.over.wait(seconds):
                return

    def _show_bar(self) -> None:
        from rich.console import Console  # no earlier: what is quick needs none of it
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
        from rich.table import Column

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=False)),  # several lines
            BarColumn(bar_width=20, table_column=Column(no_wrap=True, min_width=20)),
            TextColumn("{task.fields[seconds]:.0f} s", table_column=Column(no_wrap=True)),
        )
        console = Console(file=self._out, force_terminal=True)
        with Progress(
            *columns, console=console, transient=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
        ) as bar:
            task = bar.add_task(self._text, total=None, seconds=0.0)
            while True:
                done = share_done(self._step)
                bar.tasks[0].total = None if done is None else 1.0  # `update` takes None for no change
                seconds = time.monotonic() - self._began
                bar.update(task, description=self._text, completed=done or 0.0, seconds=seconds)
                bar.refresh()
                if self.over.wait(1 / _REFRESHED):
                    return
