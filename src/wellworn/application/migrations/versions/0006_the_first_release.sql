-- The tables of 0.1.0, the first release. Never changed: what changes is a revision of its own.

CREATE TABLE accesses (
    thought_seq INTEGER NOT NULL,
    query_seq INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    deposited FLOAT,
    CONSTRAINT pk_accesses PRIMARY KEY (thought_seq, query_seq),
    CONSTRAINT fk_accesses_query_seq FOREIGN KEY(query_seq) REFERENCES query_log (seq),
    CONSTRAINT fk_accesses_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);

CREATE TABLE affirmations (
    seq INTEGER NOT NULL,
    thought_seq INTEGER NOT NULL,
    contributor_id VARCHAR NOT NULL,
    contributor_name VARCHAR NOT NULL,
    affirmed_at FLOAT NOT NULL,
    owner VARCHAR,
    CONSTRAINT pk_affirmations PRIMARY KEY (seq),
    CONSTRAINT fk_affirmations_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);

CREATE TABLE aliases (
    knowledge_space_id VARCHAR NOT NULL,
    id VARCHAR(36) NOT NULL,
    thought_seq INTEGER NOT NULL,
    CONSTRAINT pk_aliases PRIMARY KEY (knowledge_space_id, id),
    CONSTRAINT fk_aliases_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);

CREATE TABLE answers (
    knowledge_space_id VARCHAR NOT NULL,
    principal VARCHAR NOT NULL,
    "key" VARCHAR NOT NULL,
    request_fingerprint VARCHAR(64) NOT NULL,
    answer TEXT NOT NULL,
    answered_at FLOAT NOT NULL,
    CONSTRAINT pk_answers PRIMARY KEY (knowledge_space_id, principal, "key")
);

CREATE TABLE audit_checkpoints (
    space_id VARCHAR NOT NULL,
    seq INTEGER NOT NULL,
    head BLOB NOT NULL,
    made_at FLOAT NOT NULL,
    signature BLOB NOT NULL,
    key_fingerprint BLOB NOT NULL,
    CONSTRAINT pk_audit_checkpoints PRIMARY KEY (space_id, seq)
);

CREATE TABLE audit_entries (
    space_id VARCHAR NOT NULL,
    seq INTEGER NOT NULL,
    entry BLOB NOT NULL,
    hash BLOB NOT NULL,
    CONSTRAINT pk_audit_entries PRIMARY KEY (space_id, seq)
);

CREATE TABLE chunk_identifiers (
    knowledge_space_id VARCHAR NOT NULL,
    "key" VARCHAR NOT NULL,
    chunk_seq INTEGER NOT NULL,
    CONSTRAINT pk_chunk_identifiers PRIMARY KEY (knowledge_space_id, "key", chunk_seq),
    CONSTRAINT fk_chunk_identifiers_chunk_seq FOREIGN KEY(chunk_seq) REFERENCES knowledge_chunks (seq)
);

CREATE TABLE co_uses (
    low_seq INTEGER NOT NULL,
    high_seq INTEGER NOT NULL,
    together INTEGER NOT NULL,
    CONSTRAINT pk_co_uses PRIMARY KEY (low_seq, high_seq),
    CONSTRAINT ordered CHECK (low_seq < high_seq),
    CONSTRAINT fk_co_uses_high_seq FOREIGN KEY(high_seq) REFERENCES thoughts (seq),
    CONSTRAINT fk_co_uses_low_seq FOREIGN KEY(low_seq) REFERENCES thoughts (seq)
);

CREATE TABLE compiled_artifacts (
    knowledge_space_id VARCHAR NOT NULL,
    artifact_type VARCHAR(50) NOT NULL,
    content TEXT NOT NULL,
    fingerprint VARCHAR(64) NOT NULL,
    compiled_at FLOAT NOT NULL,
    compiler_version VARCHAR(50) NOT NULL,
    CONSTRAINT pk_compiled_artifacts PRIMARY KEY (knowledge_space_id, artifact_type)
);

CREATE TABLE credentials (
    kid VARCHAR NOT NULL,
    member_id VARCHAR(36) NOT NULL,
    parent_kid VARCHAR,
    label VARCHAR NOT NULL,
    verifier BLOB NOT NULL,
    sealed_identity BLOB NOT NULL,
    role VARCHAR NOT NULL,
    spaces TEXT,
    created_at FLOAT NOT NULL,
    expires_at FLOAT,
    revoked_at FLOAT,
    last_used_at FLOAT,
    CONSTRAINT pk_credentials PRIMARY KEY (kid),
    CONSTRAINT fk_credentials_member_id FOREIGN KEY(member_id) REFERENCES members (id)
);

