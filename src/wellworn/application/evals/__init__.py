"""A user's own questions put to a running server, and how well its answers fit."""

from __future__ import annotations

from wellworn.application.evals.knowledge import Evaluation, evaluate
from wellworn.application.evals.knowledge_questions import Asked, QuestionsUnusable, questions
