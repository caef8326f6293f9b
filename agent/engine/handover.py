"""Decides which agent searches and which one reports, while a later agent takes over from an earlier one.

Mostly a faster machine takes over from a slower one. The fast machine is ready in the midst of a turn, perhaps a second
before its end, and knows nothing yet; the slow one may have searched for a minute. So the new agent leads, which is to
say searches, at once, but the previous one keeps its tree. It follows the match without searching and goes on reporting
for as long as it knows more of the position. What counts is visits of the root: both machines play the same random
games of the same rules, so a visit tells as much on either. Visits that a search hands out before its first game has
ended are not counted (see `NativeAgent`): a wide machine begins with hundreds of them, spread evenly. At the next
position the previous agent has searched no more, and the leader has a turn of its own: whatever that has found counts,
though it may be by another kind of search with fewer visits, unless the previous agent knows for sure. When the leader
has outdone it, the previous agent goes, and its memory with it.

In puzzles a better plan counts for more than any number of visits. The leader is offered the plan of the previous
agent, so that it need not find it again.
"""

from __future__ import annotations

from ludens.agent.engine.match_agent import KnownPlan, MatchAgent
from ludens.agent.protocol.wire import GoTo


class AgentHandover:
    """The agents at work on one match; not locked."""

    def __init__(self) -> None:
        """Begins without agents."""
        self.leader: MatchAgent | None = None
        self.previous: MatchAgent | None = None
        self._handed_over: GoTo | None = None  # the position where the leader took over
        self._offered: tuple[GoTo | None, KnownPlan] | None = None  # to the leader, and where

    def __contains__(self, agent: MatchAgent) -> bool:
        return agent is self.leader or agent is self.previous

    def enter(self, agent: MatchAgent) -> bool:
        """Makes `agent` the leader, unless the one that is outranks it."""
        if self.leader and self.leader.rank >= agent.rank:
            return False
        if self.leader:
            self.leader.interrupt()
            self._handed_over = self.leader.target
            if self.previous is None or self._outdone():  # else who led for a moment knows less than the previous
                self.previous = self.leader
        self.leader, self._offered = agent, None
        return True

    def leave(self, agent: MatchAgent) -> None:
        """Takes out an agent, if it is still there."""
        self.leader = None if agent is self.leader else self.leader
        self.previous = None if agent is self.previous else self.previous

    def reports(self, agent: MatchAgent) -> bool:
        """Says whether what `agent` knows of its position should be reported."""
        if agent not in self:
            return False
        other = self.previous if agent is self.leader else self.leader
        if other is None or other.target != agent.target:
            return True
        return (agent is self.leader) == self._outdone()

    def new_offer(self, agent: MatchAgent) -> KnownPlan | None:
        """Returns the previous agent's plan, once, if `agent` leads and has none that is as good for the position."""
        previous = self.previous
        if agent is not self.leader or previous is None or agent.target != previous.target:
            return None
        offer = agent.target, previous.plan
        if previous.plan.goal <= agent.plan.goal or offer == self._offered:
            return None
        self._offered = offer
        return previous.plan

    def retire(self) -> None:
        """Lets the previous agent go if it has been outdone."""
        if self._outdone():
            self.previous = None

    def _outdone(self) -> bool:
        leader, previous = self.leader, self.previous
        if leader is None or previous is None:
            return False
        if leader.target != previous.target:
            return False
        if leader.plan.goal != previous.plan.goal:
            return leader.plan.goal > previous.plan.goal
        if leader.weight >= previous.weight:
            return True
        proven = (report := previous.known()) is not None and report.final
        return leader.target != self._handed_over and leader.weight > 0 and not proven
