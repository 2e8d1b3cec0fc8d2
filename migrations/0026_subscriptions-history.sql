CREATE INDEX `journal_by_title` ON `journal` (`municipality_id`,`key`,`plate`) WHERE "journal"."kind" = 'subscription';--> statement-breakpoint
UPDATE `schema_state` SET `number` = 26;