CREATE TABLE derived_facts (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    knowledge_space_id VARCHAR NOT NULL,
    term VARCHAR(255) NOT NULL,
    term_key VARCHAR(255) NOT NULL,
    fact_type VARCHAR(50) NOT NULL,
    attribute VARCHAR(255) NOT NULL,
    value TEXT NOT NULL,
    source_doc_id INTEGER NOT NULL,
    source_span_start INTEGER NOT NULL,
    source_span_end INTEGER NOT NULL,
    snippet_start INTEGER NOT NULL,
    source_snippet TEXT NOT NULL,
    confidence FLOAT NOT NULL,
    derived_at FLOAT NOT NULL,
    derived_by VARCHAR(100) NOT NULL,
    CONSTRAINT fk_derived_facts_source_doc_id FOREIGN KEY(source_doc_id) REFERENCES knowledge_documents (id) ON DELETE CASCADE
);

CREATE TABLE document_digests (
    document_id INTEGER NOT NULL,
    knowledge_space_id VARCHAR NOT NULL,
    content_hash VARCHAR(64) NOT NULL,
    compiler_version VARCHAR(50) NOT NULL,
    digest TEXT NOT NULL,
    CONSTRAINT pk_document_digests PRIMARY KEY (document_id),
    CONSTRAINT fk_document_digests_document_id FOREIGN KEY(document_id) REFERENCES knowledge_documents (id) ON DELETE CASCADE
);

CREATE TABLE erasures (
    thought_seq INTEGER NOT NULL,
    erased_by VARCHAR NOT NULL,
    reason TEXT,
    erased_at FLOAT NOT NULL,
    CONSTRAINT pk_erasures PRIMARY KEY (thought_seq),
    CONSTRAINT fk_erasures_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);

CREATE TABLE fact_conflicts (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    knowledge_space_id VARCHAR NOT NULL,
    term VARCHAR(255) NOT NULL,
    term_key VARCHAR(255) NOT NULL,
    attribute VARCHAR(255) NOT NULL,
    fact_type VARCHAR(50) NOT NULL,
    candidates TEXT NOT NULL,
    decided_on TEXT,
    state VARCHAR(20) NOT NULL,
    resolution TEXT,
    reason TEXT,
    resolved_by VARCHAR,
    resolved_at FLOAT,
    found_at FLOAT NOT NULL,
    CONSTRAINT uq_fact_conflicts_knowledge_space_id_term_key_attribute_fact_type UNIQUE (knowledge_space_id, term_key, attribute, fact_type)
);

CREATE TABLE features (
    thought_seq INTEGER NOT NULL,
    maker INTEGER NOT NULL,
    shape VARCHAR NOT NULL,
    passages INTEGER NOT NULL,
    asks BOOLEAN NOT NULL,
    times INTEGER NOT NULL,
    codes BLOB NOT NULL,
    counts BLOB NOT NULL,
    CONSTRAINT pk_features PRIMARY KEY (thought_seq),
    CONSTRAINT fk_features_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);

CREATE TABLE feedback (
    session_id VARCHAR(36) NOT NULL,
    thought_seq INTEGER NOT NULL,
    signal VARCHAR NOT NULL,
    effect FLOAT NOT NULL,
    given_at FLOAT NOT NULL,
    use_seq INTEGER,
    history TEXT,
    CONSTRAINT pk_feedback PRIMARY KEY (session_id, thought_seq),
    CONSTRAINT fk_feedback_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);

CREATE TABLE invitations (
    id VARCHAR NOT NULL,
    space_id VARCHAR NOT NULL,
    epoch INTEGER NOT NULL,
    role VARCHAR NOT NULL,
    verifier BLOB NOT NULL,
    wrapped BLOB,
    wrapped_hash BLOB,
    acceptance_key BLOB,
    founder BLOB,
    invited_by VARCHAR NOT NULL,
    created_at FLOAT NOT NULL,
    expires_at FLOAT NOT NULL,
    accepted_by VARCHAR,
    revoked_at FLOAT,
    signature BLOB,
    CONSTRAINT pk_invitations PRIMARY KEY (id),
    CONSTRAINT fk_invitations_space_id FOREIGN KEY(space_id) REFERENCES knowledge_spaces (id)
);

