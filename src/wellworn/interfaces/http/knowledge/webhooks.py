"""Webhooks over HTTP: made and removed by admins, called by those who hold a secret."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from wellworn.application.calls import App, CallContext
from wellworn.client.calls import SourceCalls
from wellworn.client.models import NewWebhook, WebhookDelivery
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Role
from wellworn.errors import Unauthenticated
from wellworn.interfaces.http.access import Opened, get_address
from wellworn.interfaces.http.knowledge.wire import SourceId
from wellworn.interfaces.http.routing import KNOWLEDGE_PREFIX, create_router
from wellworn.interfaces.http.serving import failures, serve
from wellworn.interfaces.http.waiting import ACCEPTED

router = create_router("sources", prefix=KNOWLEDGE_PREFIX)
SIGNATURE = "X-Hub-Signature-256"
TOKEN = "X-Gitlab-Token"  # noqa: S105 - the name of a header
_PATH = "/sources/{source_id}/webhook"


@serve(router, SourceCalls.renew_webhook, Action.SOURCE_CHANGED, Role.ADMIN, about="source_id")
def renew(call: CallContext, source_id: int) -> object:
    secret = call.services.sources.webhooks.renew(call.access, source_id)
    return NewWebhook(path=KNOWLEDGE_PREFIX + _PATH.format(source_id=source_id), secret=secret)


@serve(router, SourceCalls.remove_webhook, Action.SOURCE_CHANGED, Role.ADMIN, about="source_id")
def remove(call: CallContext, source_id: int) -> object:
    return call.services.sources.webhooks.remove(call.access, source_id)


async def _read_body(request: Request) -> bytes:
    """Return the body unread: what is signed are its bytes."""
    return await request.body()


def _read_once(request: Request, name: str) -> str | None:
    """Return a header; two of a name are none that can be trusted."""
    values = request.headers.getlist(name)
    return values[0] if len(values) == 1 else ("" if values else None)


@router.post(
    _PATH,
    status_code=ACCEPTED,
    responses=failures(400, 413),
    openapi_extra={
        "requestBody": {"content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}},
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": False,
                "description": description,
                "schema": {"type": "string", "maxLength": 200},
            }
            for name, description in (
                (SIGNATURE, "`sha256=` and the HMAC-SHA256 of the body, as GitHub sends it."),
                (TOKEN, "The secret itself, as GitLab sends it."),
            )
        ],
    },
)
async def deliver(
    source_id: SourceId, app: Opened, request: Request, body: Annotated[bytes, Depends(_read_body)]
) -> WebhookDelivery:
    """Take the signed delivery of another service: the source is synced soon.

    Needs no credential but the signature. Without a right one the answer is 401, whether there is
    such a source or not.
    """
    is_new = await run_in_threadpool(_take, app, source_id, body, request)
    return WebhookDelivery(status="waiting" if is_new else "known")


def _take(app: App, source_id: int, body: bytes, request: Request) -> bool:
    """Take a genuine delivery, unless there were too many; tell whether it is a new one."""
    signature, token = _read_once(request, SIGNATURE), _read_once(request, TOKEN)
    try:
        mark = app.syncs.check_delivery(source_id, body, signature=signature, token=token)
    except Unauthenticated:
        app.admission.count_refused(get_address(request))
        raise
    app.admission.count_delivery(source_id)
    return app.syncs.take_delivery(source_id, mark)
