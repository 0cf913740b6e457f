"""The specification's own story: cube, clifford, kopia and hdrpop."""

from __future__ import annotations

import pytest

from wellworn.domain.knowledge.digests import DocumentDigest, digest
from wellworn.domain.knowledge.views import DocumentView

AGENTS = """\
# Infrastructure

Main infrastructure overview: server list and SSH access patterns.

## Servers

- **cube** (100.70.237.79) - Home GPU server, runs AI workloads, Frigate
- **clifford** - Production VPS on Hetzner, hosts 90% of web apps

## SSH access

Use `ssh cube` from any machine of the tailnet. The old server is gone.
Ask before you touch the prod endpoint.
"""

BACKUPS = """\
# Backups

Kopia is the backup tool; it runs nightly to the Bremen NAS.

## Schedules

- Nightly at 02:00, from cube and clifford
"""

OPERATIONS = """\
# HDRPop Operations

## Analytics API

- Endpoint: https://hdrpop.com/api/reports/daily-analytics
- Auth: X-Analytics-Token header
- Secret: HDRPOP_ANALYTICS_TOKEN

## Key Metrics

- Funnel: visitors → uploads → results → signups
- Acquisition sources: Google Ads, ChatGPT referral, Direct
- Device breakdown: check for mobile vs desktop conversion gaps

## Alert Thresholds

- Upload rate drop >20% day-over-day: investigate
- Zero signups for 3+ days: check funnel
- Bot rate >50%: review traffic sources

## Notification

- Daily digest to: david010@gmail.com
- Urgent alerts: also send to Discord
"""


@pytest.fixture
def story() -> list[DocumentView]:
    return [
        DocumentView(1, "mytech", "AGENTS.md", "Infrastructure", AGENTS),
        DocumentView(2, "mytech", "backups/README.md", "Backups", BACKUPS),
        DocumentView(3, "projects", "hdrpop/operations.md", "HDRPop Operations", OPERATIONS),
    ]


@pytest.fixture
def digests(story: list[DocumentView]) -> list[DocumentDigest]:
    return [digest(document) for document in story]
