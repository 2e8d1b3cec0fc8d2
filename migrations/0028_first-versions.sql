ALTER TABLE `journal` ADD `first_at` integer;--> statement-breakpoint
ALTER TABLE `journal` ADD `first_by` blob;--> statement-breakpoint
ALTER TABLE `journal` ADD `first_record` text;--> statement-breakpoint
CREATE INDEX `journal_first_versions` ON `journal` (`municipality_id`,`plate`) WHERE "journal"."first_at" is not null and "journal"."plate" is not null;--> statement-breakpoint
ALTER TABLE `parking_sessions` ADD `known_at` integer;--> statement-breakpoint
ALTER TABLE `parking_sessions` ADD `known_by` blob;--> statement-breakpoint
-- From here on a new session on a street says itself what it was stored as. The first who writes one raises the lowest writer.
UPDATE `schema_state` SET `number` = 28;
