-- What a subscription's plates share stands in a shared row, which has no plate, right before the rows of its plates: it goes with
-- the last of these. A record that is a plate's own entries alone begins with a list in a list. A table that a later
-- migration makes anew loses its triggers: make them anew there.
CREATE TRIGGER `journal_shared_row` AFTER DELETE ON `journal`
WHEN old.`kind` = 'subscription' AND old.`plate` IS NOT NULL
BEGIN
  DELETE FROM `journal` WHERE `sequence` = (
    SELECT `shared`.`sequence` FROM `journal` AS `shared` INDEXED BY `journal_by_title`
    WHERE `shared`.`municipality_id` = old.`municipality_id` AND `shared`.`kind` = 'subscription' AND `shared`.`key` = old.`key`
      AND `shared`.`plate` IS NULL AND `shared`.`sequence` < old.`sequence`
    ORDER BY `shared`.`sequence` DESC LIMIT 1
  ) AND coalesce((
    SELECT substr(`next`.`record`, 1, 2) FROM `journal` AS `next` INDEXED BY `journal_by_key`
    WHERE `next`.`municipality_id` = old.`municipality_id` AND `next`.`source_code` IS NULL AND `next`.`key` = old.`key`
      AND `next`.`kind` = 'subscription' AND `next`.`sequence` > `journal`.`sequence`
    ORDER BY `next`.`sequence` LIMIT 1
  ), '') <> '[[';
END;
--> statement-breakpoint
-- From here on rows of a subscription's plates may rest on a shared row. The first who writes one raises the lowest writer.
UPDATE `schema_state` SET `number` = 29;