CREATE TABLE knowledge_chunks (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    knowledge_space_id VARCHAR NOT NULL,
    source_id INTEGER NOT NULL,
    document_id INTEGER,
    staged_id INTEGER,
    number INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    headings TEXT NOT NULL,
    anchor VARCHAR NOT NULL,
    page INTEGER,
    chunk_hash VARCHAR(64) NOT NULL,
    maker INTEGER NOT NULL,
    shape VARCHAR NOT NULL,
    asks BOOLEAN NOT NULL,
    times INTEGER NOT NULL,
    codes BLOB NOT NULL,
    counts BLOB NOT NULL,
    CONSTRAINT fk_knowledge_chunks_document_id FOREIGN KEY(document_id) REFERENCES knowledge_documents (id),
    CONSTRAINT fk_knowledge_chunks_staged_id FOREIGN KEY(staged_id) REFERENCES knowledge_staged (id)
);

CREATE TABLE knowledge_documents (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    source_id INTEGER NOT NULL,
    knowledge_space_id VARCHAR NOT NULL,
    path VARCHAR(1024) NOT NULL,
    title VARCHAR(512),
    content_text TEXT NOT NULL,
    content_hash VARCHAR(64) NOT NULL,
    metadata TEXT NOT NULL,
    fetched_at FLOAT NOT NULL,
    state VARCHAR(20) NOT NULL,
    reason TEXT,
    item_version VARCHAR NOT NULL,
    raw_hash VARCHAR(64) NOT NULL,
    maker INTEGER NOT NULL,
    gone_at FLOAT,
    refused_version VARCHAR,
    refused_by INTEGER,
    CONSTRAINT fk_knowledge_documents_source_id FOREIGN KEY(source_id) REFERENCES knowledge_sources (id),
    CONSTRAINT uq_knowledge_documents_source_id_path UNIQUE (source_id, path)
);

CREATE TABLE knowledge_sources (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    knowledge_space_id VARCHAR NOT NULL,
    source_type VARCHAR(50) NOT NULL,
    name VARCHAR(255) NOT NULL,
    config TEXT NOT NULL,
    secret BLOB,
    agents TEXT,
    sync_schedule VARCHAR(100),
    time_zone VARCHAR(64) NOT NULL,
    is_paused BOOLEAN NOT NULL,
    sync_status VARCHAR(50) NOT NULL,
    sync_error TEXT,
    last_synced_at FLOAT,
    last_attempt_at FLOAT,
    next_attempt_at FLOAT,
    failures INTEGER NOT NULL,
    state TEXT NOT NULL,
    created_by VARCHAR,
    created_at FLOAT NOT NULL,
    updated_at FLOAT NOT NULL
);

CREATE TABLE knowledge_spaces (
    id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    created_at TEXT NOT NULL,
    created_by TEXT NOT NULL,
    encryption_key_hash TEXT,
    settings TEXT NOT NULL,
    mode VARCHAR NOT NULL,
    epoch INTEGER NOT NULL,
    CONSTRAINT pk_knowledge_spaces PRIMARY KEY (id)
);

CREATE TABLE knowledge_staged (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    source_id INTEGER NOT NULL,
    document_id INTEGER,
    path VARCHAR(1024) NOT NULL,
    title VARCHAR(512),
    content_text TEXT NOT NULL,
    content_hash VARCHAR(64) NOT NULL,
    metadata TEXT NOT NULL,
    fetched_at FLOAT NOT NULL,
    item_version VARCHAR NOT NULL,
    raw_hash VARCHAR(64) NOT NULL,
    maker INTEGER NOT NULL,
    kept TEXT NOT NULL,
    secrets TEXT NOT NULL,
    CONSTRAINT fk_knowledge_staged_document_id FOREIGN KEY(document_id) REFERENCES knowledge_documents (id),
    CONSTRAINT fk_knowledge_staged_source_id FOREIGN KEY(source_id) REFERENCES knowledge_sources (id),
    CONSTRAINT uq_knowledge_staged_source_id_path UNIQUE (source_id, path)
);

CREATE TABLE learned_aliases (
    knowledge_space_id VARCHAR NOT NULL,
    term_key VARCHAR(255) NOT NULL,
    term VARCHAR(255) NOT NULL,
    canonical_doc_id INTEGER NOT NULL,
    canonical_path VARCHAR(1400) NOT NULL,
    anchor VARCHAR NOT NULL,
    section_hash VARCHAR(64) NOT NULL,
    confidence FLOAT NOT NULL,
    usage_count INTEGER NOT NULL,
    last_used_at FLOAT NOT NULL,
    is_taught BOOLEAN NOT NULL,
    CONSTRAINT pk_learned_aliases PRIMARY KEY (knowledge_space_id, term_key),
    CONSTRAINT fk_learned_aliases_canonical_doc_id FOREIGN KEY(canonical_doc_id) REFERENCES knowledge_documents (id) ON DELETE CASCADE
);

