"""wellworn: a shared memory for AI agents that is worn in by use."""

__version__ = "0.1.0"
