"""Who has no credential: in the shared space, and in two projects."""

from __future__ import annotations

from api.walls import Caller
from api.world import accepted, talk
from wellworn.kit.project_ids import derive_project_id

SHOP, BILLING = (derive_project_id(name, "git", name) for name in ("shop", "billing"))


class Visitor(Caller):
    """Somebody without a credential in one space."""

    @property
    def headers(self):
        return {"wellworn-space": self.space}

    def ask(self, prompt, agent="ada", **more):
        return super().ask(prompt, agent, contribute="never", explain=True, **more)

    def remember(self, content, **more):
        body = talk(content, contribute="always", **more)
        return accepted(self.post("memory", body))