CREATE TABLE members (
    id VARCHAR(36) NOT NULL,
    name VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    encryption_public BLOB NOT NULL,
    signing_public BLOB NOT NULL,
    created_at FLOAT NOT NULL,
    created_by VARCHAR NOT NULL,
    CONSTRAINT pk_members PRIMARY KEY (id)
);

CREATE TABLE pairs (
    low_seq INTEGER NOT NULL,
    high_seq INTEGER NOT NULL,
    together INTEGER NOT NULL,
    CONSTRAINT pk_pairs PRIMARY KEY (low_seq, high_seq),
    CONSTRAINT ordered CHECK (low_seq < high_seq),
    CONSTRAINT fk_pairs_high_seq FOREIGN KEY(high_seq) REFERENCES thoughts (seq),
    CONSTRAINT fk_pairs_low_seq FOREIGN KEY(low_seq) REFERENCES thoughts (seq)
);

CREATE TABLE query_log (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id VARCHAR(36) NOT NULL,
    agent_id TEXT NOT NULL,
    query_text TEXT NOT NULL,
    context_text TEXT,
    query_vector BLOB,
    returned_ids TEXT NOT NULL,
    session_id TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    result_count INTEGER NOT NULL,
    knowledge_space_id TEXT NOT NULL,
    retrieval_method VARCHAR NOT NULL,
    policy_version INTEGER NOT NULL,
    offered_tags TEXT,
    contributed_seq INTEGER,
    owner TEXT,
    encourages INTEGER,
    CONSTRAINT fk_query_log_contributed_seq FOREIGN KEY(contributed_seq) REFERENCES thoughts (seq),
    CONSTRAINT uq_query_log_knowledge_space_id_id UNIQUE (knowledge_space_id, id)
);

CREATE TABLE resolutions (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    knowledge_space_id VARCHAR NOT NULL,
    term VARCHAR(255) NOT NULL,
    term_key VARCHAR(255) NOT NULL,
    outcome VARCHAR(20) NOT NULL,
    found_by VARCHAR(20) NOT NULL,
    agent_id VARCHAR,
    resolved_at FLOAT NOT NULL
);

CREATE TABLE sealed_records (
    space_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    blob BLOB NOT NULL,
    CONSTRAINT pk_sealed_records PRIMARY KEY (space_id, kind, number)
);

CREATE TABLE secret_notes (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL,
    kind VARCHAR(50) NOT NULL,
    line INTEGER NOT NULL,
    CONSTRAINT fk_secret_notes_document_id FOREIGN KEY(document_id) REFERENCES knowledge_documents (id)
);

CREATE TABLE sessions (
    id VARCHAR(36) NOT NULL,
    knowledge_space_id VARCHAR NOT NULL,
    agent_id VARCHAR NOT NULL,
    created_at FLOAT NOT NULL,
    owner VARCHAR,
    CONSTRAINT pk_sessions PRIMARY KEY (knowledge_space_id, id)
);

CREATE TABLE space_epochs (
    space_id VARCHAR NOT NULL,
    epoch INTEGER NOT NULL,
    key_check BLOB NOT NULL,
    previous_hash BLOB,
    author VARCHAR(36) NOT NULL,
    created_at FLOAT NOT NULL,
    signature BLOB NOT NULL,
    CONSTRAINT pk_space_epochs PRIMARY KEY (space_id, epoch)
);

CREATE TABLE space_grants (
    space_id VARCHAR NOT NULL,
    epoch INTEGER NOT NULL,
    member_id VARCHAR(36) NOT NULL,
    encryption_public BLOB NOT NULL,
    signing_public BLOB NOT NULL,
    role VARCHAR NOT NULL,
    wrapped BLOB,
    wrapped_hash BLOB NOT NULL,
    granted_by VARCHAR NOT NULL,
    signature BLOB NOT NULL,
    CONSTRAINT pk_space_grants PRIMARY KEY (space_id, epoch, member_id)
);

