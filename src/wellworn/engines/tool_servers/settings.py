"""Settings of servers whose tools turns may call; where none is named, none is started."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from wellworn.kit.project_ids import is_space_id

_MOST_TOOLS: Final = 24
_Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
_ToolName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_./-]{0,47}$")]


def _check_space(text: str) -> str:
    if not is_space_id(text):
        raise ValueError("a space is named by its id: names are not unique, and members give them")
    return text


class ToolServer(BaseModel):
    """An MCP server: a program that is started, or an address."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(
        pattern=r"^[a-z][a-z0-9_-]{0,30}$",
        description="What the server is called; its tools are called `NAME/TOOL`.",
    )
    command: tuple[str, ...] = Field(
        default=(),
        description="Program and arguments of a server on this machine, run without a shell.",
    )
    environment: tuple[_Variable, ...] = Field(
        default=(), description="Names of the variables that the program gets beside `PATH`."
    )
    url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/?@]+([/?]\S*)?$",
        description="Address of a server that speaks streamable HTTP.",
    )
    header: str = Field(
        default="Authorization",
        pattern=r"^[A-Za-z0-9-]{1,64}$",
        description="Name of a header that is sent to the address.",
    )
    header_env: _Variable | None = Field(
        default=None, description="Name of the variable that holds the header, such as `Bearer …`."
    )
    tools: tuple[_ToolName, ...] = Field(
        default=(), description="Names of the tools that may be called; no other one is."
    )
    may_change: bool = Field(
        default=False,
        description="Whether tools may be called that do not declare that they only read.",
    )

    spaces: tuple[Annotated[str, AfterValidator(_check_space)], ...] = Field(
        default=(),
        description="Ids of the spaces whose turns may call the tools, also of sealed ones.",
    )
    least_role: Literal["reader", "contributor", "admin"] = Field(
        default="reader", description="The least role in the space with which they may be called."
    )

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if bool(self.command) == (self.url is not None):
            raise ValueError("a server of tools has either a command or a URL")
        if self.environment and self.url is not None:
            raise ValueError("only a program gets variables; a URL gets a header")
        if self.header_env is not None and self.url is None:
            raise ValueError("a header is sent to a URL; a program gets variables")
        return self


class McpSettings(BaseModel):
    """Servers of tools, and how much of them is read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    servers: tuple[ToolServer, ...] = Field(
        default=(),
        description=(
            "Servers whose tools the model of a turn may call, as a JSON list of objects;"
            " 24 tools in all."
        ),
    )
    most_bytes: int = Field(
        default=4_000_000,
        ge=10_000,
        description="Most bytes that a server may send in one call.",
    )
    sealed_spaces: bool = Field(
        default=False,
        description="Whether turns of sealed spaces may call tools of servers that name no spaces.",
    )

    @model_validator(mode="after")
    def _can_be_told_apart(self) -> Self:
        names = [server.name for server in self.servers]
        if len({*names}) < len(names):
            raise ValueError("two servers of tools have the same name")
        if sum(len(server.tools) for server in self.servers) > _MOST_TOOLS:
            raise ValueError(f"a model is offered at most {_MOST_TOOLS} tools of servers")
        return self
