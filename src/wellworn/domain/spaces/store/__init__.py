"""The SQL of members, credentials, spaces and what seals them."""

from wellworn.domain.spaces.store import browsers, members, sealing, spaces