CREATE TABLE space_memberships (
    space_id VARCHAR NOT NULL,
    agent_id VARCHAR(36) NOT NULL,
    role VARCHAR NOT NULL,
    granted_at TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    pinned BLOB,
    CONSTRAINT pk_space_memberships PRIMARY KEY (space_id, agent_id),
    CONSTRAINT fk_space_memberships_agent_id FOREIGN KEY(agent_id) REFERENCES members (id),
    CONSTRAINT fk_space_memberships_space_id FOREIGN KEY(space_id) REFERENCES knowledge_spaces (id)
);

CREATE TABLE sync_runs (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    source_id INTEGER NOT NULL,
    knowledge_space_id VARCHAR NOT NULL,
    "trigger" VARCHAR(20) NOT NULL,
    started_at FLOAT NOT NULL,
    finished_at FLOAT,
    status VARCHAR(50) NOT NULL,
    counts TEXT NOT NULL,
    message TEXT NOT NULL,
    problems TEXT NOT NULL,
    CONSTRAINT fk_sync_runs_source_id FOREIGN KEY(source_id) REFERENCES knowledge_sources (id)
);

CREATE TABLE tags (
    knowledge_space_id VARCHAR NOT NULL,
    tag_key VARCHAR NOT NULL,
    tag VARCHAR NOT NULL,
    thoughts INTEGER NOT NULL,
    words_key VARCHAR NOT NULL,
    word_count INTEGER NOT NULL,
    CONSTRAINT pk_tags PRIMARY KEY (knowledge_space_id, tag_key)
);

CREATE TABLE term_pins (
    knowledge_space_id VARCHAR NOT NULL,
    term_key VARCHAR(255) NOT NULL,
    term VARCHAR(255) NOT NULL,
    pinned_at FLOAT NOT NULL,
    pinned_by VARCHAR,
    CONSTRAINT pk_term_pins PRIMARY KEY (knowledge_space_id, term_key)
);

CREATE TABLE thought_sources (
    thought_seq INTEGER NOT NULL,
    source_seq INTEGER NOT NULL,
    place INTEGER NOT NULL,
    CONSTRAINT pk_thought_sources PRIMARY KEY (thought_seq, source_seq),
    CONSTRAINT fk_thought_sources_source_seq FOREIGN KEY(source_seq) REFERENCES thoughts (seq),
    CONSTRAINT fk_thought_sources_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);

CREATE TABLE thoughts (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id VARCHAR(36) NOT NULL,
    knowledge_space_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    content TEXT NOT NULL,
    content_key VARCHAR(64) NOT NULL,
    contributor_id VARCHAR NOT NULL,
    contributor_name VARCHAR NOT NULL,
    thought_type VARCHAR NOT NULL,
    context_metadata TEXT,
    tags TEXT NOT NULL,
    session VARCHAR,
    position INTEGER,
    created_at FLOAT NOT NULL,
    erased_at FLOAT,
    owner VARCHAR,
    stored_at FLOAT,
    quarantined_at FLOAT,
    CONSTRAINT uq_thoughts_knowledge_space_id_content_key UNIQUE (knowledge_space_id, content_key),
    CONSTRAINT uq_thoughts_knowledge_space_id_id UNIQUE (knowledge_space_id, id)
);

CREATE TABLE trail_agents (
    thought_seq INTEGER NOT NULL,
    agent_id VARCHAR NOT NULL,
    accesses INTEGER NOT NULL,
    uses INTEGER NOT NULL,
    first_accessed FLOAT,
    exposed_at FLOAT,
    deposits INTEGER DEFAULT 0 NOT NULL,
    deposited FLOAT DEFAULT 0 NOT NULL,
    CONSTRAINT pk_trail_agents PRIMARY KEY (thought_seq, agent_id),
    CONSTRAINT fk_trail_agents_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);

CREATE TABLE trails (
    thought_seq INTEGER NOT NULL,
    knowledge_space_id VARCHAR NOT NULL,
    access_count INTEGER NOT NULL,
    unique_users INTEGER NOT NULL,
    traffic_score INTEGER NOT NULL,
    last_accessed FLOAT,
    weight FLOAT NOT NULL,
    frozen_until_h INTEGER NOT NULL,
    order_key FLOAT NOT NULL,
    uses FLOAT NOT NULL,
    exposures FLOAT NOT NULL,
    counted_at FLOAT NOT NULL,
    use_score FLOAT NOT NULL,
    CONSTRAINT pk_trails PRIMARY KEY (thought_seq),
    CONSTRAINT fk_trails_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);

