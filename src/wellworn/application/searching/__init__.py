"""Searches for prompts in processes beside the server."""

from wellworn.application.searching.following import SearcherSetup, open_search_processes
from wellworn.application.searching.processes import SearchProcesses
