"""A shared memory inside the frameworks that agents are built with, one module for each framework.

Each wants its framework, which an extra of the package installs: `pip install wellworn[langgraph]`.

Source: docs/how-to/use-a-framework.md.
"""
