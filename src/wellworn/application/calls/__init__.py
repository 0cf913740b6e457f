"""Calls into spaces: who may make them, which services they reach, and what the trail says."""

from wellworn.application.calls.administration import Administration
from wellworn.application.calls.admission import AdmissionControl
from wellworn.application.calls.app import REPAIRED_AT_ONCE, App
from wellworn.application.calls.audit_names import SERVER_TRAIL
from wellworn.application.calls.background_embedding import BackgroundEmbedding, BackgroundJudging
from wellworn.application.calls.consents import Consents
from wellworn.application.calls.context import ContextOrder
from wellworn.application.calls.curating import CurationOrder
from wellworn.application.calls.feed import EventKind, Feed, SpaceEvent, Watch
from wellworn.application.calls.guard import CallContext, CallGuard
from wellworn.application.calls.health import Health, require_care
from wellworn.application.calls.pool import SpacePool
from wellworn.application.calls.rate_limits import Allowance, CallClass, RateLimits
from wellworn.application.calls.running_turn import RunningTurn, TurnEnd, TurnProgress
from wellworn.application.calls.sealed_storage import SealedStorage
from wellworn.application.calls.sleeping import SleepCoordinator
from wellworn.application.calls.space_services import SpaceServices
from wellworn.application.calls.sync import PendingSync, SyncCoordinator
from wellworn.application.calls.topics import TopicCoordinator
from wellworn.application.calls.trails import Trails
from wellworn.application.calls.turns import TurnCoordinator
from wellworn.application.calls.upkeep import Repair
