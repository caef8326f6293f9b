"""Who has the processor of an engine: before the first turn, in our turns, and while others move."""

from __future__ import annotations

import pytest

from ludens.agent.engine.processor_share import ProcessorShare


class Later:
    """A late preparation, which goes on until it is told to pause."""

    def __init__(self, *, beside_search: bool = False) -> None:
        self.beside_search = beside_search
        self.paused = False

    def pause(self, paused: bool) -> None:
        self.paused = paused


def share(later: Later | None = None) -> ProcessorShare:
    """The processor of an engine whose machines are there."""
    it = ProcessorShare()
    it.load()
    it.loaded(later)
    return it


def test_no_agent_searches_while_machines_are_made_until_they_are_there_or_a_turn_comes() -> None:
    it = ProcessorShare()
    it.load()
    assert (it.may_search, it.called) == (False, False)
    it.turn(waiting=False)
    assert (it.may_search, it.called) == (True, True)
    assert share().may_search


def test_who_begins_in_mid_match_searches_while_machines_are_made() -> None:
    it = ProcessorShare()
    it.turn(waiting=False)
    it.load()
    assert it.may_search


@pytest.mark.parametrize("waiting", [False, True])
def test_without_late_preparation_the_search_goes_on_while_we_wait(waiting: bool) -> None:
    it = share()
    it.turn(waiting=waiting)
    assert it.may_search


def test_who_is_told_to_rest_searches_no_more_before_the_next_turn() -> None:
    it = share()
    it.rest()
    it.arrive(waiting=False)  # late news of the position
    assert not it.may_search
    it.turn(waiting=False)
    assert it.may_search


def test_late_preparation_has_the_processor_while_we_wait_and_the_search_in_our_turn() -> None:
    later = Later()
    it = share(later)
    assert (it.may_search, later.paused) == (True, True)
    for waiting in (True, False, True):
        it.turn(waiting=waiting)
        assert (it.may_search, later.paused) == (not waiting, not waiting)
    it.turn(waiting=False)
    it.arrive(waiting=True)
    assert (it.may_search, later.paused) == (False, False)
    it.prepared()
    assert it.may_search


def test_who_rests_leaves_the_processor_to_late_preparation() -> None:
    later = Later()
    it = share(later)
    it.rest()
    assert (it.may_search, later.paused) == (False, False)


@pytest.mark.parametrize("waiting", [False, True])
def test_with_processors_to_spare_both_go_on(waiting: bool) -> None:
    later = Later(beside_search=True)
    it = share(later)
    it.turn(waiting=waiting)
    assert (it.may_search, later.paused) == (True, False)
