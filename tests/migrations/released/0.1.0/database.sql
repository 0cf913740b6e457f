BEGIN TRANSACTION;
CREATE TABLE accesses (
	thought_seq INTEGER NOT NULL, 
	query_seq INTEGER NOT NULL, 
	rank INTEGER NOT NULL, deposited FLOAT, 
	CONSTRAINT pk_accesses PRIMARY KEY (thought_seq, query_seq), 
	CONSTRAINT fk_accesses_query_seq FOREIGN KEY(query_seq) REFERENCES query_log (seq), 
	CONSTRAINT fk_accesses_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);
INSERT INTO "accesses" VALUES(1,2,0,NULL);
INSERT INTO "accesses" VALUES(1,3,0,NULL);
INSERT INTO "accesses" VALUES(2,3,1,NULL);
INSERT INTO "accesses" VALUES(1,4,0,NULL);
INSERT INTO "accesses" VALUES(1,5,0,NULL);
INSERT INTO "accesses" VALUES(2,6,0,NULL);
INSERT INTO "accesses" VALUES(1,7,0,NULL);
INSERT INTO "accesses" VALUES(3,7,1,NULL);
INSERT INTO "accesses" VALUES(2,7,2,NULL);
CREATE TABLE affirmations (
	seq INTEGER NOT NULL, 
	thought_seq INTEGER NOT NULL, 
	contributor_id VARCHAR NOT NULL, 
	contributor_name VARCHAR NOT NULL, 
	affirmed_at FLOAT NOT NULL, owner VARCHAR, 
	CONSTRAINT pk_affirmations PRIMARY KEY (seq), 
	CONSTRAINT fk_affirmations_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0006');
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
INSERT INTO "answers" VALUES('ks-default','local','e0c4f5ff-5848-49ad-a6c7-36f4f9a835cf','5874a53888769513fc520c53988ee1d7e64fdd5848e05a08a03e23fd10b5ada4','{"result":{"response":"Nothing was known about this until now. Your thought is stored and others will find it.","sources":[],"highways_nearby":[],"disambiguation":null,"guidance":"Welcome! I haven''t seen you before. I''ll track your interests as you interact. Ask me anything or share what you''re learning.","often_needed_next":[]},"trace":{"session_id":"96faa638-608f-4e22-932b-ea442ab11cfb","operations":["retrieve","contribute","onboard"],"thoughts_retrieved":0,"thoughts_contributed":1,"contribution_threshold_met":true,"context_used":false,"retrieval_method":"hybrid","thought_id":"c0899bb3-2f00-4e64-b3ac-f9abf60989ff"}}',1.79539080911930823327e+09);
INSERT INTO "answers" VALUES('ks-default','local','b8683a3d-c061-4618-9bab-c3adb84e13c2','eb4ddb6f203f635ccfcfac9518046abce499d27220661b2f5058a59a8abc694d','{"result":{"response":"Nothing known is close to this. The nearest thoughts are:\n\nRoles stay apart: explicit boundaries prevent role collapse. (from ana)","sources":[{"thought_id":"c0899bb3-2f00-4e64-b3ac-f9abf60989ff","contributor":"ana","score":0.025561,"content_preview":"Roles stay apart: explicit boundaries prevent role collapse.","kind":null,"citation":null,"content":null,"tags":null,"created_at":null,"rank_score":null,"why":null}],"highways_nearby":[],"disambiguation":null,"guidance":null,"often_needed_next":[]},"trace":{"session_id":"d117edc1-b590-458f-92f6-139c1a67b392","operations":["retrieve","reinforce","contribute"],"thoughts_retrieved":1,"thoughts_contributed":1,"contribution_threshold_met":false,"context_used":false,"retrieval_method":"hybrid","thought_id":"6c54df28-45de-406f-98d1-e29eba7e4f10"}}',1.79539081033367609973e+09);
INSERT INTO "answers" VALUES('ks-default','local','4cfeda3c-c1f0-469c-b57e-e342515549b4','0b686b3603870618b6fd60fa49037b4757509cd09a7d4d1e7c0043b2e4a6f88e','{"result":{"response":"Based on collective knowledge, here is what others have found:\n\nRoles stay apart: explicit boundaries prevent role collapse. (from ana)\n\nThe build needs Python 3.11. (from ana)","sources":[{"thought_id":"c0899bb3-2f00-4e64-b3ac-f9abf60989ff","contributor":"ana","score":0.828494,"content_preview":"Roles stay apart: explicit boundaries prevent role collapse.","kind":null,"citation":null,"content":null,"tags":null,"created_at":null,"rank_score":null,"why":null},{"thought_id":"6c54df28-45de-406f-98d1-e29eba7e4f10","contributor":"ana","score":0.012729,"content_preview":"The build needs Python 3.11.","kind":null,"citation":null,"content":null,"tags":null,"created_at":null,"rank_score":null,"why":null}],"highways_nearby":[],"disambiguation":null,"guidance":"Welcome! I haven''t seen you before. I''ll track your interests as you interact. Ask me anything or share what you''re learning.","often_needed_next":[]},"trace":{"session_id":"7a14a186-4af7-4525-b3e9-476d0ca03881","operations":["retrieve","reinforce","onboard"],"thoughts_retrieved":2,"thoughts_contributed":0,"contribution_threshold_met":false,"context_used":false,"retrieval_method":"hybrid","thought_id":null}}',1.79539081163187742235e+09);
INSERT INTO "answers" VALUES('ks-default','local','e93a2474-3a9d-4778-8ba3-a70b1576e9a3','e45ffc721ed1eb204570acfc613d4ed4f95fb6a183f1714dafd39ae16132bb03','{"result":{"response":"Based on collective knowledge, here is what others have found:\n\nRoles stay apart: explicit boundaries prevent role collapse. (from ana)","sources":[{"thought_id":"c0899bb3-2f00-4e64-b3ac-f9abf60989ff","contributor":"ana","score":0.877591,"content_preview":"Roles stay apart: explicit boundaries prevent role collapse.","kind":null,"citation":null,"content":null,"tags":null,"created_at":null,"rank_score":null,"why":null}],"highways_nearby":["Roles stay apart: explicit boundaries prevent… (3 accesses, 3 agents)"],"disambiguation":null,"guidance":"Welcome! I haven''t seen you before. I''ll track your interests as you interact. Ask me anything or share what you''re learning.","often_needed_next":[]},"trace":{"session_id":"06bb7e39-6996-4649-bf36-112341f347bf","operations":["retrieve","reinforce","onboard"],"thoughts_retrieved":1,"thoughts_contributed":0,"contribution_threshold_met":false,"context_used":false,"retrieval_method":"hybrid","thought_id":null}}',1.79539084782428550717e+09);
INSERT INTO "answers" VALUES('ks-default','local','103b0323-b20e-4355-8856-eb2821ccc437','5bffd8ced7e8cdfb3f8dc6539e741ccfd4de5dc36796c1b1aa411a64b53abf49','{"result":{"response":"Based on collective knowledge, here is what others have found:\n\nRoles stay apart: explicit boundaries prevent role collapse. (from ana)","sources":[{"thought_id":"c0899bb3-2f00-4e64-b3ac-f9abf60989ff","contributor":"ana","score":0.877591,"content_preview":"Roles stay apart: explicit boundaries prevent role collapse.","kind":null,"citation":null,"content":null,"tags":null,"created_at":null,"rank_score":null,"why":null}],"highways_nearby":["Roles stay apart: explicit boundaries prevent… (4 accesses, 3 agents)"],"disambiguation":null,"guidance":null,"often_needed_next":[]},"trace":{"session_id":"afb73404-d081-4385-8d49-84bc117efc27","operations":["retrieve","reinforce"],"thoughts_retrieved":1,"thoughts_contributed":0,"contribution_threshold_met":false,"context_used":false,"retrieval_method":"hybrid","thought_id":null}}',1.79539084946158099178e+09);
INSERT INTO "answers" VALUES('ks-default','local','89523a7a-1ab8-4def-a355-d612be2a06b7','a59146e6418c7a4c97a50bfc5dbb58c81f5b1c95c5f94211350e78b7548ff552','{"result":{"response":"Nothing known is close to this. The nearest thoughts are:\n\nThe build needs Python 3.11. (from ana)","sources":[{"thought_id":"6c54df28-45de-406f-98d1-e29eba7e4f10","contributor":"ana","score":0.053322,"content_preview":"The build needs Python 3.11.","kind":null,"citation":null,"content":null,"tags":null,"created_at":null,"rank_score":null,"why":null}],"highways_nearby":[],"disambiguation":null,"guidance":null,"often_needed_next":[]},"trace":{"session_id":"ff14c59a-7734-4e28-8c78-58d99adfea20","operations":["retrieve","reinforce","contribute"],"thoughts_retrieved":1,"thoughts_contributed":1,"contribution_threshold_met":false,"context_used":false,"retrieval_method":"hybrid","thought_id":"8ef63995-4507-4be9-8258-2dbaff29515d"}}',1.79539085222124385841e+09);
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
INSERT INTO "audit_entries" VALUES('server',1,X'7B22616374696F6E223A2263726564656E7469616C2E63726561746564222C226174223A313739353339303836302E373432303937392C2263726564656E7469616C223A6E756C6C2C2264657461696C73223A7B7D2C226F7574636F6D65223A226F6B222C226F776E6572223A6E756C6C2C227072696E636970616C223A226C6F63616C222C22726571756573745F6964223A6E756C6C2C2274617267657473223A5B2268686F62696D61736B6D3762225D7D',X'7DCEDCFCF0AD2706F72EE5BE43AA423DC9A2B03DBDCA1A5054BB5A3B52DF8903');
CREATE TABLE chunk_identifiers (
	knowledge_space_id VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	chunk_seq INTEGER NOT NULL, 
	CONSTRAINT pk_chunk_identifiers PRIMARY KEY (knowledge_space_id, "key", chunk_seq), 
	CONSTRAINT fk_chunk_identifiers_chunk_seq FOREIGN KEY(chunk_seq) REFERENCES knowledge_chunks (seq)
);
INSERT INTO "chunk_identifiers" VALUES('ks-default','100.70.237.79',1);
INSERT INTO "chunk_identifiers" VALUES('ks-default','5.161.97.53',1);
INSERT INTO "chunk_identifiers" VALUES('ks-default','10.9.9.9',2);
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
INSERT INTO "compiled_artifacts" VALUES('ks-default','hot_terms.json','{"terms": {"kopia": {"term": "kopia", "document": 2, "anchor": "", "summary": "the backup tool", "start": 11, "end": 80, "score": 6.339850002884624, "is_pinned": false, "pages": []}, "clifford": {"term": "clifford", "document": 1, "anchor": "servers", "summary": "Production VPS (5.161.97.53), hosts web apps", "start": 92, "end": 152, "score": 6.339850002884624, "is_pinned": false, "pages": []}, "backup": {"term": "backups", "document": 2, "anchor": "", "summary": "Kopia is the backup tool.", "start": 11, "end": 36, "score": 6.636919667179908, "is_pinned": false, "pages": []}, "cube": {"term": "cube", "document": 2, "anchor": "", "summary": "Home GPU server (10.9.9.9)", "start": 84, "end": 122, "score": 8.0, "is_pinned": false, "pages": []}, "frigat": {"term": "frigate", "document": 1, "anchor": "", "summary": "", "start": 0, "end": 0, "score": 0.0, "is_pinned": true, "pages": []}}, "aliases": {}}','53700d748982b9099ba3e41bb646fce 7cf4b3ea3b7fb829169af19d641905e',1.79539086354329800601e+09,'4');
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
INSERT INTO "credentials" VALUES('hhobimaskm7b','b2d620d6-9183-48b4-a5c1-14d64ff1b490',NULL,'dora',X'EDC23239ED4ED8961060A140A4E197220F56ED21F011FB8FCC7896843AA3204F',X'01E77F0CC8AF3194C1480033CF294DFF71E8CCED3D8245F2E198A544210AE6B60524C3BCF4C6FBF73833CE0AFE69F7B11F36FBFBBE91BD570973BBE91D8312501E57A8FE23ADC277348867C12E0F5AB2733B3F359AD6620C60ABDCBB3B236E7EDEA0E206D4689B7D6D26B34C729F6A02808E5BC66C017B68C501AA6E0601C2B78EB0F32EA0C5CC588DBC543E32BD14DFA6EB0D7A2D236331B41037F839','admin',NULL,1.79539086071883463861e+09,NULL,NULL,NULL);
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
INSERT INTO "derived_facts" VALUES(1,'ks-default','cube','cube','ip','ip','100.70.237.79',1,42,55,32,'**cube** (100.70.237.79) - Home GPU server, runs Frigate.',0.95,1.79539081529906415944e+09,'compiler_4');
INSERT INTO "derived_facts" VALUES(2,'ks-default','cube','cube','summary','','Home GPU server, runs Frigate',1,59,88,32,'**cube** (100.70.237.79) - Home GPU server, runs Frigate.',0.9,1.79539081529906415944e+09,'compiler_4');
INSERT INTO "derived_facts" VALUES(3,'ks-default','clifford','clifford','ip','ip','5.161.97.53',1,106,117,92,'**clifford** (5.161.97.53) - Production VPS, hosts web apps.',0.95,1.79539081529906415944e+09,'compiler_4');
INSERT INTO "derived_facts" VALUES(4,'ks-default','clifford','clifford','summary','','Production VPS, hosts web apps',1,121,151,92,'**clifford** (5.161.97.53) - Production VPS, hosts web apps.',0.9,1.79539081529906415944e+09,'compiler_4');
INSERT INTO "derived_facts" VALUES(5,'ks-default','kopia','kopia','summary','','the backup tool',2,20,35,11,'Kopia is the backup tool. It runs nightly at 03:00 to the Bremen NAS.',0.85,1.79539081529906415944e+09,'compiler_4');
INSERT INTO "derived_facts" VALUES(6,'ks-default','cube','cube','ip','ip','10.9.9.9',2,94,102,84,'**cube** (10.9.9.9) - Home GPU server.',0.95,1.79539081529906415944e+09,'compiler_4');
INSERT INTO "derived_facts" VALUES(7,'ks-default','backups cube','backup cube','ip','ip','10.9.9.9',2,94,102,84,'**cube** (10.9.9.9) - Home GPU server.',0.95,1.79539081529906415944e+09,'compiler_4');
INSERT INTO "derived_facts" VALUES(8,'ks-default','cube','cube','summary','','Home GPU server',2,106,121,84,'**cube** (10.9.9.9) - Home GPU server.',0.9,1.79539081529906415944e+09,'compiler_4');
CREATE TABLE document_digests (
	document_id INTEGER NOT NULL, 
	knowledge_space_id VARCHAR NOT NULL, 
	content_hash VARCHAR(64) NOT NULL, 
	compiler_version VARCHAR(50) NOT NULL, 
	digest TEXT NOT NULL, 
	CONSTRAINT pk_document_digests PRIMARY KEY (document_id), 
	CONSTRAINT fk_document_digests_document_id FOREIGN KEY(document_id) REFERENCES knowledge_documents (id) ON DELETE CASCADE
);
INSERT INTO "document_digests" VALUES(1,'ks-default','91de640953c1715a0d444b9f02911ce56004ffec0a7bd2bdcaa2a366e4e724b8','4','{"document": 1, "source": "mytech", "path": "AGENTS.md", "title": "Infrastructure", "summary": {"text": "Servers", "start": 18, "end": 28, "covers": []}, "facts": [{"document": 1, "term": "cube", "attribute": "ip", "fact_type": "ip", "value": "100.70.237.79", "start": 42, "end": 55, "snippet": "**cube** (100.70.237.79) - Home GPU server, runs Frigate.", "snippet_start": 32, "snippet_end": 89, "confidence": 0.95}, {"document": 1, "term": "cube", "attribute": "", "fact_type": "summary", "value": "Home GPU server, runs Frigate", "start": 59, "end": 88, "snippet": "**cube** (100.70.237.79) - Home GPU server, runs Frigate.", "snippet_start": 32, "snippet_end": 89, "confidence": 0.9}, {"document": 1, "term": "clifford", "attribute": "ip", "fact_type": "ip", "value": "5.161.97.53", "start": 106, "end": 117, "snippet": "**clifford** (5.161.97.53) - Production VPS, hosts web apps.", "snippet_start": 92, "snippet_end": 152, "confidence": 0.95}, {"document": 1, "term": "clifford", "attribute": "", "fact_type": "summary", "value": "Production VPS, hosts web apps", "start": 121, "end": 151, "snippet": "**clifford** (5.161.97.53) - Production VPS, hosts web apps.", "snippet_start": 92, "snippet_end": 152, "confidence": 0.9}], "candidates": [{"term": "cube", "weight": 4.0, "count": 1, "anchor": "servers", "summary": "Home GPU server (100.70.237.79), runs Frigate", "start": 32, "end": 89, "titled": ""}, {"term": "clifford", "weight": 4.0, "count": 1, "anchor": "servers", "summary": "Production VPS (5.161.97.53), hosts web apps", "start": 92, "end": 152, "titled": ""}], "words": {"single": {"infrastructur": 1, "server": 2, "cube": 1, "100.70.237.79": 1, "home": 1, "gpu": 1, "run": 1, "frigat": 1, "clifford": 1, "5.161.97.53": 1, "product": 1, "vps": 1, "host": 1, "web": 1, "app": 1}, "pairs": {}}, "phrases": [{"term": "production vps", "count": 1, "definite": 0, "start": 121, "end": 135}], "aliases": []}');
INSERT INTO "document_digests" VALUES(2,'ks-default','43cbb4612e40e3aa3e88907d607c92ba3790d9a2a080c926d8c2c0bf50ad6265','4','{"document": 2, "source": "mytech", "path": "backups.md", "title": "Backups", "summary": {"text": "Kopia is the backup tool.", "start": 11, "end": 36, "covers": []}, "facts": [{"document": 2, "term": "kopia", "attribute": "", "fact_type": "summary", "value": "the backup tool", "start": 20, "end": 35, "snippet": "Kopia is the backup tool. It runs nightly at 03:00 to the Bremen NAS.", "snippet_start": 11, "snippet_end": 80, "confidence": 0.85}, {"document": 2, "term": "cube", "attribute": "ip", "fact_type": "ip", "value": "10.9.9.9", "start": 94, "end": 102, "snippet": "**cube** (10.9.9.9) - Home GPU server.", "snippet_start": 84, "snippet_end": 122, "confidence": 0.95}, {"document": 2, "term": "backups cube", "attribute": "ip", "fact_type": "ip", "value": "10.9.9.9", "start": 94, "end": 102, "snippet": "**cube** (10.9.9.9) - Home GPU server.", "snippet_start": 84, "snippet_end": 122, "confidence": 0.95}, {"document": 2, "term": "cube", "attribute": "", "fact_type": "summary", "value": "Home GPU server", "start": 106, "end": 121, "snippet": "**cube** (10.9.9.9) - Home GPU server.", "snippet_start": 84, "snippet_end": 122, "confidence": 0.9}], "candidates": [{"term": "backups", "weight": 4.2, "count": 2, "anchor": "", "summary": "Kopia is the backup tool.", "start": 11, "end": 36, "titled": "backups"}, {"term": "kopia", "weight": 4.0, "count": 1, "anchor": "", "summary": "the backup tool", "start": 11, "end": 80, "titled": ""}, {"term": "cube", "weight": 4.0, "count": 1, "anchor": "", "summary": "Home GPU server (10.9.9.9)", "start": 84, "end": 122, "titled": ""}], "words": {"single": {"backup": 2, "kopia": 1, "tool": 1, "run": 1, "night": 1, "03:00": 1, "bremen": 1, "nas": 1, "cube": 1, "10.9.9.9": 1, "home": 1, "gpu": 1, "server": 1}, "pairs": {}}, "phrases": [], "aliases": []}');
CREATE TABLE erasures (
	thought_seq INTEGER NOT NULL, 
	erased_by VARCHAR NOT NULL, 
	reason TEXT, 
	erased_at FLOAT NOT NULL, 
	CONSTRAINT pk_erasures PRIMARY KEY (thought_seq), 
	CONSTRAINT fk_erasures_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);
INSERT INTO "erasures" VALUES(4,'cyd',NULL,1.79539085934736275668e+09);
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
INSERT INTO "fact_conflicts" VALUES(1,'ks-default','cube','cube','ip','ip','[{"value": "100.70.237.79", "document_id": 1, "source": "mytech", "path": "AGENTS.md", "anchor": "servers", "text": "**cube** (100.70.237.79) - Home GPU server, runs Frigate.", "start": 32, "end": 89}, {"value": "10.9.9.9", "document_id": 2, "source": "mytech", "path": "backups.md", "anchor": "", "text": "**cube** (10.9.9.9) - Home GPU server.", "start": 84, "end": 122}]','["**cube** (10.9.9.9) - Home GPU server.", "**cube** (100.70.237.79) - Home GPU server, runs Frigate."]','resolved','100.70.237.79',NULL,'local',1.79539085356152677535e+09,1.79539081532205796239e+09);
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
INSERT INTO "features" VALUES(1,2300793899,'note',1,0,0,X'CDA9F1D18993FE4F0F1BEEE9FF33C1DCDDDFE4A09F61566DEC8AF779A8341ADEFD9B45147F085F0BA04BE2792D370EDEDCB31517BFB95A4B5CFBC6BBB32ECA7BDD3FC586FF88FE09215BE6F93437AADFEC57159097C87E214CFB6F7B2C3C9ED2CCA9F1D188937E4F0F39E6E9BE73C3CC7D894515A789FE63098B765BB0768ADE',X'6A8A695702E26F9F77019C83095E013A063B0A014CD0A69A013612C92301255E62CA01191E845C01');
INSERT INTO "features" VALUES(2,2300793899,'note',1,0,0,X'BCEF5BD3E1A58294A7A41797BEC3C3F4B1EF32986025D3C6352A492D6ADA627030F377D2C062D2C4262AC40578CF51DC92EE2BE7B1A113AE67E0098FAEC2D2F03576118DFF7FCB061C0AAB276A6B40D936B72DD9CE35DA04740386A7FAAF79D9',X'E26F9F7701DBF2A0BD01446CF4E601B8B8D4A40131E48A66019B8ED26D0177155AD601');
INSERT INTO "features" VALUES(3,2300793899,'note',1,0,0,X'47DFE116F711D18B760FE53E051C1434337EF4D45198D04E3248E9AA9134189645EFF080D5E25FEFAAC0B359F4BC56364F7FF984758A9BDA3082A7D8713E15363274F4D45998995A3584A562B0769C1F3565FECDFDD89A6F3980E926E5B39417',X'95CBF201014504C7CE0192A8F14C010B48F0CB016652F79901041D525501');
CREATE TABLE feedback (
	session_id VARCHAR(36) NOT NULL, 
	thought_seq INTEGER NOT NULL, 
	signal VARCHAR NOT NULL, 
	effect FLOAT NOT NULL, 
	given_at FLOAT NOT NULL, 
	use_seq INTEGER, history TEXT, 
	CONSTRAINT pk_feedback PRIMARY KEY (session_id, thought_seq), 
	CONSTRAINT fk_feedback_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);
INSERT INTO "feedback" VALUES('06bb7e39-6996-4649-bf36-112341f347bf',1,'useful',1.00000000000000088817e-01,1.79539085092068028447e+09,1,'[["useful", 1795390850.9206803, true, 4, 5]]');
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
INSERT INTO "knowledge_chunks" VALUES(1,'ks-default',1,1,NULL,0,0,152,'["Infrastructure", "Servers"]','servers',NULL,'826e42847b61d386903310df86fa56d34dbe878228443188908189e1cc055d71',3834455250,'note',0,0,X'991BC3AA43A8D30B46D13DBF6E16C9D813E076BA438ADE4AA6D16E1D109BAE9C933BC38E42AA730846D139BF2A2A89D813A076BA438ADE4AA6D16A1D109BAE9DB58791AFF00BBA27CC622A9AF6296157A535E8AC6641B2C75045860C00CEB9B985B5E8A05FF1304C504F0EB642C7B399ED15E9EA6F01324C704E829651EA3899BF9569AA7FE1B04E504A0E84520FF8D9FDBBE2DD6DA80B2BFC87F6BFD4169B1D268CE4ADB3FBB346BCE28C0EB675A2D2BB2EE4BDBE99D18730032CB810978E3013E076B243AADF6AAE814A1D1093AE9C332BE6D842A99AFD2553DA0F70DBE635E9656033FB8A7605DE85FC1F1D0544A7C1AB62A733AF2E8D6D06A89B07614A1C8135F5E5464FE04C1C0A27166248FA9D2035F98B6FC3A248724926A6126FD899A535ED8B6FE9B04E784F0E2650AEBA99C215C9CB6E6BA04C544A2BA64226F0B98D6BC6CAE236D07B5C835A25001298BD07BD70FDFB9ABC2A1D61A92BD675A2DD962176BA639BEF0F1681AB9D781D159674ADE39271AA5A6937933E7D9493B9DB32BDE292D3EB016B12853C6EB455ACD7BA5B26B8D0FFC469F4E10EFC567DE380',X'F6D56D5A03E711BC9D02B8B1FE3001CA674DD701EA50772301678207F701D328789401C33ADB8E01D00CD67101F2F889BD01C0A4765001A47445CC012818C94401BFF38BC401AE2BB18401FAC72A02014A3AE0F7015FB1385C01AD044AD30180940E4901FD1327CF015138C91501CF706EC901');
INSERT INTO "knowledge_chunks" VALUES(2,'ks-default',1,2,NULL,0,0,122,'["Backups"]','backups',NULL,'19487e501218ca997de76c08dd674601e21fb09de9984aebafbe8426efa491cb',3834455250,'note',0,0,X'55FBA074FFA339279C90CC1941FE0D1457692AF26F8BE5271E81899D5A9F051AE3D0E0A8C42AF6974C25BFCFA5751119FE306112DCA8B3051C03F1EDD62E14B1572BA6624F0B2D241C110C1D579F0C9257AA26624F0BBD379C150C9D53BF0C90D7FBA074BFAB392F8890CC1941FE0D1C527FAA4BCE0F6C043C9220F3FFBFCD9856AA80724F0BB5B79C011C91533F059077ABE6784AA99A65AD925C0B70DFC63DF71AE4E64DAAC827AD831D2B50DBC41B562AF4E26DCBE96EBD039D3154DF5C3BF50EF4EB4FC9CAE6FF0B8423545E5C1BF60AF4EA4DC9EA66FD0B9C9054DEDC1BF168C37A2D0A2D2819009C1955DE0C9DD7A6C0320F0AB5A39C001E93101F04B47C27C40A5A03F6A556433A53065AE4B5572C0007AF23F6A31C13FA171017C410B58691AF780BBA234C6A28DAF62D6157B637E5F04FA95046FC036435504EBC9DB69EA5C06FA9B846FF0BE723504F3899379EA5C06FE9B846FF0BE72340CF3899373BE5606FABB846FC0BE73152CFB899F7FBE4D66DAA092BBD83FE39C5568B9D268CE4ADB3FBB106BCE2981CB73D82D0332EE4B5BE9BD1833802243819BF8E30136A663243AAD76AAE914C3F119FAC9C',X'8567078D03ACD1F03F0264BFFE9101D13EF32001C0A4765001970FDA11011A454F2101A01446B801A2309B89015845E20801B8B1FE30015F10E42A01E1255DA101D00CD67101F2F889BD01F6D56D5A01');
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
	gone_at FLOAT, refused_version VARCHAR, refused_by INTEGER, 
	CONSTRAINT fk_knowledge_documents_source_id FOREIGN KEY(source_id) REFERENCES knowledge_sources (id), 
	CONSTRAINT uq_knowledge_documents_source_id_path UNIQUE (source_id, path)
);
INSERT INTO "knowledge_documents" VALUES(1,1,'ks-default','AGENTS.md','Infrastructure','# Infrastructure

## Servers

- **cube** (100.70.237.79) - Home GPU server, runs Frigate.
- **clifford** (5.161.97.53) - Production VPS, hosts web apps.
','91de640953c1715a0d444b9f02911ce56004ffec0a7bd2bdcaa2a366e4e724b8','{"kind": "markdown", "bytes": 153}',1.7953908150681447982e+09,'current',NULL,'153-1795390797797234807','995c8d385b1372176c10afb6d8de2a0c83a6c804833d1cdb8822b5b04e9bd252',1007833274,NULL,NULL,NULL);
INSERT INTO "knowledge_documents" VALUES(2,1,'ks-default','backups.md','Backups','# Backups

Kopia is the backup tool. It runs nightly at 03:00 to the Bremen NAS.

- **cube** (10.9.9.9) - Home GPU server.
','43cbb4612e40e3aa3e88907d607c92ba3790d9a2a080c926d8c2c0bf50ad6265','{"kind": "markdown", "bytes": 123}',1.79539081510683631894e+09,'current',NULL,'123-1795390797797988135','4273cf50d40cb72735f934a106bb7f576c225d018896da946bc61193e89f807f',1007833274,NULL,NULL,NULL);
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
INSERT INTO "knowledge_sources" VALUES(1,'ks-default','folder','mytech','{"path": "/srv/docs"}',NULL,NULL,NULL,'UTC',0,'success',NULL,1.79539081524792814258e+09,1.7953908150514895916e+09,NULL,0,'{}',NULL,1.79539081271466207509e+09,1.79539081271466207509e+09);
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
INSERT INTO "knowledge_spaces" VALUES('ks-default','ks-default','2026-11-22T23:40:06.612486Z','local',NULL,'{}','open',0);
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
INSERT INTO "learned_aliases" VALUES('ks-default','cube','cube',2,'mytech/backups.md','','43cbb4612e40e3aa3e88907d607c92ba3790d9a2a080c926d8c2c0bf50ad6265',0.7,1,1.79539086354907894129e+09,0);
INSERT INTO "learned_aliases" VALUES('ks-default','the box','the box',1,'mytech/AGENTS.md#servers','servers','31cb325c3ee5be3d29484b7463a2a09d50e7628cf4ae2cd8ed0b99e28adf1725',0.75,2,1.79539086526452946667e+09,1);
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
INSERT INTO "members" VALUES('b2d620d6-9183-48b4-a5c1-14d64ff1b490','dora','agent',X'9875474E31256CA2C79328AEE894B9B1C30E12C6789753CBFE423ECDF81DB9F258D9B32785B97E4DA34092A93310178B1407BB00311EBFB52A55E36B30A370A0C36CB03247B2A66C5FAA48143990F748970622325F947575A37058C724459530B85B6CF2177C16182BB700A1AD096F1F273C85F0537C59509352A640CB77E3BA6336FA34DEE60EAA5228BA57A448851EA916099F285BE20B122D244B4CC187E66B706991CA060968C26484FDE66C75E475F4C296C9CA8DE16105F0292C932A4A0F31191DC9483761B16FB37EFAB4B600645FEB8C21DA921DF84925892A9815E315D6EAC1415B23D859B9DBEA4FDFA42D0F5C3A85A04287E3B224B96977D73C49B069722B028EA98725735D4B93560486901EA2BC4592822FE10735D9695A4ABF3796B6D3A507D5976DE8EA2A7EA612B4AB86B3FC14671B2B0B5C1EAA8A903AA1B1D8F350A915C1ACA4BDF0F5BAE3B574EC82C6F56695CD205071657CCFE29DC4D62C2EA8101A40117B0A6196D88496F2794FD8089F004C42A333367891D93B5FAC1B99021CBC295ACD13A41D36A70F47270F0C507F16579166CBB4A15875549A17A01C4ED6A05E5B601622D969AE6246ABBB5B3305BC31469287BB62BF6BAEC334CC3C472FA56709328C12151C5BB75226937CB58BD1C19ADBB127D24DDD073866EC3773148B59C170C3C4394456B5890811B1467E90E979D3E1B8A7784A622150C6A28764095DF34C5B1651103502C782335CAE66970C76CE0B191C4B6263A84BAA219149C5F73DFA465073C81D6AD1CE8DF131E9B5C4B2EB193512C61E322FFEDA9C92E697FD4917AF544297242D63D4BC697239FA9B80CEC4A16FE5C82487301E57BE6E6A1CC61248DE2B8C11A721EA51C845688E6D045C74163920043420130C82BB31406963CE9A7DC72C99190062FDFB59AE48AAA617BA584A3C18B05073E53D0DF5625B0045BA5B1FB1E72E0FD068D3877BC75A261054419319B75F1694E9987751C5B1E1265A298121E34552E75603A444BF82102217B9C3A5DA708EF42A8DB3C792988180790258C85F5D47BCB3E828E9F11AF89929804616EA818630703A2E6BA4F97C28D93C2CB569245E3499323033A445518D7661DB196A67437C5DC3C85DBB7BF6AA63D9800BAB2A7359D97CF6F154392361DA2537BF241A8CE12ACAF514B0C231F5DCA447988FF6ACC989E17FE21C0C7FE29096A4AAE2F79792A1979D3343FC14CBB5C2B4488409A07117B4FB0362E5C5FE392799E2B5B17233B61B7D0BB48F777B808D6C5700920CB200CC82013CAA95CC9288B4F52ACBF37A27287109F70B1F96BB7C327387D62A887912715EE120495642EE1B09B5492E04A3B0FC240F45925C660B1F832C25CF8C1A96C5BB2D86CEAADCB66931C79DE769CA927D673738C09524814A4255C38111738EFDF1BD206668F6827B59E9C13C0A92EF8811AA100D576659BE73CEFD14B05D13BFCE853F34C165A97219ACF553C357B085050CFE199504EC59B80C0C1485BD275639FB2CBE80805DCB425FE019A8824BC027BC5F95F892EA797DD2787498E27A91C4848A43BDA437A85E20130DC41E25F2827BB2777B3462EC25A805D488667ACC2003C6B5AB522A6A84BBAA07EFAA85B9B2F525605E74707D82627B01093426EFBAAB6F69FBE4B62DE6416AAA680F87732224039BE09A883471CC1622B11CE2DAF3D1DA775743146E43690B51',X'CA44C471D5EF9820929855C046F8487D11984F39DF47648089AEA8AC0B090F52',1.79539086071883463861e+09,'local');
CREATE TABLE pairs (
	low_seq INTEGER NOT NULL, 
	high_seq INTEGER NOT NULL, 
	together INTEGER NOT NULL, 
	CONSTRAINT pk_pairs PRIMARY KEY (low_seq, high_seq), 
	CONSTRAINT ordered CHECK (low_seq < high_seq), 
	CONSTRAINT fk_pairs_high_seq FOREIGN KEY(high_seq) REFERENCES thoughts (seq), 
	CONSTRAINT fk_pairs_low_seq FOREIGN KEY(low_seq) REFERENCES thoughts (seq)
);
INSERT INTO "pairs" VALUES(1,2,2);
INSERT INTO "pairs" VALUES(1,3,1);
INSERT INTO "pairs" VALUES(2,3,1);
CREATE TABLE "query_log" (
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
INSERT INTO "query_log" VALUES(1,'3ef897e5-d27b-4a43-b1ba-79f915232395','ana','Roles stay apart: explicit boundaries prevent role collapse.',NULL,X'11292F3CD882803CA535393DAC81AE3C7A02DC3CE074933BE4DB63BB59DE86BD4BA7443CC3CA28BD2CED96BCAA38663D5CE3E0BC8FD3803DFA953D3D0D0030BD451050BD0A9D3D3D22DBB6BD8F073E3C1848E7BC22D6B7BDA60CA0B936C4D8BCEE8A4BBD6D9D90BD3CEDCDBC0F9C63BD761F48BCE427C6BD9FEE8C3DC657863CFE1D243CA4B0483D2C9F4CBDD0DAC13DAAA7543DBB69D03C0B37C73BBBB159BD5753C0BBECCA723D07661ABD25AD013B4AB83A3D6AD692BC2CA5B23DF27D25BDF03E9FBDCEDC99BC8BCE42BC701F84BD58E3A23C2AB5AA3DEBD1043D98BF7B3DE606C53CD3C854BD709D24BD8539AB3CDA61F1BC21E5203D4F48A5BD9E478B3C431C803DFCE9EFBC298532BDFF81AEBC4CD3F7BDF0407E3D06BCD0BBB8283DBD4F76F5BC1A1A963B03E6CC3D6821E1BB60798ABC091309BC0C3C873D395BFEBC6E7B813D824C083DE0B420BDBD50AD3D1962D6BD0C8B48BD2E21903C0BDAB8BDB9AFDCBCFCA8353D6E95A63A2C452BBDBBE91E3E5229623C885384BC984A58BC0F802F3D5B84413D639428BD5217733D92B559BD19DC4ABDD801F63C37440A3DB56E95BDF6C539BD1DD21EBCCF3A6ABDADFD97BCB9CD603BA89023BDB28214BDB77845BDF22A353B472EB33CA5E3A6BBA82844BDBEBC6D3D05217D3DDC0693BBBF696E3DF1EE0F3D57C1263DF856853DF4138E3C5A4ED23CFD7E7ABD0BD64488A52DC1BC3D9171BD7BAE85BCA201083E6BB8E73CFCF5AEBBF39CECBC04A949BC695E4ABD4FF1B93D1D7ACFBC0BAFC53C27BB023C44539C3C23C7B53C59EC763D73A95EBCA5E7113E98FD67BC1E2D873C7C3C52BD7340D43DF9B387BD08F6CEBCFF49B63CFD8436BD1C46D7BCDB6228BCDBAA633CE2C4253D5A883DBDA3562F3D710D7CBDEE861BBCE54B1C3DC791E33DE72517BD291DB3BD6DA5EE3C0C120A3B22C3ABBDD492B1BC8071CBBC3887B3BB21F1993A598765BDCA02453C6A081C3DA37CC5BD62631C3EE7645CBD33FD8A3D0697003E214282BD3BF2783BA5C210BDB8F3643B5DD00F3DD23A77BD5494F4BC3A631B3D77FFFC3B8E7EA5BD5B3B613D5A672DBC6754473C7CE07B3AFF163BBDD85E993DBD00F5BCF30C05BE88FD0A3D312B9B3C0805B3391DE307BEDC51FBBCDCA15BBD0FF449BC9C0E6F3D491E513D776BDEBC9B5B23BD0CF87A3D6ECFDB3A03C92BBD7A73B4BD9F88373D31449DBD09B0B5BC3AC0213DED3191BDA58304BDF4EFA03DF6D3C13D93F7523B4D8B8988C1D0DD3BDE6D66BD1F94153CEB84E5BD4E43393CE83AD3BC4C69923CC82CA1BDD624553C67B7AE3CFB9E6CBC8A27BD3B88191C3DDD23C63C0E271DBDFE2618BD1EBC313A6647DD3CEA790F3D3343253DB0964A3D473CB03C85C709BDF169B53D8879D83C9738F13C1AA9DCBCC20D043D3495E43C01A5913BA31F18BD8E59B7BDCDFB40BD344424BD463234BD12AC1CBBEE43F5BD433797BCE32ADC3C8FE6F2BC5F964D3D8A49C2BB1A6E9ABC2F60F0BCC8D6413C4B4A4A3CB2C4A13D366EFDBCA5A266BD019D883BF07E0DBD497F423DBB81223D6410083BA8A58F3C1EA2563D3A23C93D96C23BBD9A4B353DA9615C3A8599C93BB2C9863D7A603DBC9B9B8B3DD9E1423B7C8602BD2F7EE7B9E24A913D509231BBEA5361BCDA475C3CBA2812BE5B3656BCA4F0DDBCA6EEEB3BCEE7313C92ECA9BD7C4185BDAA3576BDB804223C8A4120BC045A91BD1775243DDA54BA3B3F3C9EBC7E43FC3D2B8427BD3C0E65B97D4A823DE55804BBD729B2BB79E04DBD00430BBD32CAF9BC407987BD6DF2BBB2837BB13C81E37E3C5AC6C8BADE99A13BC959763C98F625BDA1DC813C24680FBD4599353D84BE443E350414BD72293FBD8859313C838C7FBDDEC5FC3D2F1C6F3D370EBFBCB8388F3D4B0895BD51AF933CFB65A33C81167A3CB2258DBD9EE8CBBCC463B4BB8B2FC23C34E1EDBDCBE3AD3DC434D03AF02EA53D3D87993DE66CD8BB952CCBBC6351A23C33379A3C5F2F423C406028BCF5190F3DEFF227BDAC9C843977CB7E3BD0D5623D617B6F3D4B1EDD3DB0686B3CFF9FA83C38CAC23B66C6843DC889A0BB6BA647BDBDBFDE3B42B8CA3CCB251BBD2552D8BCEFD097BAFF69673D1203393D892EB63D56C73BBD7D8C8C3C2FBFA13D703DC4BB6D6242BC487362BC','[]','96faa638-608f-4e22-932b-ea442ab11cfb','2026-11-22T23:40:09.117903Z',0,'ks-default','hybrid',3,NULL,1,NULL,NULL);
INSERT INTO "query_log" VALUES(2,'62e12521-9e26-4c7f-85d4-bfbbc95667ba','ana','The build needs Python 3.11.',NULL,X'92B9E6BD937085BC530E55BD65E905BD7E820B3C16AA07BEBCD5CBBDA5EC44BD3B19C5BDCCD95CBC4550E1BCCC6931BC08701BBDFCAB253D08BD0D3ED74194BB8EFCE93AC275D43CED108A3D0937B53B052618BD5F8D3A3D3EE3393EF547C83C6E71933CF4ABE3BD42729BBCA05A83BCF6C42BBD7728243BCB70F2BCB8CDB73C832702BC89EB1FBD24A0F63D4A96BB3C9F6EAB3CF7AE8BBD21DBEFBCA366863C72790EBC0824423D104C3BBCF6551ABD0236DBBDACFC44BCFD1106BDEEED81BD7564063DBD2A15BD7B0351BD0546C6BCB36DC9BCF1F7B4BDF6C1073D9308DABAB18309BC84F0543CD4013FBA73215CBCD6823DBCCE8E853D5526D43CADC5D63C2CAF80BC12D17E3DB634033C08CD37BD4C0F543D69AFE63B25DB8BBDAB7584BD3D2614BC6B0130BD8CEDA9BCC4A769BC0F25993D5EF385BD630721BDF8A185BC34FAABBDD9A96DBD07D6A0BB52BEE93DD2B2B03DB8B954BD71E46FBBC204773D90A794BDE656093CE962DA3C3C4159BDE7E2EB3A0117553D84813FBC9B58FC3CAABDF73C6D15073CBE96BABDC5C8D33CF4A1B4BD20C0F0BD4DC6D13D1D40313D3626273CF85FCD3D8503C0BBC8BAE2BC6BD31C3B66394ABC846E97BCB1AF15BEC33BE9BC39355ABDEF27E6BC29E0323D69C5A5BDF962943C5D851E3D39B3F03CB065993DC96405BD2EC130BDFE03A7BB578109BDBF7B0BBD222F81BB1297A389F7CE4F3DEA0937BDBB135C3C321CCA3DD034963D34C37EBCCD5E0EBC1A7FB9BCD12A88BD0F003CBD1E0B1BBCC1292D3CE2FDEDBC26D6623DFD0CEC39A1EDD1BD437B863B6AB79F3DD72A42BC168363BC854E973D3DCB9DBD63365F3CD87412BDC0A125BC2F1C0DBDC64D113D679F053CE141093DC6A0383DBB549BBD38C861BD9F90EF3C194A0E3DEF875CBDE237F2BA496B91BD91C00ABDADE06CBD4F35D2BC2B0483BD07E5913DEB3EC13CD7E69EBDABCB783CBBAC833AD54A0B3DE90B323DE41C213DE3AAF73CDB5E843DBD6F98BC37C4273C005F9D3D96CFFE3C3B5876BD13BE9D3D3E2E5E3D9F1BB03D7C11D2BD6FAAA13CF4DB133DEFA1873D7A121C3CEBB1293D8E49733D1E5982BCE8CDB93DF407B3BBD5A7E73CECF93FBD62CFA53CB41692BDAAD7CE3CA1A0333DFF8621BC8B26DDBCF826B0BDD02DAC3C0AF1063D4B57813C641B51BCB7714F3CDBA8AF3B21CA3F3DA50BC1BCC26A863C11E28C3DC509783B02AFD2BADE16483C2B8959BDF8355C3D6AD95C3DB3859FBDD498090981A5C1BC663A33BDACFAF9BCC5FB7DBC314E87BD899B03BD52CAD43A8C25E9BB1F053D3DA104333C570CACBBBFD828BD5F92353DE9452D3C20C7B53D7109763D8B3CBDBCA0B016BD853BEB3C166534BB740787BC7AF3883C8EC4A8BC0E096539A4FA11BD825A34BD64C0CA3CBF9D64BDED508F3C7767A03C563A8B3BAE3D753DA2EB37BE4A3AE33CFF900D3D56EE60BCDEDD023D56AA7BBD108853BD2A2126BDB20A223ECAA76D3D6F2379BC8F893B3D29CCC43CBD4BF83C5970C23D50CD263D9C0B5EBBA226BFBB2D7D1C3DB7C513BD6833B23DD37731BDA740513B29CF203C7B8FF13D0CC85D3D52CE74BDFB03AABCF87545BD32AE8FBAFE7E10BB9FF65FBD907DE0BCEA04893D5189D2BD4C10A93D72B095BCCBB7FA3BACE2DE3C0AD870BC83AF0ABB8CBA5BBB737753BD479B823DBD090BBC5B52C13DA690883C4E8F423D52D70A3DC34AA93CA478413DC1A3403DD0FD153C79E958BD6FC5CF3CBDD1713DFECC703DEACF7EBCE37C1E3D2289543C2BC95E3DACF6CE3D6C03123DE3B08DB20588363C49B7B93D9C94483C2933343C70970C3D2941923D3DA3B63D242209BD3A4DC03C115E1C3D3E2CAC3C664F3FBD56E84FBCC0AE7A3DECFD05BD1117593D8C7455BD95DAD73D752446BB8CEF50BDA8E318BC86CCF0BA304D853C297443BC2736D5BDEF696EBC8CBB96BC2D83A2BDA9495FBD3F1E8DBDCB6A15BD93E9B63B32E9A7BD29E1B0BCE8BE5A3D9F78D43CB154EA3BE47F093DF3713A3DDDEB4F3CF33321BD2048CE3CFDF816BDE9392BBD5A75DD3C305E9ABB5E75F3BD981900BC13D3A3BDF75FE13CA1EF933C900D06BDAE6553BDCBF824BA9FE2493D03D78D3CA4B291BD69899A3CBD648CBC411588BD83BD7D3D1F77EA3C6999A43DD9425F3D','["c0899bb3-2f00-4e64-b3ac-f9abf60989ff"]','d117edc1-b590-458f-92f6-139c1a67b392','2026-11-22T23:40:10.309633Z',1,'ks-default','hybrid',3,NULL,2,NULL,NULL);
INSERT INTO "query_log" VALUES(3,'35104674-f381-4fc2-ba06-0f2dc8c9addd','ben','what prevents role collapse?',NULL,X'465CFF3BEAD7833CFD9F5A3DE7B8EA3C3962073D5B95243DAB67DFBCD410B63B6891A33C72BEB73BD9781C3C408EF43D4BCB8AB93499AD3CD2F40E3CA00A68BC540B7DBD6AF48E3D66DAB2BD989C56BCF9A6E0BCB7C3C5BD31461DBD4A0738BC8070A0BD7AFB13BD3CCA2DBDBABB8DBDDC91873C49DAD9BDFEE08C3DDDC4D5BC73B0B33C0FBFCB3C7C4603BD31D7FE3D91AFAD3D9DF1D2BC826997BB6E55F5BCF6EED5BC23F52D3DBA8D88BDCFEA32BD058D5D3DC29C2EBC1E85C43DB16C11BD731A48BD9B9373BDA59D8FBB1EE2EDBC8BFAF83C532B343D865EAB3C3588583B91D6293C9DD97EBC650C5ABD2135FEB77D8DC9B9AADA3B3D4ECEC9BD62F9953C9DB3EF3DDAE229BD88E3073DBCC86ABD7631C0BD3F30A53D81154F3DB5C8ABBDBF2D19BD0A84813C0FFF3A3DCA68F8BB7A52E6BB002F2ABD96D9C03D471F533C2585D03DEC7C943D3F6118BD71CF543D3981E7BD515686BB8903D23CF557AABD418BF3BCB629F83C2AA469BC272424BC84F1F93D1587333DD80BEF3BBE1F2B3DFDD40A3D0FE7D63C6B40473BA680333D608A88BDEE5500BD73C4993D7592E63A302B87BDD89A57BD3CE2A63B293366BD21B99ABC4DB70B3DF0D0D5BBA706DEBC05570ABDD44F9C3C7851AFBB21230D3DABD62ABDE3774C3DEAF4CABB5238FFBB8F150E3D0986463DA333183DD9D7103D7947823C61892A3D5F2F8CBDC40DBC89F4062EBCFE428DBDD6C520BD7DB5EC3DAA07093D62D882BD94DFB4BC04343CBD0DC63ABDED74443DE0FC4BBC908DB4BBD7D0063DAB89A4BCB8F78E3C864F03BC40361DBBF909DC3DB41EBF3C081DABBCCE73E6BBC8BC6B3D163FB4BC6267BCBBB213793C61D6DBBC1CBE85BC3298063DA7A6E1BC736BF63C7EC09DBC955A423DC0F6BDBD4DA4DABCC2F9A23B3EC9373DDF0149BD1EEF8DBDFE252D3C1D78F0BCD469CEBDFCB81E3C3C69A9BC70682B3AEB1AA53C35246CBD1B02753D4A5AC63C7D6C08BEE773E03DAF1587BCBEC9EB3C1584383D7CFB57BD2E88983CBDEF45BDD925253CC8457FBDE33DAEBDF9CA0ABD6F4EB63C89054CBD7A2AA9BD6B22913D49E3063DA361723C08C4CD3C3A5895BDA9E997BCC47CBEBCE841EBBD9C140C3C02BF1A3A414ABEBC1BB491BDD43082BC74CEBC3A18D2DDBC734FC43C9077FE3CBEE87CBC8E212DBD89A7B93D3C34A93CB50540BC62E23FBDC1A3773DCA2A43BD3E6485BC5F83A43B406ECABDDD134EBDA2C5A63D4883A93D660A393D0C1C3809AF21AF3BEC8092BDEACCCABCDAC704BE0ADEB5BC34D57CBC5CAA8BBB577BACBD2C235EBDFE1A78BCADAEB0BA95BFB9381BB3803D49548C3D43EB83BDE3B11EBD9103C03C4960863C58C0B43CF8E6D33C7E5C4A3D26B0513DC363C0BC73E1E83CE371483DCEBBA53CBDFC8EBDAB451A3C4EC7843D3A7DA5BB87F1B03C4CEF84BDAAFA4BBCBE395BBBF5234CBD41437B3D0B8F27BE5DD9F9B870AC033C27E3253BA331493D727B263D92CC123D93E3D7BCB826EB3C8DAE1B3C8F75BE3DE970903BD0C9EABC4FBD0E3CA465FBBA7A92393D60DEAE3D261D3D3D479D663CFEB5C13DB748073E10B568BD01C4F23AFCD3433C166A053DC1D3983D4761F6BBB863E43DEE6D823C634816BC060E94BC211BD63DB30E6F3CCA6508BD3B3FAE3D822DD8BD3921463CD87610BD460F583C1C79263D824AD6BD57007FBB04D086BD607C0ABD659301BC4EF26FBD8B73A93C4FAD09BCE719D1BCC8F8A83D05EE17BD1066EEBC8EC9B63DAADAD33A293DFCBC6FCC7CBDD125F1BC4B8AC03C010380BD1AFE6BB2EEBF96BC9206E23CD5F2D0BCA157DB3BDEB4BC3CFA71E4BD086A573DEEB9B0BCAEE9753DB729243E511D41BD745542BD2C6503BCD1E7CEBC79D6063EB8D4693DA36641BDDCDD6E3D367485BDBDE6AABCD43A60BC44EA72BD9DCB67BD49F234BBA5CB6C3CF8BD6E3C41E4F7BCDE6C913D9C2455BC77FEED3DC86E513D1BA67F3C58F06DBBDFDB093D125278BCCEE5923D03FC34BC8E9EB93CB4D491BBF9CB38BDD2BDB73CFF54C43D84A3F93CF6C8C33DB9DACABCD1BA1FBBF4D428BC6F46A23DAA21CC3C1F6889BD987A1BBDF3DD9EBBE08B35BD8415B4BCA24B5FBCF647213DFFB0203DBB5BC03D1FBAA1BCF866C33B82C42C3DB6E42BBA1641A7BC228B04BC','["c0899bb3-2f00-4e64-b3ac-f9abf60989ff", "6c54df28-45de-406f-98d1-e29eba7e4f10"]','7a14a186-4af7-4525-b3e9-476d0ca03881','2026-11-22T23:40:11.620681Z',2,'ks-default','hybrid',3,NULL,NULL,NULL,NULL);
INSERT INTO "query_log" VALUES(4,'e258e9f3-64d3-4881-a89f-b402a58dedd3','cyd','role collapse boundaries',NULL,X'48CCC73CC270323DEE56583D9D1B9FBBC22730BC260C073C37B5A33C7EE41CBDD48E54BC8244B7BCA01E49BCB2635A3D3E0182BC941D4E3DE0B1213DD476C1BC64A29FBD70E40A3D5ED604BE03A945BC691CA8BCDC0FADBDB9F2C3BC45A557BDEBF454BDD7EC6DBD3CDDB0BCB6925BBD84F7B33CB514C1BD6E1CD03D18FC59BC14B2EA3C20A7153D0E23A93BFB8BDD3D14C0843D41E293B8621108BAAEC6EABCD2DA243C67EB543D58D65CBCC0DCD4BC40D74A3DAAA1E13B4EAC7B3DC20493BAAF85B2BDA34A42BD9C906C3D126F96BDBD66F83CD4FC543DC3C9E43C9208433DB710993C4E7A5DBDF917F4BCB77EA33CAB22ED3BA2F43B3DF52EC4BD860638BBF653C43D9E9AA2BC77CE693CB0F9223CD77DEEBDDA65753D6D27F83C0EAC5DBD2450AEBCA7C9BABB3899A23D8090D5BBA3367BBC9CECA33B59F65E3DB16317BD542F9D3DE9C7963C1A17BFBDADD5263D95E5EBBDB5D520BD082D6ABC53A9C1BD5BB6C83C3B47153DE87512BDA05833BB4379253E56D80D3DBE787FBC9895C43C5616E23C728E9CBBA7E5643CE636FA3D341B8ABDCEDC5CBD884D6F3DF450DFBC4F3327BDBE7FB9BCF8DEA2BC5E6975BD5DFDC3BCD1D4E4BBCBAE35BC4C0253BD211EF4BCE0F0D7BB68A91D3DA8B8C3BC1E334E3C25F4133D03F3303D131BBABC966D283D1096E93C130838BBE55D1A3DEBFFDD3C9806B33C2D758BBD6D52BC88EB2924BCC88A5DBD416801BDAE660C3E881D813D872BFDBC1356F6BB9C831EBD9E4F99BD2755C93D038A30BDEA7A3F3DE57A09BCF44232BCF92A0F3D405E4ABCC1F1923C285EFD3D73F4CFBC2A48B4BB477A45BDF2E4ED3DDCDC11BD57C16CBCA3714E3DB83517BDC3D25CBDEA8C87BC5B0967BCE88E343DA39EEDBC23C7413D4732BFBDADC377BC7D91683C78D0E53DE0F126BD2E4078BDDC0420BCFFAB18BCA552A8BD62CA98BC1DC0B8BCCF6908BC2432BFBCBB8485BD8B04583DBA663C3D7CB086BDC21B9E3D4B5D0DBD7F87173D69E82C3DDE1DC0BD2A2B193D3BFCFFBCB1A18DBC0BBE4C3C0F22EDBCCEB6733B002B323DEF679EBB6452B7BD94AD703D675E573D3CDAA53CD15FE83CE57367BD1745463DF9D148BD965318BE3170C43C9085CA3C1EDD44BCA6B18ABDAFE7A8BC5B1BB7BB5ECBBAB8413B1C3D61A94C3CF21699BDAAE2A2BC6E628C3DD7F01FBCB027EFBCA7199CBD6D25953D35673FBD3E1278BD3701FE3BCB7811BE10741CBD3BD9D03DCC189F3DB72D343D0F7F19085EB413BACE6630BDA709BC3AC56ABFBD768A43B9151F02BDDB26003D25C62CBDC40362BDD39BE23CD4BF7BBCC4C75C3CD7BF873DEDA5143DC5848BBD9A2A4ABDCC57843DE3B48BBCA1EEB13C0D22493D31E2093D6B389CBC88B674BDD3F0633C32F26F3D7C4D0A3D633D16BD2039573C1201323DF071A63C147908BD1C79FCBD7CB2BD3BD97C8CBAE7BBB5BD0EF5033D8482EEBDE760B8BC9F3E283D86464ABC8634753DC8D9013D29C1B3BC20AB663B6407F5BB8A21A23CA5A3883D3734C43CD3859ABDAE54893B351415BD8F5ADC3D98710D3D2CFAD53C9D3DAE3B4046AD3D7F84D63D64FF2CBD75DB963C4A16EABBCBC4DBBB054C843DE87B2ABC0B5AA63D2686923CD343D6BC732F32BC00439B3D168DA7BCD51998BCC74DE73CF790BABD691BA9BB0EA364BDD3116C3D0089443C958091BD5EAC8ABD8EC79EBD40D38A3C0AA6ABBC16FD9DBD2390743CAE62CE3C692CAF3C5012083E5414AABC402B2BBC834BAC3DB2E0013DD6D82FBC396444BDC58615BCEC816DBC809249BD5A5C68B2BA1B88BC247D123D3D130EBCD24DADBACFC0F3BBB4C925BDB20C9F3C0C7286BCDA6B593D2AF6503E9A0173BD0E9A8CBC5894CBBC33A731BDCFFD7C3D466D383D09F0A5BC84CD973D09DA9DBD3FC6743C85F95EBA7090483CE13A6DBD5DAA5EBCC2E8843CFFF1773C5AABCDBD64A5D63C08B24CBC005BC43D6F266F3DF83CF53C0A13393CCA00223DE11C463D071B483DDCCCF2BCF5A84A3DD84A06BDC694A93A53E43E3CDC486E3D2097653DA66BC83D46D2E63B480EA03B5300013BFD0B763DF481D23C14FA79BDB3C484BCE571823C48FD64BD2474C1BCAD502B3C91462F3DE7BBE53C4E748B3DFDBE1EBD0106263D78BC5D3DCB4E92BCD79415BD04EAB73A','["c0899bb3-2f00-4e64-b3ac-f9abf60989ff"]','06bb7e39-6996-4649-bf36-112341f347bf','2026-11-22T23:40:47.823509Z',1,'ks-default','hybrid',3,NULL,NULL,NULL,NULL);
INSERT INTO "query_log" VALUES(5,'ab2058c5-00c2-4f82-a228-a9189176e441','cyd','role collapse boundaries',NULL,X'48CCC73CC270323DEE56583D9D1B9FBBC22730BC260C073C37B5A33C7EE41CBDD48E54BC8244B7BCA01E49BCB2635A3D3E0182BC941D4E3DE0B1213DD476C1BC64A29FBD70E40A3D5ED604BE03A945BC691CA8BCDC0FADBDB9F2C3BC45A557BDEBF454BDD7EC6DBD3CDDB0BCB6925BBD84F7B33CB514C1BD6E1CD03D18FC59BC14B2EA3C20A7153D0E23A93BFB8BDD3D14C0843D41E293B8621108BAAEC6EABCD2DA243C67EB543D58D65CBCC0DCD4BC40D74A3DAAA1E13B4EAC7B3DC20493BAAF85B2BDA34A42BD9C906C3D126F96BDBD66F83CD4FC543DC3C9E43C9208433DB710993C4E7A5DBDF917F4BCB77EA33CAB22ED3BA2F43B3DF52EC4BD860638BBF653C43D9E9AA2BC77CE693CB0F9223CD77DEEBDDA65753D6D27F83C0EAC5DBD2450AEBCA7C9BABB3899A23D8090D5BBA3367BBC9CECA33B59F65E3DB16317BD542F9D3DE9C7963C1A17BFBDADD5263D95E5EBBDB5D520BD082D6ABC53A9C1BD5BB6C83C3B47153DE87512BDA05833BB4379253E56D80D3DBE787FBC9895C43C5616E23C728E9CBBA7E5643CE636FA3D341B8ABDCEDC5CBD884D6F3DF450DFBC4F3327BDBE7FB9BCF8DEA2BC5E6975BD5DFDC3BCD1D4E4BBCBAE35BC4C0253BD211EF4BCE0F0D7BB68A91D3DA8B8C3BC1E334E3C25F4133D03F3303D131BBABC966D283D1096E93C130838BBE55D1A3DEBFFDD3C9806B33C2D758BBD6D52BC88EB2924BCC88A5DBD416801BDAE660C3E881D813D872BFDBC1356F6BB9C831EBD9E4F99BD2755C93D038A30BDEA7A3F3DE57A09BCF44232BCF92A0F3D405E4ABCC1F1923C285EFD3D73F4CFBC2A48B4BB477A45BDF2E4ED3DDCDC11BD57C16CBCA3714E3DB83517BDC3D25CBDEA8C87BC5B0967BCE88E343DA39EEDBC23C7413D4732BFBDADC377BC7D91683C78D0E53DE0F126BD2E4078BDDC0420BCFFAB18BCA552A8BD62CA98BC1DC0B8BCCF6908BC2432BFBCBB8485BD8B04583DBA663C3D7CB086BDC21B9E3D4B5D0DBD7F87173D69E82C3DDE1DC0BD2A2B193D3BFCFFBCB1A18DBC0BBE4C3C0F22EDBCCEB6733B002B323DEF679EBB6452B7BD94AD703D675E573D3CDAA53CD15FE83CE57367BD1745463DF9D148BD965318BE3170C43C9085CA3C1EDD44BCA6B18ABDAFE7A8BC5B1BB7BB5ECBBAB8413B1C3D61A94C3CF21699BDAAE2A2BC6E628C3DD7F01FBCB027EFBCA7199CBD6D25953D35673FBD3E1278BD3701FE3BCB7811BE10741CBD3BD9D03DCC189F3DB72D343D0F7F19085EB413BACE6630BDA709BC3AC56ABFBD768A43B9151F02BDDB26003D25C62CBDC40362BDD39BE23CD4BF7BBCC4C75C3CD7BF873DEDA5143DC5848BBD9A2A4ABDCC57843DE3B48BBCA1EEB13C0D22493D31E2093D6B389CBC88B674BDD3F0633C32F26F3D7C4D0A3D633D16BD2039573C1201323DF071A63C147908BD1C79FCBD7CB2BD3BD97C8CBAE7BBB5BD0EF5033D8482EEBDE760B8BC9F3E283D86464ABC8634753DC8D9013D29C1B3BC20AB663B6407F5BB8A21A23CA5A3883D3734C43CD3859ABDAE54893B351415BD8F5ADC3D98710D3D2CFAD53C9D3DAE3B4046AD3D7F84D63D64FF2CBD75DB963C4A16EABBCBC4DBBB054C843DE87B2ABC0B5AA63D2686923CD343D6BC732F32BC00439B3D168DA7BCD51998BCC74DE73CF790BABD691BA9BB0EA364BDD3116C3D0089443C958091BD5EAC8ABD8EC79EBD40D38A3C0AA6ABBC16FD9DBD2390743CAE62CE3C692CAF3C5012083E5414AABC402B2BBC834BAC3DB2E0013DD6D82FBC396444BDC58615BCEC816DBC809249BD5A5C68B2BA1B88BC247D123D3D130EBCD24DADBACFC0F3BBB4C925BDB20C9F3C0C7286BCDA6B593D2AF6503E9A0173BD0E9A8CBC5894CBBC33A731BDCFFD7C3D466D383D09F0A5BC84CD973D09DA9DBD3FC6743C85F95EBA7090483CE13A6DBD5DAA5EBCC2E8843CFFF1773C5AABCDBD64A5D63C08B24CBC005BC43D6F266F3DF83CF53C0A13393CCA00223DE11C463D071B483DDCCCF2BCF5A84A3DD84A06BDC694A93A53E43E3CDC486E3D2097653DA66BC83D46D2E63B480EA03B5300013BFD0B763DF481D23C14FA79BDB3C484BCE571823C48FD64BD2474C1BCAD502B3C91462F3DE7BBE53C4E748B3DFDBE1EBD0106263D78BC5D3DCB4E92BCD79415BD04EAB73A','["c0899bb3-2f00-4e64-b3ac-f9abf60989ff"]','afb73404-d081-4385-8d49-84bc117efc27','2026-11-22T23:40:49.460908Z',1,'ks-default','hybrid',3,NULL,NULL,NULL,NULL);
INSERT INTO "query_log" VALUES(6,'6bb88ade-496e-451b-962e-5702811ca5af','cyd','Whale oil keeps the lamp burning.',NULL,X'A3CB853BD8E6063DA200053E04B1233D6F9D6E3DA9A6B8BB3E05693CA33D20BD640A083BAE106E3D7B79443CA810FD3B6D910CBD678F173D5B138BBB5AEC8A3C088098BDC6AE88BD42589CBB0C2F713C024ACA3DE4AB5F3D9F9451BBE7EED73C2E5261BDB262B33D22C3F1BCC68825BD12D9BA3B0EEC2A3C3FB0283D74C737BC6C6F18BE5631A4BCBA6FA2BB654D523C4E8964BDBB7879BDF2A0763DB330063E77DFB5BB196A9FBDAF54783C3C72EABC41B2D9BA1F1CAA3C3051D53DA0EB2ABD50161F3D0B2EB8BC178BD13C931E223DA16134BD4948AB3BB89B333DC38C7ABDF2BA06BDE858F13C43A1D93C346D5CBD4B4DCE3DCCB3273DD42A19BD51AF373D3D8E69BD44442BBD4545293CB93E3DBDF6FAC53CE72E8CBDC623E2BCE61EB63C54E125BC3F1A093D82639EBDB62A0FBD465C833D8811D0BD56A2063DA5BB5A3CC176C3BCFCE09ABD403E8FBDDE092C3E2648BC3D9CD09A3D4931003E1F37F2BC366E663BC5E2373D6BDD7BBD7D80FABCA0F6063BC5FA2CBDA68F08BD76DB39BDE87D04BC0C65953D12E3A4BD1286453CD043E53BAA8D19BCE6BFF2BD3270A9BD6D0392BBC0B23ABDE6CFE1BB0D78B23D5DBACA3B577D00BCB4F838BD79E8303D1A94BABD69BF523D281FA0BDB29E153D6B3B4E3DFE70A8BDD6688DBC80D39C3CF2A2583D44D7243CA5872B3DC40CC13DD7BA78BD80A891BD686C8D3D029781891264133B77DBD9BB17C6FEBC6CDCF6BD2FA2653DAEB6553DEC42ABBDE2D5563D82F35EBD21374DBC8055913BCAED923DE0DF503B3376A33D8117473A77F633BD2866333D25FDC23C35D5CEBC08E611BE419F88BC9414733D15D3323DB0ACCABC91D22FBDBD444D3CDD21533BFE739FBD5B2024BD96B2423DD8387FBB46BD5DBD846898BCD649B3BCA64D88BB2BEC123DB5800EBD230F4EBDEF4B1FBD99C64CBC8C085FBD83A2933D87472E3D3E2FE33D7E5B24BCB03FC43DD1FE2CBDBEEE753DE9B4CCBBE86238BDDC77813C000A9A3CDC20143D87C0B23C9065473D5520563DF38A203D13F55EBD439B873C88FA59BDAA0D3ABC87D0F93CC10304BD687A9E3C2A2C343CF152A43C2D08623D78595E3D7F12ADBCD598CABD14FA68BDBECB8A3CB0C15D3D070092BD9786E1BD291BEB3C903B1A3CE59E8D3CDADABCBD5DE7A73C0F5EE5BBC177E5BD7C7B9C3D7B3F3BBD55ECB0BC2317143BB4DF3C3DD390F13C992B0ABD83F4103CA21DD83DFD28A5BDB91C503DD11F8BBD217778BD55FE87097CBF3A3D6CED32BD435A19BC7BFBC8BB0E5C5B3D8F0C78BDC7BE563D5315A4BBC2E1A6BD84B548BD622153BC5B6C96BD32E620BD9C75623C7FED683DA70800BD697497BC6D06903DD707393DC2DA10BD9D6CC03CC568973DF64FB83C52CF093D76C1ECBD98A2FC3C2E981A3C3810FFBCD5B7BABDB00F443C8DDCB2BC6392053D64AC8DBD74C20ABDC37366BDC1695E3D78C59B3AB64DE83BA7B1A1BBB09C32BC08CCB33D4441FEBCDEE2333D43D6223CFA574EBD6A851A3D9CCD83BC4D3E1E3C10817B3C0372AF3D223F863D8FC77BBD71A6A6BC19D06EBC1CC521BCC82F1D3C6F4D26BD28A8B6BBBC5984BBA6EEF2BBDCC7D93CC2AE8FBDEE63673D4B803B3DA73DDEBC4EE92F3D7031413B3689343D98126A3DF0361B3D13DF723D91D97B3D696DCB3B3549973B4328933BBAC9A73B55E980BDD6409F3CC60A9638994C8E3DB3FC4EBD3099323C9F9669BD0A643C3D9ADF353D0C549FBD070985BC7C792EBC218B1EBDB4B9F8BC274F87BD82A58A3C099526BD3340FF3B6BF8773DE8AB61B2932E14BD3484A53C35A1523D4D00D43DD2F2D13C9C489ABC486A813DB0916E3D6EA6003DD940CFBDF1135F3D152FC83D2DC9E73DE9A4623D5B13CF3C3A841DBC070D4F3DE56043BDFB9A493CB0A58ABD969EF4BB506813BDDE245A3DF59F9DBCD8FE73BCC4353B3D4721283DD6E1AA3D0BE78A3BB5BD443C4749DC3C380633BDB49BC2BCE0ABAEBC7D6D09BC7CE9C13B4F7A91BDAB433CBC05A057BD6AD8B33C2BFB76BD816A873C89CCE23C44D1683DCF622A3CBC3529BD368F2B3D2FE3533D50A010BD0086703D6E42923D1303B8BC4AC96D3D7048233B14B2D737D17205BEE9F9333D1944763C14E3D6BC665E983C09E7703DE2B7BA3C40E3443D49A0333D','["6c54df28-45de-406f-98d1-e29eba7e4f10"]','ff14c59a-7734-4e28-8c78-58d99adfea20','2026-11-22T23:40:52.220314Z',1,'ks-default','hybrid',3,NULL,3,NULL,NULL);
INSERT INTO "query_log" VALUES(7,'4c3513ec-8953-4f0f-94da-bd18a2640627','cyd','',NULL,NULL,'["c0899bb3-2f00-4e64-b3ac-f9abf60989ff", "8ef63995-4507-4be9-8258-2dbaff29515d", "6c54df28-45de-406f-98d1-e29eba7e4f10"]','29feabd3-60b0-4a9b-b37f-16f61726d03b','2026-11-22T23:40:58.021752Z',3,'ks-default','hybrid',3,NULL,4,NULL,NULL);
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
INSERT INTO "resolutions" VALUES(1,'ks-default','cube','cube','ambiguous','search','ben',1795390817.50903);
INSERT INTO "resolutions" VALUES(2,'ks-default','cube','cube','resolved','hot_terms','cyd',1.79539086354815387728e+09);
INSERT INTO "resolutions" VALUES(3,'ks-default','the box','the box','resolved','learned_aliases','cyd',1795390865.26336);
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
CREATE TABLE "sessions" (
	id VARCHAR(36) NOT NULL, 
	knowledge_space_id VARCHAR NOT NULL, 
	agent_id VARCHAR NOT NULL, 
	created_at FLOAT NOT NULL, 
	owner VARCHAR, 
	CONSTRAINT pk_sessions PRIMARY KEY (knowledge_space_id, id)
);
INSERT INTO "sessions" VALUES('96faa638-608f-4e22-932b-ea442ab11cfb','ks-default','ana',1.79539080909400176997e+09,NULL);
INSERT INTO "sessions" VALUES('d117edc1-b590-458f-92f6-139c1a67b392','ks-default','ana',1.79539081030752897261e+09,NULL);
INSERT INTO "sessions" VALUES('7a14a186-4af7-4525-b3e9-476d0ca03881','ks-default','ben',1.79539081162034535408e+09,NULL);
INSERT INTO "sessions" VALUES('06bb7e39-6996-4649-bf36-112341f347bf','ks-default','cyd',1.79539084782321643829e+09,NULL);
INSERT INTO "sessions" VALUES('afb73404-d081-4385-8d49-84bc117efc27','ks-default','cyd',1.79539084946060776715e+09,NULL);
INSERT INTO "sessions" VALUES('ff14c59a-7734-4e28-8c78-58d99adfea20','ks-default','cyd',1.79539085220000815389e+09,NULL);
INSERT INTO "sessions" VALUES('29feabd3-60b0-4a9b-b37f-16f61726d03b','ks-default','cyd',1.7953908580089631081e+09,NULL);
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
INSERT INTO "space_memberships" VALUES('ks-default','b2d620d6-9183-48b4-a5c1-14d64ff1b490','contributor','2026-11-22T23:41:00.733273Z','local',NULL);
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
INSERT INTO "sync_runs" VALUES(1,1,'ks-default','job',1.7953908150514895916e+09,1.79539081524792814258e+09,'success','{"embedded": 2, "new": 2, "changed": 0, "moved": 0, "gone": 0, "unchanged": 0}','2 new','[]');
CREATE TABLE "tags" (
	knowledge_space_id VARCHAR NOT NULL, 
	tag_key VARCHAR NOT NULL, 
	tag VARCHAR NOT NULL, 
	thoughts INTEGER NOT NULL, 
	words_key VARCHAR NOT NULL, 
	word_count INTEGER NOT NULL, 
	CONSTRAINT pk_tags PRIMARY KEY (knowledge_space_id, tag_key)
);
INSERT INTO "tags" VALUES('ks-default','lamps','lamps',1,'lamps',1);
INSERT INTO "tags" VALUES('ks-default','oil','oil',1,'oil',1);
CREATE TABLE term_pins (
	knowledge_space_id VARCHAR NOT NULL, 
	term_key VARCHAR(255) NOT NULL, 
	term VARCHAR(255) NOT NULL, 
	pinned_at FLOAT NOT NULL, 
	pinned_by VARCHAR, 
	CONSTRAINT pk_term_pins PRIMARY KEY (knowledge_space_id, term_key)
);
INSERT INTO "term_pins" VALUES('ks-default','frigat','frigate',1.79539085622426152228e+09,NULL);
CREATE TABLE thought_sources (
	thought_seq INTEGER NOT NULL, 
	source_seq INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	CONSTRAINT pk_thought_sources PRIMARY KEY (thought_seq, source_seq), 
	CONSTRAINT fk_thought_sources_source_seq FOREIGN KEY(source_seq) REFERENCES thoughts (seq), 
	CONSTRAINT fk_thought_sources_thought_seq FOREIGN KEY(thought_seq) REFERENCES thoughts (seq)
);
CREATE TABLE "thoughts" (
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
INSERT INTO "thoughts" VALUES(1,'c0899bb3-2f00-4e64-b3ac-f9abf60989ff','ks-default','thought','Roles stay apart: explicit boundaries prevent role collapse.','ec82ea96d5f20e92fcad600d6ac671e628e6a3114e07f71dd0da8431d9f6a9d3','ana','ana','original',NULL,'[]','96faa638-608f-4e22-932b-ea442ab11cfb',0,1.79539080909639549256e+09,NULL,NULL,1.79539080909639549256e+09,NULL);
INSERT INTO "thoughts" VALUES(2,'6c54df28-45de-406f-98d1-e29eba7e4f10','ks-default','thought','The build needs Python 3.11.','d1eada42088521a0d602898041d0cbb94aad1fb498b3cb836e22e3f0ac5f28c3','ana','ana','original',NULL,'[]','d117edc1-b590-458f-92f6-139c1a67b392',0,1.79539081030817079549e+09,NULL,NULL,1.79539081030817079549e+09,NULL);
INSERT INTO "thoughts" VALUES(3,'8ef63995-4507-4be9-8258-2dbaff29515d','ks-default','thought','Whale oil keeps the lamp burning.','66fa61824cfb884b101511caf459c7623e2a2c5d0a10f8b2e8945cb9434ac14f','cyd','cyd','original',NULL,'["lamps", "oil"]','ff14c59a-7734-4e28-8c78-58d99adfea20',0,1.79539085220052433019e+09,NULL,NULL,1.79539085220052433019e+09,NULL);
INSERT INTO "thoughts" VALUES(4,'dbcee417-90c4-490e-bb5d-119a6e57dcbb','ks-default','thought','','f15a6c4edf86e4fe5b4f80854419706649bc6de49e607d072f24dd75046c3265','cyd','cyd','original',NULL,'[]','29feabd3-60b0-4a9b-b37f-16f61726d03b',0,1.79539085800960135459e+09,1.79539085934736275668e+09,NULL,1.79539085800960135459e+09,NULL);
CREATE TABLE "trail_agents" (
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
INSERT INTO "trail_agents" VALUES(1,'ana',1,0,1.79539081030963253975e+09,NULL,0,0.0);
INSERT INTO "trail_agents" VALUES(1,'ben',1,0,1.79539081162068128588e+09,1.79539081162068128588e+09,0,0.0);
INSERT INTO "trail_agents" VALUES(2,'ben',1,0,1.79539081162068128588e+09,1.79539081162068128588e+09,0,0.0);
INSERT INTO "trail_agents" VALUES(1,'cyd',3,1,1.7953908478235087395e+09,1.7953908478235087395e+09,0,0.0);
INSERT INTO "trail_agents" VALUES(2,'cyd',2,0,1.79539085222031354906e+09,1.79539085222031354906e+09,0,0.0);
INSERT INTO "trail_agents" VALUES(3,'cyd',1,0,1.79539085802175211905e+09,NULL,0,0.0);
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
INSERT INTO "trails" VALUES(1,'ks-default',5,3,15,1.79539085802175211905e+09,1.35000000000000031086e+00,498720,2.50015496283045649764e+03,9.99995930821836465085e-01,1.99996756679330434103e+00,1.79539085802175211905e+09,1.0);
INSERT INTO "trails" VALUES(2,'ks-default',3,2,6,1.79539085802175211905e+09,1.15000000000000013322e+00,498720,2.49999462018038138915e+03,0.0,1.76920699152856353286e+00,1.79539085802175211905e+09,0.0);
INSERT INTO "trails" VALUES(3,'ks-default',1,1,1,1.79539085802175211905e+09,1.05,498720,2.4999036484021758043e+03,0.0,0.0,1.79539085802175211905e+09,0.0);
INSERT INTO "trails" VALUES(4,'ks-default',0,0,0,NULL,1.0,498720,2.49985485823800627266e+03,0.0,0.0,1.79539085800960135459e+09,0.0);
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
INSERT INTO "uses" VALUES(1,1,'cyd','feedback','06bb7e39-6996-4649-bf36-112341f347bf',4,1.79539085092068028447e+09);
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
CREATE INDEX idx_query_log_agent ON query_log (agent_id);
CREATE INDEX idx_query_log_timestamp ON query_log (timestamp);
CREATE INDEX idx_query_log_session ON query_log (session_id);
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
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('query_log',7);
INSERT INTO "sqlite_sequence" VALUES('thoughts',4);
INSERT INTO "sqlite_sequence" VALUES('knowledge_sources',1);
INSERT INTO "sqlite_sequence" VALUES('knowledge_documents',2);
INSERT INTO "sqlite_sequence" VALUES('sync_runs',1);
INSERT INTO "sqlite_sequence" VALUES('knowledge_staged',2);
INSERT INTO "sqlite_sequence" VALUES('knowledge_chunks',2);
INSERT INTO "sqlite_sequence" VALUES('derived_facts',8);
INSERT INTO "sqlite_sequence" VALUES('fact_conflicts',1);
INSERT INTO "sqlite_sequence" VALUES('resolutions',3);
COMMIT;
