CREATE TABLE "collections" (
    id TEXT PRIMARY KEY, -- unique globally
    name TEXT NOT NULL, -- unique per database
    dimension INTEGER,
    database_id TEXT NOT NULL REFERENCES databases(id) ON DELETE CASCADE, config_json_str TEXT, schema_str TEXT,
    UNIQUE (name, database_id)
);
INSERT INTO collections VALUES('5a09a10b-5170-42ae-836e-6afedfd03cb3','mempalace_drawers',384,'00000000-0000-0000-0000-000000000000','{}','{"defaults":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}},"float_list":{"vector_index":{"enabled":false,"config":{"space":"cosine","embedding_function":{"type":"known","name":"default","config":{}},"hnsw":{"ef_construction":100,"max_neighbors":16,"ef_search":100,"num_threads":1,"batch_size":100,"sync_threshold":1000,"resize_factor":1.2}}}},"sparse_vector":{"sparse_vector_index":{"enabled":false,"config":{"embedding_function":{"type":"unknown"},"bm25":false}}},"int":{"int_inverted_index":{"enabled":true,"config":{}}},"float":{"float_inverted_index":{"enabled":true,"config":{}}},"bool":{"bool_inverted_index":{"enabled":true,"config":{}}}},"keys":{"parent_drawer_id":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"#embedding":{"float_list":{"vector_index":{"enabled":true,"config":{"space":"cosine","embedding_function":{"type":"known","name":"default","config":{}},"source_key":"#document","hnsw":{"ef_construction":100,"max_neighbors":16,"ef_search":100,"num_threads":1,"batch_size":100,"sync_threshold":1000,"resize_factor":1.2}}}}},"last_modified":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"date":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"filed_at":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"agent":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"added_by":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"room":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"type":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"topic":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"wing":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"#document":{"string":{"fts_index":{"enabled":true,"config":{}},"string_inverted_index":{"enabled":false,"config":{}}}},"source_file":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"id_recipe":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"hall":{"string":{"fts_index":{"enabled":false,"config":{}},"string_inverted_index":{"enabled":true,"config":{}}}},"chunk_index":{"int":{"int_inverted_index":{"enabled":true,"config":{}}}}}}');
CREATE TABLE "segments" (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    scope TEXT NOT NULL,
    collection TEXT REFERENCES collection(id) NOT NULL
);
INSERT INTO segments VALUES('29c2cb01-0101-4277-997a-465d71da5508','urn:chroma:segment/vector/hnsw-local-persisted','VECTOR','5a09a10b-5170-42ae-836e-6afedfd03cb3');
INSERT INTO segments VALUES('6838c52a-d947-4dfd-901b-b903f22851d0','urn:chroma:segment/metadata/sqlite','METADATA','5a09a10b-5170-42ae-836e-6afedfd03cb3');
CREATE TABLE embeddings (
    id INTEGER PRIMARY KEY,
    segment_id TEXT NOT NULL,
    embedding_id TEXT NOT NULL,
    seq_id BLOB NOT NULL,
    created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (segment_id, embedding_id)
);
INSERT INTO embeddings VALUES(1,'6838c52a-d947-4dfd-901b-b903f22851d0','drawer_garden_watering_ee158969e487c910b30b7f5e',10,'2026-11-30 09:08:30');
INSERT INTO embeddings VALUES(2,'6838c52a-d947-4dfd-901b-b903f22851d0','drawer_garden_watering_9d08338ab0f2e0f000eb1d34',2,'2026-11-30 09:08:30');
INSERT INTO embeddings VALUES(3,'6838c52a-d947-4dfd-901b-b903f22851d0','drawer_workshop_tools_5fb8e85ea96a3107f679a3af',3,'2026-11-30 09:08:30');
INSERT INTO embeddings VALUES(4,'6838c52a-d947-4dfd-901b-b903f22851d0','drawer_workshop_tools_6da3fc7c43681664d8a4cf82',4,'2026-11-30 09:08:31');
INSERT INTO embeddings VALUES(10,'6838c52a-d947-4dfd-901b-b903f22851d0','diary_wing_ana_20261130_090831360118_1ae18ec8fe84',13,'2026-11-30 09:08:31');
CREATE TABLE embedding_metadata (
    id INTEGER REFERENCES embeddings(id),
    key TEXT NOT NULL,
    string_value TEXT,
    int_value INTEGER,
    float_value REAL, bool_value INTEGER,
    PRIMARY KEY (id, key)
);
INSERT INTO embedding_metadata VALUES(1,'added_by','ana',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(1,'chroma:document','The greenhouse is watered at seven in the evening.',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(1,'chunk_index',NULL,0,NULL,NULL);
INSERT INTO embedding_metadata VALUES(1,'filed_at','2026-11-30T09:08:29.889591',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(1,'id_recipe','v3',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(1,'last_modified','2026-11-30T09:08:31.066798',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(1,'room','watering',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(1,'source_file','',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(1,'wing','garden',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(2,'added_by','ben',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(2,'chroma:document','The apple trees need water twice a week.',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(2,'chunk_index',NULL,0,NULL,NULL);
INSERT INTO embedding_metadata VALUES(2,'filed_at','2026-11-30T09:08:30.287477',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(2,'id_recipe','v3',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(2,'last_modified','2026-11-30T09:08:30.287477',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(2,'room','watering',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(2,'source_file','notes.md',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(2,'wing','garden',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(3,'added_by','ana',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(3,'chroma:document','The torque wrench is in the third drawer.',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(3,'chunk_index',NULL,0,NULL,NULL);
INSERT INTO embedding_metadata VALUES(3,'filed_at','2026-11-30T09:08:30.655946',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(3,'id_recipe','v3',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(3,'last_modified','2026-11-30T09:08:30.655946',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(3,'room','tools',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(3,'source_file','',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(3,'wing','workshop',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(4,'added_by','ana',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(4,'chroma:document','This drawer will be deleted.',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(4,'chunk_index',NULL,0,NULL,NULL);
INSERT INTO embedding_metadata VALUES(4,'filed_at','2026-11-30T09:08:30.901724',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(4,'id_recipe','v3',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(4,'last_modified','2026-11-30T09:08:30.901724',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(4,'room','tools',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(4,'source_file','',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(4,'wing','workshop',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(10,'agent','ana',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(10,'chroma:document','Today the pump failed.',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(10,'chunk_index',NULL,0,NULL,NULL);
INSERT INTO embedding_metadata VALUES(10,'date','2026-11-30',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(10,'filed_at','2026-11-30T09:08:31.360118',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(10,'hall','hall_diary',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(10,'last_modified','2026-11-30T09:08:31.360118',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(10,'room','diary',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(10,'topic','general',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(10,'type','diary_entry',NULL,NULL,NULL);
INSERT INTO embedding_metadata VALUES(10,'wing','wing_ana',NULL,NULL,NULL);
