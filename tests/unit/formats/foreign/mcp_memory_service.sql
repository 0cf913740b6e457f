CREATE TABLE memories (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        content_hash TEXT UNIQUE NOT NULL,
                        content TEXT NOT NULL,
                        tags TEXT,
                        memory_type TEXT,
                        metadata TEXT,
                        created_at REAL,
                        updated_at REAL,
                        created_at_iso TEXT,
                        updated_at_iso TEXT,
                        deleted_at REAL DEFAULT NULL
                    , store TEXT DEFAULT 'default', parent_id TEXT, version INTEGER DEFAULT 1, confidence REAL DEFAULT 1.0, last_accessed INTEGER, superseded_by TEXT, embedding_pending INTEGER NOT NULL DEFAULT 0);
INSERT INTO memories VALUES(1,'2b91f56046e7c244e3418f262ee0ac330752bdd1bbbe512e43d43f55e953b564','The backup job runs at 02:30 UTC.','backup,ops','observation','{"agent_id": "ops-bot"}',1767225600.0,1767225600.0,'2026-01-01T00:00:00Z','2026-01-01T00:00:00Z',NULL,'default',NULL,1,1.0,NULL,'42e14dbbe013b95c3dd62a1065ca3a3713003ee3a1949a43ee9168bb0b1337af',0);
INSERT INTO memories VALUES(2,'42e14dbbe013b95c3dd62a1065ca3a3713003ee3a1949a43ee9168bb0b1337af','The backup job runs at 04:15 UTC.','backup,ops','observation','{"agent_id": "ops-bot"}',1767312000.0,1767312000.0,'2026-01-02T00:00:00Z','2026-01-02T00:00:00Z',NULL,'default',NULL,1,1.0,NULL,NULL,0);
INSERT INTO memories VALUES(3,'3549a5f355c87368801a141ff77409b59983e8074be05413132f0e3b5b95be05','We decided to keep PostgreSQL 16.','database,decision','decision','{"hostname": "cube"}',1767398400.0,1767398400.0,'2026-01-03T00:00:00Z','2026-01-03T00:00:00Z',NULL,'default',NULL,1,1.0,NULL,NULL,0);
INSERT INTO memories VALUES(4,'c90a4496862d6bf72fb7a2026a0376c394caab7ee5ba1b3c1ddb2b1cb7024077','Alex owns the billing service.','source:cube,billing','note','{"superseded_by": "782f4cd7112f243859da017abf41e5064bc67a671b04a423024801b5b3a289a6"}',1767484800.0,1767484800.0,'2026-01-04T00:00:00Z','2026-01-04T00:00:00Z',NULL,'default',NULL,1,1.0,NULL,'782f4cd7112f243859da017abf41e5064bc67a671b04a423024801b5b3a289a6',0);
INSERT INTO memories VALUES(5,'74d7939dd966e83a57fdafd436735a000b52f9c70860225b36f07d9669c2b05b','Invoices are sent on the first of the month.','untagged','note','{}',1767571200.0,1767571200.0,'2026-01-05T00:00:00Z','2026-01-05T00:00:00Z',NULL,'default',NULL,1,1.0,NULL,NULL,0);
INSERT INTO memories VALUES(6,'c79cc769758add7f359eb296fe8b68130168590c78d48389e4bb76a43d590083','This one is deleted.','temp','note','{}',1767657600.0,1767657600.0,'2026-01-06T00:00:00Z','2026-01-06T00:00:00Z',1.79602930660051727292e+09,'default',NULL,1,1.0,NULL,NULL,0);
INSERT INTO memories VALUES(7,'6a38f43e1b9699bf0564b0bb19b118efcdb0f5021a363086a8fa3ffe5d7d064f','A procedure: restart the queue, then the worker.','runbook','observation','{}',1767744000.0,1767744000.0,'2026-01-07T00:00:00Z','2026-01-07T00:00:00Z',NULL,'default',NULL,1,1.0,NULL,NULL,0);
INSERT INTO memories VALUES(8,'782f4cd7112f243859da017abf41e5064bc67a671b04a423024801b5b3a289a6','Robin owns the billing service.','billing','note','{}',1.7960293066040976047e+09,1.7960293066040976047e+09,'2026-11-30T09:01:46.604098Z','2026-11-30T09:01:46.604098Z',NULL,'default','c90a4496862d6bf72fb7a2026a0376c394caab7ee5ba1b3c1ddb2b1cb7024077',2,1.0,NULL,NULL,0);
