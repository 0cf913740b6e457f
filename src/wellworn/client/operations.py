"""Calls that are declared once: the client sends what a declaration says, and the server serves it.

A declaration is a method without a body. Its name, parameters, result and docstring are what
callers of the client see; beside them stand the method, the path and the shape of the answer:

    @Operation("GET /api/v1/outline")
    def outline(self, of: str | None = None, *, depth: int = 1) -> Outline:
        \"\"\"Return a node of the outline and its children.\"\"\"

Parameters that the path names stand there, the others in the query, or in the fields of a `body`.
`Field` in an annotation bounds, describes and renames one.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from pydantic import Field, create_model
from pydantic.fields import FieldInfo

from wellworn.client.fields import AgentId, RequestBody
from wellworn.client.models import Shape
from wellworn.client.paths import escape_segment
from wellworn.client.twins import Twin, wrap_call

if TYPE_CHECKING:
    from wellworn.client.wire import Connection

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")

_PLACE = re.compile(r"{(\w+)(?::\w+)?}")
_SECTION = re.compile(r"\n\n(Args|Example|Raises|Returns):\n")
_ARGUMENT = re.compile(r"^    (\w+): (.+(?:\n     .+)*)", re.MULTILINE)


class Calls:
    """The parts of a client that declared calls need."""

    _wire: Connection
    agent_id: str
    agent_name: str


@dataclass
class Operation:
    """A call: how it is asked for, and what answers it; declares the method that it decorates."""

    address: str
    """Method and path, such as `GET /api/v1/outline`."""
    whole: type[Shape] | None = None
    """The shape on the wire, where the method returns but what a field of it holds."""
    _: KW_ONLY
    returns: str = ""
    """That field, where there are several."""
    body: str = ""
    """Name of the request body in the OpenAPI document."""
    says_who: bool = False
    """Whether the body says which agent is talking, which the client fills in itself."""
    failures: tuple[int, ...] | None = None
    """Statuses that it can end in, where they are not those of a call like it."""
    timeout_s: float | None = None
    once: bool = False
    """See `Connection.send`."""
    declared: Callable[..., Any] = field(init=False)

    def __post_init__(self) -> None:
        self.method, _, self.path = self.address.partition(" ")

    def __call__(
        self, declared: Callable[Concatenate[Any, Parameters], Value]
    ) -> Twin[Parameters, Value, Coroutine[Any, Any, Value]]:
        """Make both twins of a declared method."""
        self.declared = declared

        @wraps(declared)
        async def send(client: Any, *args: Parameters.args, **options: Parameters.kwargs) -> Value:
            return await self.send(client, *args, **options)

        send.__dict__["operation"] = self
        return wrap_call(send)

    @cached_property
    def signature(self) -> inspect.Signature:
        """The parameters of callers, after the client itself, and what they get."""
        return inspect.signature(self.declared, eval_str=True)

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters of callers, by name."""
        return dict([*self.signature.parameters.items()][1:])

    @cached_property
    def answer(self) -> Any:
        """The shape of the answer on the wire."""
        return self.whole or self.signature.return_annotation

    @cached_property
    def names_on_wire(self) -> Mapping[str, str]:
        """The names of parameters in a request, by their own."""
        return {name: self.describe(name).alias or name for name in self.parameters}

    @cached_property
    def in_path(self) -> frozenset[str]:
        """The names of the parameters that stand in the path."""
        places = _PLACE.findall(self.path)
        return frozenset(name for name, sent in self.names_on_wire.items() if sent in places)

    @cached_property
    def request(self) -> type[RequestBody] | None:
        """The model of a body, which has a field for each parameter outside of the path."""
        if not self.body:
            return None
        fields: dict[str, Any] = {}
        for name in [name for name in self.parameters if name not in self.in_path]:
            passed = self.parameters[name]
            default = ... if passed.default is inspect.Parameter.empty else passed.default
            field = Field(default, description=self.describe(name).description)
            fields[name] = (passed.annotation, field)
        if self.says_who:
            fields["agent_id"] = (AgentId, Field(description="Who is talking."))
        about = self.description.partition("\n")[0]
        return create_model(self.body, __base__=RequestBody, __doc__=about, **fields)

    @property
    def description(self) -> str:
        """The call's purpose, in a paragraph or two."""
        return read_docstring(self.declared)[""]

    @property
    def statuses(self) -> tuple[int, ...]:
        """The failures that a call like this can end in."""
        if self.failures is not None:
            return self.failures
        refused = (400,) if self.parameters else ()
        return (*refused, 404, *((413, 415) if self.body else ()))

    async def send(self, client: Any, *args: object, **options: object) -> Any:
        """Send a request over the wire of a client, and return what the method promises.

        Raises:
            WellwornClientError: as `Connection.send`.
        """
        bound = self.signature.bind(client, *args, **options)
        bound.apply_defaults()
        values = {sent: bound.arguments[name] for name, sent in self.names_on_wire.items()}
        if self.says_who:
            values["agent_id"] = client.agent_id
        path = _PLACE.sub(lambda place: escape_segment(str(values.pop(place[1]))), self.path)
        answer: Shape = await client._wire.send(  # noqa: SLF001 - this is a method of it
            self.answer,
            self.method,
            path,
            **{"body" if self.body else "params": values},
            timeout_s=self.timeout_s,
            once=self.once,
        )
        wanted = self.signature.return_annotation
        if wanted is None or wanted == self.answer:
            return answer if wanted else None
        [only, *_] = [self.returns] if self.returns else type(answer).model_fields
        return getattr(answer, only)

    def describe(self, parameter: str) -> FieldInfo:
        """Return what is said of a parameter: its type, its bounds and what it means."""
        field = FieldInfo.from_annotation(self.parameters[parameter].annotation)
        field.description = read_arguments(self.declared).get(parameter, field.description)
        return field

    def wrap(self, value: object) -> object:
        """Return what a service gave as the answer on the wire."""
        if isinstance(value, Shape) or not isinstance(self.answer, type):
            return value
        shape = cast("type[Shape]", self.answer)
        name, *others = shape.model_fields
        return shape.of(value) if others else shape.model_validate({name: value})


def read_operation(declared: Callable[..., object]) -> Operation:
    """Return the operation behind a declared method."""
    return cast("Operation", declared.__dict__["operation"])


def read_docstring(method: Callable[..., object]) -> Mapping[str, str]:
    """Return the sections of a docstring by their headings; the first has none."""
    about, *rest = _SECTION.split(inspect.cleandoc(method.__doc__ or ""))
    return {"": about, **dict(zip(rest[::2], rest[1::2], strict=True))}


def read_arguments(method: Callable[..., object]) -> Mapping[str, str]:
    """Return what a docstring says that arguments mean."""
    arguments = _ARGUMENT.findall(read_docstring(method).get("Args", ""))
    return {name: " ".join(text.split()) for name, text in arguments}
