"""The command about the webhook of a source: how another service starts its syncs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.lookup import find_source
from wellworn.interfaces.cli.output import fold_spaces, format_minute, note, print_table
from wellworn.interfaces.cli.source import SourceName

if TYPE_CHECKING:
    from wellworn.client.models import ShownSource, SourceWebhook

commands = new_group()


@command(commands, "source webhook mytech")
def webhook(
    context: CommandContext,
    source: SourceName,
    *,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Make another secret; the one before ends at once.")
    ] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the webhook; deliveries are refused.")
    ] = False,
) -> None:
    """Let pushes to a repository start its syncs: print the webhook of a source, or make one.

    Enter the address and the secret where the repository is kept, at GitHub with the content type
    JSON, at GitLab as the secret token. The secret is printed once, when it is made.
    """
    if rotate and remove:
        raise typer.BadParameter("use either --rotate or --remove")
    memory = context.memory
    shown = memory.source(find_source(memory, source).id)
    if remove:
        is_gone = memory.remove_webhook(shown.id)
        text = "removed" if is_gone else "there was none"
        context.show({"removed": is_gone}, f"webhook of {fold_spaces(shown.name)}: {text}")
        return
    secret = None
    if rotate or shown.webhook is None:
        secret = memory.renew_webhook(shown.id).secret
        shown = memory.source(shown.id)
    url = f"{memory.url}/api/knowledge/sources/{shown.id}/webhook"
    context.show(
        {"url": url, "secret": secret, "webhook": shown.webhook},
        lambda _: _print_webhook(url, secret, shown),
    )


def _print_webhook(url: str, secret: str | None, source: ShownSource) -> None:
    webhook: SourceWebhook | None = source.webhook
    delivered = webhook and webhook.last_delivery_at
    facts = {
        "address": url,
        "secret": secret or "stored encrypted; --rotate makes another",
        "since": format_minute(webhook.set_at) if webhook else "",
        "last call": format_minute(delivered) if delivered else "none yet",
    }
    print_table(facts)
    if secret:
        note("the secret is not shown again")
    if source.is_paused:
        note(f"the source is paused; wellworn source resume {source.id} lets deliveries sync it")
