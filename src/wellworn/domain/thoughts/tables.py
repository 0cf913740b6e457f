"""The trace ledger: thoughts, what was shown to whom, and what wore in.

`seq` numbers are internal; callers see UUIDs. Times are epoch seconds except the query log's,
which keeps the specified columns to the letter.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from wellworn.engines.storage.sql import metadata


def _seq_column(name: str = "thought_seq", *, primary_key: bool = False) -> Column[int]:
    return Column(
        name, Integer, ForeignKey("thoughts.seq"), primary_key=primary_key, nullable=False
    )


thoughts = Table(
    "thoughts",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False),
    Column("knowledge_space_id", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("content_key", String(64), nullable=False),
    Column("contributor_id", String, nullable=False),
    Column("contributor_name", String, nullable=False),
    Column("thought_type", String, nullable=False),
    Column("context_metadata", Text),
    # A JSON list, as given; the vector index filters by their keys.
    Column("tags", Text, nullable=False, default="[]"),
    Column("session", String),
    Column("position", Integer),
    Column("created_at", Float, nullable=False),
    Column("erased_at", Float),
    # Whose credential stored it; null at the open door.
    Column("owner", String),
    # When it arrived: an import may say that it was made long before. Null means as made.
    Column("stored_at", Float),
    # Since when it is held back; null for what everybody is shown.
    Column("quarantined_at", Float),
    # Whether an admin stored it; never at the open door.
    Column("by_admin", Boolean, nullable=False, default=False, server_default=text("false")),
    # By the space's policy when it was stored; null for what needs nobody's confirmation.
    Column("unconfirmed_until", Float),
    # When a language model was asked what it replaces; null while none was.
    Column("judged_at", Float),
    UniqueConstraint("knowledge_space_id", "id"),
    UniqueConstraint("knowledge_space_id", "content_key"),
    Index(None, "knowledge_space_id", "contributor_id"),
    Index(None, "knowledge_space_id", "session", "position"),
    Index(None, "knowledge_space_id", "created_at"),
    # Few are held, and an admin looks them through.
    Index(
        "idx_thoughts_held",
        "knowledge_space_id",
        sqlite_where=text("quarantined_at IS NOT NULL"),
        postgresql_where=text("quarantined_at IS NOT NULL"),
    ),
    Index(
        "idx_thoughts_unjudged",
        "seq",
        sqlite_where=text("judged_at IS NULL AND kind = 'thought'"),
        postgresql_where=text("judged_at IS NULL AND kind = 'thought'"),
    ),
    # Few are: most memories have no model to judge them.
    Index(
        "idx_thoughts_judged",
        "judged_at",
        sqlite_where=text("judged_at IS NOT NULL"),
        postgresql_where=text("judged_at IS NOT NULL"),
    ),
    sqlite_autoincrement=True,
)

IS_READABLE = (thoughts.c.erased_at.is_(None), thoughts.c.quarantined_at.is_(None))
"""Neither erased nor held: who may see the space may see its words."""

thought_sources = Table(
    "thought_sources",
    metadata,
    _seq_column(primary_key=True),
    _seq_column("source_seq", primary_key=True),
    Column("place", Integer, nullable=False),
    Index(None, "source_seq"),
)

replacements = Table(
    "replacements",
    metadata,
    _seq_column(primary_key=True),
    _seq_column("replaced_seq", primary_key=True),
    # Who counts as one user, as in `trail_agents`. What several state lives until none does.
    Column("made_by", String, primary_key=True),
    # How the link came to be: stated by who stored the thought, or inferred from the words.
    Column("origin", String, nullable=False),
    Column("reason", Text, nullable=False),
    # 1 for what was stated.
    Column("confidence", Float, nullable=False),
    Column("made_at", Float, nullable=False),
    # Whether an admin stated it; never at the open door.
    Column("by_admin", Boolean, nullable=False, default=False, server_default=text("false")),
    Column("withdrawn_by", String),
    Column("withdrawn_at", Float),
    CheckConstraint("thought_seq <> replaced_seq", name="other"),
    Index(None, "replaced_seq"),
)

# Derived from the words, so that a search need not read them; `rebuild` makes them again.
features = Table(
    "features",
    metadata,
    _seq_column(primary_key=True),
    # Which model and which rules made the row: `index.maker`. Rows of others are not read.
    Column("maker", Integer, nullable=False),
    Column("shape", String, nullable=False),
    Column("passages", Integer, nullable=False),
    Column("asks", Boolean, nullable=False),
    Column("times", Integer, nullable=False),
    Column("codes", LargeBinary, nullable=False),
    Column("counts", LargeBinary, nullable=False),
    Index(None, "maker"),
)

aliases = Table(
    "aliases",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    # The id under which an import brought words that were here already.
    Column("id", String(36), primary_key=True),
    _seq_column(),
    Index(None, "thought_seq"),
)

tags = Table(
    "tags",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("tag_key", String, primary_key=True),
    Column("tag", String, nullable=False),
    Column("thoughts", Integer, nullable=False),
    # What a prompt is searched for, and of how many words: `tags.words_key`.
    Column("words_key", String, nullable=False),
    Column("word_count", Integer, nullable=False),
    Index(None, "knowledge_space_id", "word_count", "words_key"),
)

trails = Table(
    "trails",
    metadata,
    _seq_column(primary_key=True),
    Column("knowledge_space_id", String, nullable=False),
    Column("access_count", Integer, nullable=False, default=0),
    Column("unique_users", Integer, nullable=False, default=0),
    Column("traffic_score", Integer, nullable=False, default=0),
    Column("last_accessed", Float),
    Column("weight", Float, nullable=False),
    Column("frozen_until_h", Integer, nullable=False),
    Column("order_key", Float, nullable=False),
    Column("uses", Float, nullable=False, default=0.0),
    Column("exposures", Float, nullable=False, default=0.0),
    Column("counted_at", Float, nullable=False),
    Column("use_score", Float, nullable=False, default=0.0),
    Index(None, "knowledge_space_id", "traffic_score"),
    Index(None, "knowledge_space_id", "order_key"),
    Index(None, "knowledge_space_id", "use_score"),
    Index(None, "knowledge_space_id", "last_accessed"),
)

trail_agents = Table(
    "trail_agents",
    metadata,
    _seq_column(primary_key=True),
    # Who counts as one user: the owner of a credential, at the open door the agent's label.
    Column("agent_id", String, primary_key=True),
    Column("accesses", Integer, nullable=False, default=0),
    Column("uses", Integer, nullable=False, default=0),
    Column("first_accessed", Float),
    # When a showing to this agent last counted as exposure.
    Column("exposed_at", Float),
    # An owner's deposits on the visible weight, which are capped; not counted at the open door.
    Column("deposits", Integer, nullable=False, default=0, server_default=text("0")),
    Column("deposited", Float, nullable=False, default=0.0, server_default=text("0")),
)

query_log = Table(
    "query_log",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("query_text", Text, nullable=False),
    Column("context_text", Text),
    Column("query_vector", LargeBinary),
    Column("returned_ids", Text, nullable=False, default="[]"),
    Column("session_id", Text, nullable=False),
    Column("timestamp", Text, nullable=False),
    Column("result_count", Integer, nullable=False, default=0),
    Column("knowledge_space_id", Text, nullable=False),
    Column("retrieval_method", String, nullable=False),
    Column("policy_version", Integer, nullable=False),
    Column("offered_tags", Text),
    Column("contributed_seq", Integer, ForeignKey("thoughts.seq")),
    Column("owner", Text),
    # The session's earlier query whose results this one confirmed, in the order of `seq`.
    Column("encourages", Integer),
    UniqueConstraint("knowledge_space_id", "id"),
    Index("idx_query_log_agent", "agent_id"),
    Index("idx_query_log_session", "session_id"),
    Index("idx_query_log_timestamp", "timestamp"),
    # Few queries offer tags, and forgetting one must find them.
    Index(
        "idx_query_log_offered",
        "knowledge_space_id",
        sqlite_where=text("offered_tags IS NOT NULL"),
        postgresql_where=text("offered_tags IS NOT NULL"),
    ),
    Index(None, "contributed_seq"),
    sqlite_autoincrement=True,
)

# What a call decided, in numbers alone: as `domain.thoughts.decisions` packs it.
decisions = Table(
    "decisions",
    metadata,
    Column("query_seq", Integer, ForeignKey("query_log.seq"), primary_key=True),
    Column("knowledge_space_id", String, nullable=False),
    Column("decided_at", Float, nullable=False),
    Column("packed", LargeBinary, nullable=False),
    Index(None, "knowledge_space_id", "decided_at"),
)

accesses = Table(
    "accesses",
    metadata,
    _seq_column(primary_key=True),
    Column("query_seq", Integer, ForeignKey("query_log.seq"), primary_key=True),
    Column("rank", Integer, nullable=False),
    # What it added to the visible weight; null for the plain deposit of the open door.
    Column("deposited", Float),
    Index(None, "query_seq"),
)

uses = Table(
    "uses",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    _seq_column(),
    # Who counts as one user, as in `trail_agents`.
    Column("agent_id", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("session_id", String),
    Column("query_seq", Integer, ForeignKey("query_log.seq")),
    Column("used_at", Float, nullable=False),
    Index(None, "thought_seq", "agent_id", "used_at"),
    Index(None, "agent_id"),
    Index(None, "session_id"),
)

affirmations = Table(
    "affirmations",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    _seq_column(),
    Column("contributor_id", String, nullable=False),
    Column("contributor_name", String, nullable=False),
    Column("affirmed_at", Float, nullable=False),
    Column("owner", String),
    Index(None, "thought_seq"),
)

thought_ends = Table(
    "thought_ends",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    _seq_column(),
    # Who gave it, as in `affirmations`.
    Column("contributor_id", String, nullable=False),
    Column("owner", String),
    Column("by_admin", Boolean, nullable=False, default=False, server_default=text("false")),
    # From when on the thought is history; null takes back what was given before.
    Column("expires_at", Float),
    Column("given_at", Float, nullable=False),
    Index(None, "thought_seq"),
)

# When somebody first saw a thought by a door that leaves no row in the query log.
sightings = Table(
    "sightings",
    metadata,
    _seq_column(primary_key=True),
    # Who counts as one user, as in `trail_agents`; empty where nobody said who they are.
    Column("seen_by", String, primary_key=True),
    Column("seen_at", Float, nullable=False),
)

_VERDICTS = "signal IN ('outdated', 'wrong')"
VERDICTS = text(f"feedback.{_VERDICTS}")
"""Written out: an index of some rows serves no statement that binds which ones they are."""

feedback = Table(
    "feedback",
    metadata,
    Column("session_id", String(36), primary_key=True),
    _seq_column(primary_key=True),
    Column("signal", String, nullable=False),
    Column("effect", Float, nullable=False),
    Column("given_at", Float, nullable=False),
    Column("use_seq", Integer),
    # A JSON list of a `store.ledger.FeedbackEntry` for each signal so far, the briefest left out;
    # null in imported rows.
    Column("history", Text),
    Column("by_admin", Boolean, nullable=False, default=False, server_default=text("false")),
    # Few signals say that a thought is no longer true, and every search asks for them.
    Index(
        "idx_feedback_verdicts",
        "thought_seq",
        sqlite_where=text(_VERDICTS),
        postgresql_where=text(_VERDICTS),
    ),
)

sessions = Table(
    "sessions",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("id", String(36), primary_key=True),
    Column("agent_id", String, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("owner", String),
)

erasures = Table(
    "erasures",
    metadata,
    _seq_column(primary_key=True),
    Column("erased_by", String, nullable=False),
    Column("reason", Text),
    Column("erased_at", Float, nullable=False),
)

# The topics of a space as they were last made, in numbers alone: titles are made when read.
topic_trees = Table(
    "topic_trees",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    # Counts how often topics were made.
    Column("revision", Integer, nullable=False),
    Column("made_at", Float, nullable=False),
    # Of the thoughts that were sorted: which they were, how many, and the newest.
    Column("mark", String(64), nullable=False),
    Column("thoughts", Integer, nullable=False),
    Column("newest_seq", Integer, nullable=False),
)

topics = Table(
    "topics",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("id", String(16), primary_key=True),
    Column("parent_id", String(16)),
    # Its place in the tree, depth first.
    Column("place", Integer, nullable=False),
    # The seqs of its thoughts, the most central first, as 64-bit integers, the low byte first.
    Column("members", LargeBinary, nullable=False),
    Column("first_made_at", Float, nullable=False),
    # Where its middle is on the map, from that of the topic around it; null before it had a place.
    Column("x", Float),
    Column("y", Float),
)

topic_changes = Table(
    "topic_changes",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("knowledge_space_id", String, nullable=False),
    Column("changed_at", Float, nullable=False),
    # A `TopicChangeKind`.
    Column("kind", String, nullable=False),
    Column("topic_id", String(16), nullable=False),
    # Where it came from, or went.
    Column("other_id", String(16)),
    # Thoughts that both have.
    Column("shared", Integer, nullable=False),
    Index(None, "knowledge_space_id", "topic_id"),
    sqlite_autoincrement=True,
)

# What the log of a space said of co-use, each time it was judged.
co_use_verdicts = Table(
    "co_use_verdicts",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("knowledge_space_id", String, nullable=False),
    Column("judged_at", Float, nullable=False),
    Column("is_open", Boolean, nullable=False),
    # Of what was needed next, how much more is found among the first ten; and its 95 % interval.
    Column("gain", Float, nullable=False),
    Column("low", Float, nullable=False),
    Column("high", Float, nullable=False),
    Column("sessions", Integer, nullable=False),
    # How long the log was: it is judged again when that has grown by a fifth.
    Column("uses", Integer, nullable=False),
    Index(None, "knowledge_space_id"),
    sqlite_autoincrement=True,
)

# The weights that a space learned, each version with what it was learned from.
learned_policies = Table(
    "learned_policies",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("knowledge_space_id", String, nullable=False),
    # The number that answers are logged with.
    Column("version", Integer, nullable=False),
    Column("learned_at", Float, nullable=False),
    # A JSON object: by how much each reason weighs more or less; empty for the shipped weights.
    Column("factors", Text, nullable=False),
    # What the learned order gained a label, and its 95 % interval.
    Column("gain", Float, nullable=False),
    Column("low", Float, nullable=False),
    Column("high", Float, nullable=False),
    # How many questions decided.
    Column("queries", Integer, nullable=False),
    # When an admin went back to the version before, and the newest question then.
    Column("withdrawn_at", Float),
    Column("withdrawn_to", Integer),
    # Since when it is on trial beside what is in use, and when it took its place.
    Column("tried_at", Float),
    Column("taken_at", Float),
    Index(None, "knowledge_space_id"),
    sqlite_autoincrement=True,
)

# What sleep found to say the same: quotes and titles are made when read.
consolidations = Table(
    "consolidations",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    # Stays the same as long as most of its sources do.
    Column("id", String(36), nullable=False),
    Column("knowledge_space_id", String, nullable=False),
    Column("topic_id", String(16), nullable=False),
    # Counts how often it was made anew.
    Column("version", Integer, nullable=False),
    Column("made_at", Float, nullable=False),
    # What a language model says of it, as JSON: sentences, each with the seqs that bear it out.
    # Empty where it said nothing that can be kept; null while it was not asked of this version.
    Column("told", Text),
    # The versions of before, the newest first, as JSON: the number of the version that came after,
    # when, and the seqs of the sources that came and went. Null before there were any.
    Column("changes", Text),
    Index(None, "knowledge_space_id"),
    sqlite_autoincrement=True,
)

consolidation_sources = Table(
    "consolidation_sources",
    metadata,
    _seq_column(primary_key=True),
    Column(
        "consolidation_seq",
        Integer,
        ForeignKey("consolidations.seq"),
        primary_key=True,
    ),
    # Those that stand for all come first, then the others, each from the most central on.
    Column("place", Integer, nullable=False),
    Column("is_quoted", Boolean, nullable=False),
    Index(None, "consolidation_seq"),
)

# Topics that were needed together though they lie far apart: proposals, until an admin decides.
bridges = Table(
    "bridges",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    # The lesser id comes first.
    Column("topic_id", String(16), primary_key=True),
    Column("other_id", String(16), primary_key=True),
    Column("id", String(36), nullable=False),
    # How many sessions used both, of how many users; how many would by chance, and how surely more.
    Column("sessions", Integer, nullable=False),
    Column("users", Integer, nullable=False),
    Column("expected", Float, nullable=False),
    Column("p", Float, nullable=False),
    Column("found_at", Float, nullable=False),
    Column("last_found_at", Float, nullable=False),
    # Null while nobody decided.
    Column("is_taken", Boolean),
    Column("decided_at", Float),
)

# When each space slept last, and the newest thought that it knew then.
sleeps = Table(
    "sleeps",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("slept_at", Float, nullable=False),
    Column("newest_seq", Integer, nullable=False),
)
