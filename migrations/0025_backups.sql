CREATE TABLE `erasures_for_backups` (
	`digest` text PRIMARY KEY NOT NULL,
	`tenant` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `erasures_for_backups_by_tenant` ON `erasures_for_backups` (`tenant`,`at`);--> statement-breakpoint
CREATE INDEX `erasures_for_backups_by_at` ON `erasures_for_backups` (`at`);--> statement-breakpoint
ALTER TABLE `moves` ADD `restore` text;--> statement-breakpoint
UPDATE `schema_state` SET `number` = 25;
