CREATE TABLE `erased_plates` (
	`municipality_id` integer NOT NULL,
	`kind` text NOT NULL,
	`source_code` text NOT NULL,
	`key` text NOT NULL,
	`digest` text NOT NULL,
	`pseudonym` text,
	PRIMARY KEY(`municipality_id`, `kind`, `source_code`, `key`, `digest`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "erased_plates_kind" CHECK("erased_plates"."kind" in ('parking_session', 'subscription'))
);
--> statement-breakpoint
CREATE TABLE `erasures` (
	`digest` text PRIMARY KEY NOT NULL,
	`pseudonym` text NOT NULL,
	`calls_up_to` integer NOT NULL,
	`calls_after_id` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `call_log_whole` ON `call_log` (`tenant`,`at`) WHERE "call_log"."request" is not null;