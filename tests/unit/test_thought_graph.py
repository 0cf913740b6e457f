"""The picture of what a thought was built on and into: each thought once, and no more than fit."""

from __future__ import annotations

from wellworn.client import models as shapes
from wellworn.domain.thoughts import Origin
from wellworn.domain.thoughts.models import ThoughtType
from wellworn.interfaces.web.graph import draw_graph


def origin(name, *beyond):
    return Origin(name, "Ana", ThoughtType.ORIGINAL, f"words of {name}", 0.0, beyond)


def other(name):
    return shapes.Thought.model_construct(thought_id=name, content=f"words of {name}")


def test_nothing_belongs_to_it():
    graph = draw_graph((), (), ())
    assert (graph.nodes, graph.lines, graph.came_from) == ((), (), ())


def test_sources_lie_left_by_their_steps_and_what_was_built_right():
    graph = draw_graph([origin("a", origin("b"))], [origin("c")], [(other("d"), 2)])
    places = {node.thought_id: (node.x - graph.x, node.is_beside) for node in graph.nodes}
    assert places["b"][0] < places["a"][0] < 0 < places["c"][0]
    assert places["d"] == (0, True)
    assert len(graph.lines) == 4
    assert all(0 < node.x < graph.width and 0 < node.y < graph.height for node in graph.nodes)
    assert [(line.depth, line.number) for line in graph.came_from] == [(0, 1), (1, 2)]


def test_a_thought_met_twice_is_drawn_once_with_a_line_for_each():
    shared = origin("shared")
    graph = draw_graph([origin("a", shared), origin("b", shared)], (), [(other("shared"), 1)])
    assert [node.thought_id for node in graph.nodes] == ["a", "shared", "b"]
    assert len(graph.lines) == 4
    numbers = [line.number for line in graph.came_from]
    assert numbers == [1, 2, 3, 2]
    assert graph.together[0][0] == 2


def test_what_has_no_room_is_in_the_list_alone():
    graph = draw_graph([origin(str(number)) for number in range(20)], (), ())
    assert len(graph.nodes) == 8
    assert len(graph.came_from) == 20
    assert [line.number for line in graph.came_from][7:9] == [8, None]
    assert graph.height < 500
