CREATE TABLE `anonymizations` (
	`municipality_id` integer PRIMARY KEY NOT NULL,
	`ended_up_to` integer NOT NULL,
	`open_up_to` integer NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `erased_plates` (
	`id` integer PRIMARY KEY NOT NULL,
	`municipality_id` integer NOT NULL,
	`kind` text NOT NULL,
	`source_code` text NOT NULL,
	`key` text NOT NULL,
	`digest` text NOT NULL,
	`pseudonym` text,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "erased_plates_kind" CHECK("erased_plates"."kind" in ('parking_session', 'subscription'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `erased_plates_digest` ON `erased_plates` (`municipality_id`,`kind`,`source_code`,`key`,`digest`);--> statement-breakpoint
CREATE TABLE `erasures` (
	`digest` text PRIMARY KEY NOT NULL,
	`pseudonym` text NOT NULL,
	`calls_up_to` integer NOT NULL,
	`calls_after_id` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `call_log_whole` ON `call_log` (`tenant`,`at`) WHERE "call_log"."request" is not null;--> statement-breakpoint
CREATE INDEX `parking_sessions_cancelled_with_plate` ON `parking_sessions` (`cancelled_at`) WHERE "parking_sessions"."cancelled_at" is not null and "parking_sessions"."plate" >= '0';