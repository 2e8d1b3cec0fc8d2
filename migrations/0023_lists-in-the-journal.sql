-- From here on the journal's records of sessions and subscriptions are lists. The first who writes one raises the lowest writer.
UPDATE `schema_state` SET `number` = 23;
