"""Spaces: who may know what. Credentials, members, spaces open and sealed, and the way in."""

from wellworn.domain.spaces.authentication import (
    Authenticator,
    local_access,
    no_space,
    parse_credential,
    upkeep_access,
)
from wellworn.domain.spaces.browsers import SESSION_S, BrowserSession, BrowserSessions
from wellworn.domain.spaces.client_documents import ClientDocuments, is_document_address
from wellworn.domain.spaces.connections import (
    ACCESS_S,
    CODE_S,
    NO_SEALED_SPACE,
    ConnectionRequest,
    Connections,
    ConnectionTokens,
    RegisteredClient,
)
from wellworn.domain.spaces.credentials import Credentials
from wellworn.domain.spaces.founding import NewSpace
from wellworn.domain.spaces.memberships import Appointment
from wellworn.domain.spaces.models import (
    DEFAULT_SPACE,
    LOCAL,
    Access,
    AccessToken,
    Invitation,
    Invited,
    Issued,
    Joined,
    KnownCredential,
    Membership,
    Mode,
    Principal,
    Role,
    Space,
)
from wellworn.domain.spaces.sealing import UnlockedSpace, must_be_sealed, space_locked
from wellworn.domain.spaces.service import Spaces
from wellworn.domain.spaces.settings import LOOPBACK_HOSTS, SpaceSettings
from wellworn.domain.spaces.store.connections import StoredConnection
