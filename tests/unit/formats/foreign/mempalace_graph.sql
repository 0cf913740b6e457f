CREATE TABLE entities (
                id TEXT PRIMARY KEY,
                name TEXT NOT NULL,
                type TEXT DEFAULT 'unknown',
                properties TEXT DEFAULT '{}',
                created_at TEXT DEFAULT CURRENT_TIMESTAMP
            );
INSERT INTO entities VALUES('ana','Ana','unknown','{}','2026-11-30 09:08:31');
INSERT INTO entities VALUES('greenhouse','Greenhouse','unknown','{}','2026-11-30 09:08:31');
INSERT INTO entities VALUES('lisbon','Lisbon','unknown','{}','2026-11-30 09:08:31');
CREATE TABLE triples (
                id TEXT PRIMARY KEY,
                subject TEXT NOT NULL,
                predicate TEXT NOT NULL,
                object TEXT NOT NULL,
                valid_from TEXT,
                valid_to TEXT,
                confidence REAL DEFAULT 1.0,
                source_closet TEXT,
                source_file TEXT,
                source_drawer_id TEXT,
                adapter_name TEXT,
                extracted_at TEXT DEFAULT CURRENT_TIMESTAMP,
                FOREIGN KEY (subject) REFERENCES entities(id),
                FOREIGN KEY (object) REFERENCES entities(id)
            );
INSERT INTO triples VALUES('t_ana_works_on_greenhouse_72a8a24219fd','ana','works_on','greenhouse','2026-01-10',NULL,1.0,NULL,NULL,NULL,NULL,'2026-11-30 09:08:31');
INSERT INTO triples VALUES('t_ana_lives_in_lisbon_5c12baa50672','ana','lives_in','lisbon','2025-01-01','2026-05-01',1.0,NULL,NULL,NULL,NULL,'2026-11-30 09:08:31');
