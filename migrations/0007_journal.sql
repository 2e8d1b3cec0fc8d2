CREATE TABLE `journal` (
	`sequence` integer PRIMARY KEY NOT NULL,
	`stamp` integer DEFAULT (random() & 9007199254740991) NOT NULL,
	`municipality_id` integer NOT NULL,
	`kind` text NOT NULL,
	`recorded_at` integer NOT NULL,
	`request_id` text,
	`source_code` text,
	`key` text,
	`plate` text,
	`area_id` integer,
	`left_area_id` integer,
	`record` text,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "journal_kind" CHECK("journal"."kind" in ('parking_session', 'subscription', 'configuration', 'import'))
);
--> statement-breakpoint
CREATE INDEX `journal_by_plate` ON `journal` (`municipality_id`,`plate`) WHERE "journal"."plate" is not null;--> statement-breakpoint
CREATE INDEX `journal_by_key` ON `journal` (`municipality_id`,`source_code`,`key`) WHERE "journal"."key" is not null;--> statement-breakpoint
CREATE INDEX `journal_by_time` ON `journal` (`municipality_id`,`kind`,`source_code`,`recorded_at`) WHERE "journal"."key" is null;--> statement-breakpoint
CREATE INDEX `journal_by_area` ON `journal` (`area_id`) WHERE "journal"."area_id" is not null;--> statement-breakpoint
CREATE INDEX `journal_by_left_area` ON `journal` (`left_area_id`) WHERE "journal"."left_area_id" is not null;--> statement-breakpoint
CREATE INDEX `journal_by_subscription` ON `journal` (`municipality_id`) WHERE "journal"."kind" = 'subscription';--> statement-breakpoint
CREATE UNIQUE INDEX `journal_import_once` ON `journal` (`request_id`) WHERE "journal"."kind" = 'import';--> statement-breakpoint
CREATE TABLE `journal_retention` (
	`id` integer PRIMARY KEY NOT NULL,
	`after_sequence` integer NOT NULL,
	`up_to_sequence` integer NOT NULL,
	CONSTRAINT "journal_retention_one_row" CHECK("journal_retention"."id" = 1)
);
--> statement-breakpoint
ALTER TABLE `call_log` ADD `plate_digest` text;--> statement-breakpoint
CREATE INDEX `call_log_by_plate` ON `call_log` (`plate_digest`,`at`) WHERE "call_log"."plate_digest" is not null;