CREATE TABLE uses (
    seq INTEGER NOT NULL,
    thought_seq INTEGER NOT NULL,
    agent_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    session_id VARCHAR,
    query_seq INTEGER,
    used_at FLOAT NOT NULL,
    CONSTRAINT pk_uses PRIMARY KEY (seq),
    CONSTRAINT fk_uses_query_seq FOREIGN KEY(query_seq) REFERENCES query_log (seq),
    CONSTRAINT fk_uses_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);

CREATE INDEX ix_answers_answered_at ON answers (answered_at);

CREATE INDEX ix_affirmations_thought_seq ON affirmations (thought_seq);

CREATE INDEX ix_aliases_thought_seq ON aliases (thought_seq);

CREATE INDEX ix_co_uses_high_seq ON co_uses (high_seq);

CREATE INDEX ix_pairs_high_seq ON pairs (high_seq);

CREATE INDEX ix_thought_sources_source_seq ON thought_sources (source_seq);

CREATE INDEX ix_trails_knowledge_space_id_last_accessed ON trails (knowledge_space_id, last_accessed);

CREATE INDEX ix_trails_knowledge_space_id_order_key ON trails (knowledge_space_id, order_key);

CREATE INDEX ix_trails_knowledge_space_id_traffic_score ON trails (knowledge_space_id, traffic_score);

CREATE INDEX ix_trails_knowledge_space_id_use_score ON trails (knowledge_space_id, use_score);

CREATE INDEX ix_accesses_query_seq ON accesses (query_seq);

CREATE INDEX ix_uses_session_id ON uses (session_id);

CREATE INDEX ix_uses_thought_seq_agent_id_used_at ON uses (thought_seq, agent_id, used_at);

CREATE INDEX ix_credentials_member_id ON credentials (member_id);

CREATE INDEX ix_credentials_parent_kid ON credentials (parent_kid);

CREATE INDEX ix_invitations_space_id ON invitations (space_id);

CREATE INDEX ix_space_memberships_agent_id ON space_memberships (agent_id);

CREATE INDEX idx_query_log_session ON query_log (session_id);

CREATE INDEX idx_query_log_agent ON query_log (agent_id);

CREATE INDEX idx_query_log_timestamp ON query_log (timestamp);

CREATE INDEX ix_query_log_contributed_seq ON query_log (contributed_seq);

CREATE INDEX idx_query_log_offered ON query_log (knowledge_space_id) WHERE offered_tags IS NOT NULL;

CREATE INDEX ix_thoughts_knowledge_space_id_contributor_id ON thoughts (knowledge_space_id, contributor_id);

CREATE INDEX ix_thoughts_knowledge_space_id_session_position ON thoughts (knowledge_space_id, session, position);

CREATE INDEX idx_thoughts_held ON thoughts (knowledge_space_id) WHERE quarantined_at IS NOT NULL;

CREATE INDEX ix_tags_knowledge_space_id_word_count_words_key ON tags (knowledge_space_id, word_count, words_key);

CREATE INDEX ix_features_maker ON features (maker);

CREATE INDEX ix_knowledge_sources_knowledge_space_id_name ON knowledge_sources (knowledge_space_id, name);

CREATE INDEX ix_resolutions_knowledge_space_id_resolved_at ON resolutions (knowledge_space_id, resolved_at);

CREATE INDEX ix_resolutions_knowledge_space_id_term_key ON resolutions (knowledge_space_id, term_key);

CREATE INDEX ix_knowledge_documents_knowledge_space_id_state ON knowledge_documents (knowledge_space_id, state);

CREATE INDEX ix_sync_runs_source_id_id ON sync_runs (source_id, id);

CREATE INDEX ix_derived_facts_knowledge_space_id_term_key ON derived_facts (knowledge_space_id, term_key);

CREATE INDEX ix_derived_facts_source_doc_id ON derived_facts (source_doc_id);

CREATE INDEX ix_document_digests_knowledge_space_id ON document_digests (knowledge_space_id);

CREATE INDEX ix_learned_aliases_canonical_doc_id ON learned_aliases (canonical_doc_id);

CREATE INDEX ix_secret_notes_document_id ON secret_notes (document_id);

CREATE INDEX ix_knowledge_chunks_document_id_number ON knowledge_chunks (document_id, number);

CREATE INDEX ix_knowledge_chunks_maker ON knowledge_chunks (maker);

CREATE INDEX ix_knowledge_chunks_source_id ON knowledge_chunks (source_id);

CREATE INDEX ix_knowledge_chunks_staged_id ON knowledge_chunks (staged_id);

CREATE INDEX ix_chunk_identifiers_chunk_seq ON chunk_identifiers (chunk_seq);
