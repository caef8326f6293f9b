"""Paths in directed graphs, held against what following every path finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ludens.propnet.base.graphs import components, leading, reachable, successors

Edges = set[tuple[int, int]]

SMALL = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)))


@given(SMALL)
def test_two_nodes_share_a_component_if_paths_lead_from_each_to_the_other(edges: Edges) -> None:
    graph = successors(edges)
    found = list(components(graph))
    reach = {node: reachable([node], graph) for edge in edges for node in edge}
    assert sorted(node for component in found for node in component) == sorted(reach)
    for component in found:
        for node in component:
            assert {other for other in reach[node] if node in reach[other]} == set(component)


@given(SMALL)
def test_a_component_comes_after_those_that_it_leads_to(edges: Edges) -> None:
    number = {node: i for i, component in enumerate(components(successors(edges))) for node in component}
    assert all(number[end] <= number[start] for start, end in edges)


@given(SMALL)
def test_a_node_leads_to_what_is_reachable_from_it(edges: Edges) -> None:
    graph = successors(edges)
    nodes = {node for edge in edges for node in edge}
    assert leading([3], edges) == {3} | {node for node in nodes if 3 in reachable([node], graph)}


def test_paths_may_be_longer_than_python_recurses() -> None:
    length = 100_000
    chain = [(i, i + 1) for i in range(length)]
    assert len(list(components(successors(chain)))) == length + 1
    assert list(map(len, components(successors([*chain, (length, 0)])))) == [length + 1]
