CREATE TABLE history (
                        id           TEXT PRIMARY KEY,
                        memory_id    TEXT,
                        old_memory   TEXT,
                        new_memory   TEXT,
                        event        TEXT,
                        created_at   DATETIME,
                        updated_at   DATETIME,
                        is_deleted   INTEGER,
                        actor_id     TEXT,
                        role         TEXT
                    );
INSERT INTO history VALUES('9ce6c099-d28e-43cd-9afb-20552352c28b','0904bad3-48a3-4a3b-8849-66f5e33d92c2',NULL,'The staging database listens on port 5433.','ADD','2026-11-30T09:01:35.929846+00:00','2026-11-30T09:01:35.929846+00:00',0,NULL,'user');
INSERT INTO history VALUES('d1f8768f-da84-49f8-a20b-be4cd7d48b89','84b3a3c4-24b5-4284-a23f-efe6a96cafa6',NULL,'Ana prefers answers in German.','ADD','2026-11-30T09:01:35.989909+00:00','2026-11-30T09:01:35.989909+00:00',0,NULL,'user');
INSERT INTO history VALUES('e5be8377-5252-4606-bfec-76f21cf27ff2','805b0108-614e-442c-820e-08f743e09994',NULL,'The office is closed on Fridays.','ADD','2026-11-30T09:01:36.040945+00:00','2026-11-30T09:01:36.040945+00:00',0,NULL,'user');
INSERT INTO history VALUES('309a75e0-3f50-4c9f-93c8-305d05356bf8','f9c76538-d704-4c35-a679-f0eceeef3c63',NULL,'Ben''s badge number is 4711.','ADD','2026-11-30T09:01:36.248698+00:00','2026-11-30T09:01:36.248698+00:00',0,NULL,'user');
INSERT INTO history VALUES('3b1fbcaf-5f30-4efd-af16-abf024acbdba','753a96f7-0086-4a51-bcff-1204d64049e8',NULL,'The quarterly report is due on 15 March 2026.','ADD','2026-11-30T09:01:36.334253+00:00','2026-11-30T09:01:36.334253+00:00',0,NULL,'user');
INSERT INTO history VALUES('6053844f-bb6e-406c-b28f-0ac75f586e7b','12398508-f08a-4da8-92b5-994ad12f6133',NULL,'Deployments freeze from 20 December to 5 January.','ADD','2026-11-30T09:01:36.425898+00:00','2026-11-30T09:01:36.425898+00:00',0,NULL,'user');
INSERT INTO history VALUES('58604908-0536-4353-99ab-ffeb31cd57c7','38e40006-c261-4636-af90-3ed1a0b3cb69',NULL,'I moved to Lisbon.','ADD','2026-11-30T09:01:36.518065+00:00','2026-11-30T09:01:36.518065+00:00',0,'cho','user');
INSERT INTO history VALUES('57a890b7-2e18-4452-b9c3-07da42b5d0ed','7fc5b4fd-0de9-4e23-931f-e57a72ea37ff',NULL,'Noted.','ADD','2026-11-30T09:01:36.618690+00:00','2026-11-30T09:01:36.618690+00:00',0,NULL,'assistant');
INSERT INTO history VALUES('72e24651-842f-432a-ad7a-b8df392e1231','0904bad3-48a3-4a3b-8849-66f5e33d92c2','The staging database listens on port 5433.','The staging database listens on port 5544.','UPDATE','2026-11-30T09:01:35.929846+00:00','2026-11-30T09:01:36.699336+00:00',0,NULL,'user');
INSERT INTO history VALUES('ec14fe61-f996-4b9e-b7c4-07e725b41e5b','0904bad3-48a3-4a3b-8849-66f5e33d92c2','The staging database listens on port 5544.','The staging database listens on port 6000.','UPDATE','2026-11-30T09:01:35.929846+00:00','2026-11-30T09:01:36.797730+00:00',0,NULL,'user');
INSERT INTO history VALUES('e97a1395-8c19-4e83-95fc-8af31770421e','805b0108-614e-442c-820e-08f743e09994','The office is closed on Fridays.','The office is closed on Mondays.','UPDATE','2026-11-30T09:01:36.040945+00:00','2026-11-30T09:01:36.883446+00:00',0,NULL,'user');
INSERT INTO history VALUES('81faa16f-8144-4445-b96a-21acc09e3f10','f9c76538-d704-4c35-a679-f0eceeef3c63','Ben''s badge number is 4711.',NULL,'DELETE','2026-11-30T09:01:36.248698+00:00','2026-11-30T09:01:36.932216+00:00',1,NULL,'user');
INSERT INTO history VALUES('1e0a6779-a2e3-4109-822f-e4a515f246e0','affcee14-36e7-4675-9b78-b76b1c7e76a9',NULL,'The trial licence runs.','ADD','2026-11-30T09:01:36.990448+00:00','2026-11-30T09:01:36.990448+00:00',0,NULL,'user');
