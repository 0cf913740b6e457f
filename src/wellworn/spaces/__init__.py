"""Spaces: who may know what. For now one open space and the loopback door into it."""

from wellworn.spaces.models import DEFAULT_SPACE, Access, Role, local_access

__all__ = ["DEFAULT_SPACE", "Access", "Role", "local_access"]
