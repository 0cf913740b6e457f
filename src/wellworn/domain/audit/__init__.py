"""The audit trail: who did what to which ids, chained so that no entry can be changed unseen."""

from wellworn.domain.audit.actions import Action
from wellworn.domain.audit.models import OK, Actor, Checkpoint, Entry, Fault, LogEntry, TrailReport
from wellworn.domain.audit.service import Audit
from wellworn.domain.audit.signing import Trust
