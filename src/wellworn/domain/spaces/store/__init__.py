"""The SQL of members, credentials, spaces and what seals them."""

from wellworn.domain.spaces.store import members, sealing, spaces
