CREATE TABLE `call_plates` (
	`id` blob NOT NULL,
	`position` integer NOT NULL,
	`plate_digest` blob NOT NULL,
	`outcome` text NOT NULL,
	PRIMARY KEY(`id`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `call_plates_by_plate` ON `call_plates` (`plate_digest`,`id`);--> statement-breakpoint
CREATE TABLE `rejected_plates` (
	`source_id` integer NOT NULL,
	`digest` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`source_id`, `digest`),
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `rejected_plates_by_at` ON `rejected_plates` (`at`);--> statement-breakpoint
CREATE INDEX `rejected_plates_by_digest` ON `rejected_plates` (`digest`);--> statement-breakpoint
CREATE TABLE `source_delays` (
	`source_id` integer NOT NULL,
	`day` integer NOT NULL,
	`step` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`source_id`, `day`, `step`),
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `calls` ADD `officer_reference` text;--> statement-breakpoint
ALTER TABLE `areas` ADD `paid_hours` text;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `holidays` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `observation_minutes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `overstay_minutes` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
DROP VIEW `logged_calls`;--> statement-breakpoint
-- What both tables of calls hold, for people to look at.
CREATE VIEW `logged_calls` AS
SELECT lower(substr(hex(`id`), 1, 8) || '-' || substr(hex(`id`), 9, 4) || '-' || substr(hex(`id`), 13, 4) || '-' || substr(hex(`id`), 17, 4) || '-' || substr(hex(`id`), 21)) AS `request_id`,
  `at`, `operation`, `credential_id`, `tenant`, `municipality_code`, `address`, `http_status`, `outcome`, `duration_ms`, `request`, `response`, `action`, `target`,
  iif(`plate_digest` IS NULL, NULL, lower(hex(`plate_digest`))) AS `plate_digest`, `officer_reference` FROM `calls`
UNION ALL
SELECT `request_id`, `at`, `operation`, `credential_id`, `tenant`, `municipality_code`, `address`, `http_status`, `outcome`, `duration_ms`, `request`, `response`, `action`, `target`, `plate_digest`, NULL FROM `call_log`;
--> statement-breakpoint
UPDATE `schema_state` SET `number` = 24;
