"""Which mind searches and which one speaks, while a faster machine takes over from a slower one.

The fast machine is ready in the midst of a turn, perhaps a second before its end, and knows nothing yet; the
slow one may have searched for a minute. So the new mind leads, which is to say searches, at once, but the old
one, the elder, keeps its tree. It follows the match without searching and goes on speaking for as long as it
knows more of the position. What counts is visits of the root: both machines play the same random games of the
same rules, so a visit tells as much on either. Visits that a search hands out before its first game has ended
are not counted (see `NativeMind`): a wide machine begins with hundreds of them, spread evenly. At the next
position the elder has searched no more, and the leader has a turn of its own: whatever that has found counts,
though it may be by another kind of search with fewer visits, unless the elder knows for sure. When the leader
has outdone it, the elder goes, and its memory with it.
"""

from __future__ import annotations

from ludens.agent.engine.thinking import Mind
from ludens.agent.protocol.wire import Joint


class Succession:
    """The minds at work on one match; not locked."""

    def __init__(self) -> None:
        """Nobody is there yet."""
        self.leader: Mind | None = None
        self.elder: Mind | None = None
        self._handed_over: tuple[Joint, ...] | None = None  # the position where the leader took over

    def __contains__(self, mind: Mind) -> bool:
        return mind is self.leader or mind is self.elder

    def enter(self, mind: Mind) -> bool:
        """Makes `mind` the leader, unless the one that is outranks it."""
        if self.leader and self.leader.rank >= mind.rank:
            return False
        if self.leader:
            self.leader.interrupt()
            self._handed_over = self.leader.history
            if self.elder is None or self._outdone():  # else who led for a moment knows less than the elder
                self.elder = self.leader
        self.leader = mind
        return True

    def leave(self, mind: Mind) -> None:
        """Takes out a mind, if it is still there."""
        self.leader = None if mind is self.leader else self.leader
        self.elder = None if mind is self.elder else self.elder

    def speaks(self, mind: Mind) -> bool:
        """Whether what `mind` knows of its position should be told."""
        if mind not in self:
            return False
        other = self.elder if mind is self.leader else self.leader
        if other is None or other.history != mind.history:
            return True
        return (mind is self.leader) == self._outdone()

    def retire(self) -> None:
        """Lets the elder go if it has been outdone."""
        if self._outdone():
            self.elder = None

    def _outdone(self) -> bool:
        leader, elder = self.leader, self.elder
        if leader is None or elder is None:
            return False
        if leader.history != elder.history:
            return False
        if leader.weight >= elder.weight:
            return True
        proven = (report := elder.known()) is not None and report.final
        return leader.history != self._handed_over and leader.weight > 0 and not proven
