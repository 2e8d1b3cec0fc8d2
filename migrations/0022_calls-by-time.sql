CREATE TABLE `calls` (
	`id` blob PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`operation` text NOT NULL,
	`credential_id` text,
	`tenant` text,
	`municipality_code` text,
	`address` text,
	`http_status` integer NOT NULL,
	`outcome` text NOT NULL,
	`duration_ms` integer NOT NULL,
	`request` text,
	`response` text,
	`action` text,
	`target` text,
	`plate_digest` blob
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `calls_whole` ON `calls` (`tenant`,`id`) WHERE "calls"."request" is not null;--> statement-breakpoint
CREATE INDEX `calls_by_plate` ON `calls` (`plate_digest`,`id`) WHERE "calls"."plate_digest" is not null;--> statement-breakpoint
-- What both tables of calls hold, for people to look at.
CREATE VIEW `logged_calls` AS
SELECT lower(substr(hex(`id`), 1, 8) || '-' || substr(hex(`id`), 9, 4) || '-' || substr(hex(`id`), 13, 4) || '-' || substr(hex(`id`), 17, 4) || '-' || substr(hex(`id`), 21)) AS `request_id`,
  `at`, `operation`, `credential_id`, `tenant`, `municipality_code`, `address`, `http_status`, `outcome`, `duration_ms`, `request`, `response`, `action`, `target`,
  iif(`plate_digest` IS NULL, NULL, lower(hex(`plate_digest`))) AS `plate_digest` FROM `calls`
UNION ALL
SELECT `request_id`, `at`, `operation`, `credential_id`, `tenant`, `municipality_code`, `address`, `http_status`, `outcome`, `duration_ms`, `request`, `response`, `action`, `target`, `plate_digest` FROM `call_log`;
--> statement-breakpoint
UPDATE `schema_state` SET `number` = 22;
