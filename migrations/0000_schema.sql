CREATE TABLE `call_plates` (
	`id` blob NOT NULL,
	`position` integer NOT NULL,
	`plate_digest` blob NOT NULL,
	`outcome` text NOT NULL,
	PRIMARY KEY(`id`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `call_plates_by_plate` ON `call_plates` (`plate_digest`,`id`);--> statement-breakpoint
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
	`plate_digest` blob,
	`officer_reference` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `calls_whole` ON `calls` (`tenant`,`id`) WHERE "calls"."request" is not null;--> statement-breakpoint
CREATE INDEX `calls_by_plate` ON `calls` (`plate_digest`,`id`) WHERE "calls"."plate_digest" is not null;--> statement-breakpoint
CREATE TABLE `areas` (
	`id` integer PRIMARY KEY NOT NULL,
	`municipality_id` integer NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`area_type` text NOT NULL,
	`capacity` integer,
	`active` integer NOT NULL,
	`service_enabled` integer NOT NULL,
	`plate_control_enabled` integer NOT NULL,
	`subscription_access` integer NOT NULL,
	`entry_grace_minutes` integer NOT NULL,
	`exit_grace_minutes` integer NOT NULL,
	`latitude` real,
	`longitude` real,
	`offline_minutes` integer DEFAULT 720 NOT NULL,
	`address` text,
	`website` text,
	`price_note` text,
	`max_height_cm` integer,
	`disabled_spaces` integer,
	`charging_spaces` integer,
	`closed_until` integer,
	`paid_hours` text,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `areas_municipality_code` ON `areas` (`municipality_id`,`code`);--> statement-breakpoint
CREATE TABLE `municipalities` (
	`id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`time_zone` text NOT NULL,
	`active` integer NOT NULL,
	`plate_check_enabled` integer NOT NULL,
	`subscriptions_enabled` integer NOT NULL,
	`subscription_options_enabled` integer NOT NULL,
	`report_enabled` integer NOT NULL,
	`public_occupancy_enabled` integer DEFAULT false NOT NULL,
	`country` text DEFAULT 'IT' NOT NULL,
	`restoring` text,
	`past_since` integer DEFAULT 0 NOT NULL,
	`restored_at` integer DEFAULT 0 NOT NULL,
	`public_max_age_minutes` integer DEFAULT 60 NOT NULL,
	`holidays` text DEFAULT '[]' NOT NULL,
	`observation_minutes` integer DEFAULT 0 NOT NULL,
	`overstay_minutes` integer DEFAULT 0 NOT NULL,
	`data_protection_url` text,
	`accessibility_url` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `municipalities_code_unique` ON `municipalities` (`code`);--> statement-breakpoint
CREATE TABLE `plans` (
	`id` integer PRIMARY KEY NOT NULL,
	`municipality_id` integer NOT NULL,
	`subscription_type_id` integer NOT NULL,
	`code` text NOT NULL,
	`amount_cents` integer NOT NULL,
	`duration` text NOT NULL,
	`description` text NOT NULL,
	`for_first_activation` integer NOT NULL,
	`for_renewal` integer NOT NULL,
	`on_parking_meter` integer NOT NULL,
	`active` integer NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`subscription_type_id`) REFERENCES `subscription_types`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `plans_by_type` ON `plans` (`subscription_type_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `plans_municipality_code` ON `plans` (`municipality_id`,`code`);--> statement-breakpoint
CREATE TABLE `subscription_types` (
	`id` integer PRIMARY KEY NOT NULL,
	`municipality_id` integer NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`freely_sold` integer NOT NULL,
	`renewal_allowed` integer NOT NULL,
	`renewal_opens_days_before` integer,
	`sold_within_authorization` integer NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscription_types_municipality_code` ON `subscription_types` (`municipality_id`,`code`);--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` integer PRIMARY KEY NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`active` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenants_code_unique` ON `tenants` (`code`);--> statement-breakpoint
CREATE TABLE `credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant` text NOT NULL,
	`created_at` integer NOT NULL,
	`version` integer NOT NULL,
	`record` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `credentials_by_creation` ON `credentials` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `credentials_by_tenant` ON `credentials` (`tenant`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `erased_plates` (
	`municipality_id` integer NOT NULL,
	`digest` text NOT NULL,
	`erased_at` integer NOT NULL,
	PRIMARY KEY(`municipality_id`, `digest`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `erased_plates_by_time` ON `erased_plates` (`erased_at`);--> statement-breakpoint
CREATE TABLE `changes` (
	`municipality_id` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`request_id` blob NOT NULL,
	PRIMARY KEY(`municipality_id`, `recorded_at`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `configuration_versions` (
	`municipality_id` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`record` text NOT NULL,
	PRIMARY KEY(`municipality_id`, `recorded_at`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `payments` (
	`municipality_id` integer NOT NULL,
	`payment_id` text NOT NULL,
	`plate` text NOT NULL,
	`terminal_code` text,
	`plan_code` text NOT NULL,
	`amount_cents` integer NOT NULL,
	`expected_cents` integer,
	`collected_at` integer NOT NULL,
	`sent_collected_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`result_code` text NOT NULL,
	`operation` text,
	`subscription_id` integer,
	`starts_at` integer,
	`ends_at` integer,
	`reversed_at` integer,
	`reversal_reason` text,
	`reversal_recorded_at` integer,
	`settled_outcome` text,
	`settled_note` text,
	`settled_at` integer,
	PRIMARY KEY(`municipality_id`, `payment_id`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `payments_by_collection` ON `payments` (`municipality_id`,`collected_at`);--> statement-breakpoint
CREATE INDEX `payments_by_plate` ON `payments` (`municipality_id`,`plate`,`collected_at`);--> statement-breakpoint
CREATE INDEX `payments_by_subscription` ON `payments` (`subscription_id`,`starts_at`) WHERE "payments"."starts_at" is not null;--> statement-breakpoint
CREATE INDEX `payments_by_recording` ON `payments` (`municipality_id`,`recorded_at`);--> statement-breakpoint
CREATE INDEX `payments_by_reversal` ON `payments` (`municipality_id`,`reversal_recorded_at`) WHERE "payments"."reversal_recorded_at" is not null;--> statement-breakpoint
CREATE TABLE `parking_sessions` (
	`id` integer PRIMARY KEY NOT NULL,
	`municipality_id` integer NOT NULL,
	`source_code` text NOT NULL,
	`session_id` text NOT NULL,
	`area_id` integer NOT NULL,
	`plate` text NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer,
	`cancelled_at` integer,
	`revision` integer,
	`runs_until` integer GENERATED ALWAYS AS (coalesce("ends_at", 4503599627370496 + "starts_at")) VIRTUAL,
	`recorded_at` integer NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`municipality_id`,`source_code`) REFERENCES `sources`(`municipality_id`,`code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `parking_sessions_by_plate` ON `parking_sessions` (`municipality_id`,`plate`,`runs_until`);--> statement-breakpoint
CREATE INDEX `parking_sessions_by_end` ON `parking_sessions` (`municipality_id`,`runs_until`);--> statement-breakpoint
CREATE INDEX `parking_sessions_by_recording` ON `parking_sessions` (`municipality_id`,`recorded_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `parking_sessions_key` ON `parking_sessions` (`municipality_id`,`source_code`,`session_id`);--> statement-breakpoint
CREATE TABLE `past_parking_sessions` (
	`id` integer NOT NULL,
	`municipality_id` integer NOT NULL,
	`area_id` integer NOT NULL,
	`plate` text NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer,
	`cancelled_at` integer,
	`revision` integer,
	`recorded_at` integer NOT NULL,
	`replaced_at` integer NOT NULL,
	PRIMARY KEY(`id`, `replaced_at`),
	FOREIGN KEY (`id`) REFERENCES `parking_sessions`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `past_parking_sessions_by_plate` ON `past_parking_sessions` (`municipality_id`,`plate`,`recorded_at`);--> statement-breakpoint
CREATE INDEX `past_parking_sessions_by_time` ON `past_parking_sessions` (`municipality_id`,`replaced_at`);--> statement-breakpoint
CREATE INDEX `past_parking_sessions_by_recording` ON `past_parking_sessions` (`municipality_id`,`recorded_at`) WHERE "past_parking_sessions"."replaced_at" - "past_parking_sessions"."recorded_at" > 2592000000;--> statement-breakpoint
CREATE TABLE `imports` (
	`source_id` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`municipality_id` integer NOT NULL,
	`outcome` text NOT NULL,
	`succeeded_at` integer,
	`succeeded_before` integer,
	`is_kept` integer NOT NULL,
	PRIMARY KEY(`source_id`, `recorded_at`),
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `imports_by_time` ON `imports` (`municipality_id`,`recorded_at`);--> statement-breakpoint
CREATE TABLE `rejected_plates` (
	`id` integer PRIMARY KEY NOT NULL,
	`municipality_id` integer NOT NULL,
	`digest` text,
	`at` integer NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rejected_plates_by_digest` ON `rejected_plates` (`municipality_id`,`digest`,`at`);--> statement-breakpoint
CREATE INDEX `rejected_plates_by_time` ON `rejected_plates` (`at`);--> statement-breakpoint
CREATE TABLE `sources` (
	`id` integer PRIMARY KEY NOT NULL,
	`municipality_id` integer NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`category` text NOT NULL,
	`is_system` integer NOT NULL,
	`active` integer NOT NULL,
	`stale_after_minutes` integer NOT NULL,
	`report_delay_minutes` integer NOT NULL,
	`open_session_max_hours` integer NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sources_municipality_code` ON `sources` (`municipality_id`,`code`);--> statement-breakpoint
CREATE TABLE `past_subscription_plates` (
	`id` integer NOT NULL,
	`subscription_id` integer NOT NULL,
	`municipality_id` integer NOT NULL,
	`plate` text NOT NULL,
	`valid_from` integer,
	`valid_until` integer,
	`recorded_at` integer NOT NULL,
	`replaced_at` integer NOT NULL,
	PRIMARY KEY(`subscription_id`, `replaced_at`, `id`),
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `past_subscription_plates_by_plate` ON `past_subscription_plates` (`municipality_id`,`plate`,`subscription_id`);--> statement-breakpoint
CREATE INDEX `past_subscription_plates_by_time` ON `past_subscription_plates` (`municipality_id`,`replaced_at`);--> statement-breakpoint
CREATE INDEX `past_subscription_plates_by_recording` ON `past_subscription_plates` (`municipality_id`,`recorded_at`);--> statement-breakpoint
CREATE TABLE `past_subscriptions` (
	`id` integer NOT NULL,
	`municipality_id` integer NOT NULL,
	`type_id` integer NOT NULL,
	`approval` text NOT NULL,
	`authorized_from` integer,
	`authorized_until` integer,
	`areas` text,
	`suspended_from` integer,
	`suspended_until` integer,
	`revoked_at` integer,
	`periods` text NOT NULL,
	`revision` integer,
	`recorded_at` integer NOT NULL,
	`replaced_at` integer NOT NULL,
	PRIMARY KEY(`id`, `replaced_at`),
	FOREIGN KEY (`id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `past_subscriptions_by_time` ON `past_subscriptions` (`municipality_id`,`replaced_at`);--> statement-breakpoint
CREATE INDEX `past_subscriptions_by_recording` ON `past_subscriptions` (`municipality_id`,`recorded_at`);--> statement-breakpoint
CREATE TABLE `subscription_plates` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subscription_id` integer NOT NULL,
	`municipality_id` integer NOT NULL,
	`plate` text NOT NULL,
	`valid_from` integer,
	`valid_until` integer,
	`recorded_at` integer NOT NULL,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `subscription_plates_by_plate` ON `subscription_plates` (`municipality_id`,`plate`,`subscription_id`);--> statement-breakpoint
CREATE INDEX `subscription_plates_by_subscription` ON `subscription_plates` (`subscription_id`,`recorded_at`);--> statement-breakpoint
CREATE INDEX `subscription_plates_by_recording` ON `subscription_plates` (`municipality_id`,`recorded_at`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`municipality_id` integer NOT NULL,
	`subscription_number` text NOT NULL,
	`type_id` integer NOT NULL,
	`approval` text NOT NULL,
	`authorized_from` integer,
	`authorized_until` integer,
	`areas` text,
	`suspended_from` integer,
	`suspended_until` integer,
	`revoked_at` integer,
	`periods` text NOT NULL,
	`revision` integer,
	`recorded_at` integer NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `subscriptions_by_recording` ON `subscriptions` (`municipality_id`,`recorded_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_number` ON `subscriptions` (`municipality_id`,`subscription_number`);--> statement-breakpoint
-- The database keeps its own past: the version that an update replaces is copied. Only updates do so: deleting is for retention
-- and erasure. A migration that adds a column to one of these tables drops its trigger and creates it again.
CREATE TRIGGER `parking_sessions_past` AFTER UPDATE ON `parking_sessions` WHEN new.`recorded_at` <> old.`recorded_at`
BEGIN
  INSERT INTO `past_parking_sessions` (`id`, `municipality_id`, `area_id`, `plate`, `starts_at`, `ends_at`, `cancelled_at`, `revision`, `recorded_at`, `replaced_at`)
  VALUES (old.`id`, old.`municipality_id`, old.`area_id`, old.`plate`, old.`starts_at`, old.`ends_at`, old.`cancelled_at`, old.`revision`, old.`recorded_at`, new.`recorded_at`);
END;
--> statement-breakpoint
CREATE TRIGGER `subscriptions_past` AFTER UPDATE ON `subscriptions` WHEN new.`recorded_at` <> old.`recorded_at`
BEGIN
  INSERT INTO `past_subscriptions` (`id`, `municipality_id`, `type_id`, `approval`, `authorized_from`, `authorized_until`, `areas`, `suspended_from`, `suspended_until`, `revoked_at`, `periods`, `revision`, `recorded_at`, `replaced_at`)
  VALUES (old.`id`, old.`municipality_id`, old.`type_id`, old.`approval`, old.`authorized_from`, old.`authorized_until`, old.`areas`, old.`suspended_from`, old.`suspended_until`, old.`revoked_at`, old.`periods`, old.`revision`, old.`recorded_at`, new.`recorded_at`);
END;
--> statement-breakpoint
-- For people to query.
CREATE VIEW `logged_calls` AS
SELECT lower(substr(hex(`id`), 1, 8) || '-' || substr(hex(`id`), 9, 4) || '-' || substr(hex(`id`), 13, 4) || '-' || substr(hex(`id`), 17, 4) || '-' || substr(hex(`id`), 21)) AS `request_id`,
  `at`, `operation`, `credential_id`, `tenant`, `municipality_code`, `address`, `http_status`, `outcome`, `duration_ms`, `request`, `response`, `action`, `target`,
  iif(`plate_digest` IS NULL, NULL, lower(hex(`plate_digest`))) AS `plate_digest`, `officer_reference` FROM `calls`;
