"""Turns: every piece of an agent's work is a document, resumable, linked, open in Obsidian."""

from wellworn.domain.turns.answers import TurnAnswer, TurnQuery
from wellworn.domain.turns.daily_metrics import DailyMetrics
from wellworn.domain.turns.extractive import ExtractiveEngine
from wellworn.domain.turns.gatherer import SpaceGatherer
from wellworn.domain.turns.models import Claim, Evidence, Phase, Turn, TurnStatus
from wellworn.domain.turns.prompted import PromptedEngine
from wellworn.domain.turns.recording import NOTE, RecordedEntry, RecordedSource, TurnRecorder
from wellworn.domain.turns.research import IndexedResearch, ResearchLibrary, SiteRecord
from wellworn.domain.turns.retelling import ModelReteller
from wellworn.domain.turns.service import Turns
from wellworn.domain.turns.settings import TurnSettings
from wellworn.domain.turns.tables import turn_files
from wellworn.domain.turns.tools import ToolServices, load_tools
from wellworn.domain.turns.turn_run import Listener, TurnDependencies
from wellworn.domain.turns.vaults import Vaults, list_damaged_files
