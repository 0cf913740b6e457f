"""Says in words what a thought replaces, and whether it still holds. Pure."""

from __future__ import annotations

from wellworn.domain.thoughts import FoundThought
from wellworn.domain.thoughts.truth import LinkedThought
from wellworn.kit.clock import format_day, to_iso
from wellworn.kit.text import show_name


def describe_standing(thought: FoundThought) -> str:
    """Say what a thought replaces, or that it is not true any more, with how sure that is."""
    standing = ""
    if thought.alike is not None:
        names = ", ".join(map(show_name, thought.alike.contributors))
        standing += f"; {thought.alike.count} more alike, by {names}"
    if thought.rediscovered:
        standing += f"; found independently by {thought.rediscovered} more"
    if thought.unconfirmed_until is not None:
        standing += "; unconfirmed"
    if thought.contested:
        standing += "; contested"
        if not any(link.contested for link in (*thought.replaces, *thought.replaced_by)):
            standing += ": another member says that it is not true"
    if thought.outdated_at is not None:
        standing += f"; outdated since {format_day(thought.outdated_at)}"
    elif thought.expires_at is not None:
        standing += f"; true until {to_iso(thought.expires_at)[:16]} UTC"
    standing += "".join(map(describe_replaced, thought.replaces[:1]))
    return standing + "".join(map(_describe_replacement, thought.replaced_by[:1]))


def describe_replaced(link: LinkedThought) -> str:
    """Say what a thought replaces or contradicts, with its first words."""
    return f"; {link.qualify('contradicts' if link.contested else 'replaces')} {_quote(link)}"


def _describe_replacement(link: LinkedThought) -> str:
    if link.contested:
        return f"; {link.qualify('contradicted by')} {_quote(link)}"
    return f"; {link.qualify('replaced by what')} {_describe_source(link)}"


def _quote(link: LinkedThought) -> str:
    begun = link.opening.rpartition(" ")[0] or link.opening
    opening = link.opening if link.is_whole else f"{begun} …"
    return f'what {_describe_source(link)}: "{opening.strip()}"'


def _describe_source(link: LinkedThought) -> str:
    return f"{show_name(link.contributor_name)} said on {format_day(link.created_at)}"
