"""The calls of the API, each declared once: the client sends them, the server serves them."""

from wellworn.client.calls.curation import CurationCalls
from wellworn.client.calls.knowledge import KnowledgeCalls
from wellworn.client.calls.outline import OutlineCalls
from wellworn.client.calls.sources import SourceCalls
from wellworn.client.calls.spaces import SpaceCalls
from wellworn.client.calls.thoughts import ThoughtCalls
from wellworn.client.calls.traces import TraceCalls
from wellworn.client.calls.turns import TurnCalls
