"""Inspection: whether what somebody writes reads like an order to those who will read it."""

from wellworn.domain.inspection.inspector import Inspector
