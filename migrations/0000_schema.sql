CREATE TABLE `call_log_days` (
	`day` integer NOT NULL,
	`credential_id` text NOT NULL,
	`refused_calls` integer NOT NULL,
	`request_bytes` integer NOT NULL,
	PRIMARY KEY(`day`, `credential_id`)
);
--> statement-breakpoint
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
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "areas_code_length" CHECK(length("areas"."code") between 1 and 80),
	CONSTRAINT "areas_name_length" CHECK(length("areas"."name") between 1 and 200),
	CONSTRAINT "areas_type" CHECK("areas"."area_type" in ('street', 'facility')),
	CONSTRAINT "areas_capacity" CHECK("areas"."capacity" >= 0),
	CONSTRAINT "areas_entry_grace" CHECK("areas"."entry_grace_minutes" between 0 and 1440),
	CONSTRAINT "areas_exit_grace" CHECK("areas"."exit_grace_minutes" between 0 and 1440)
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
	`tenant_active` integer DEFAULT true NOT NULL,
	`public_occupancy_enabled` integer DEFAULT false NOT NULL,
	`country` text DEFAULT 'IT' NOT NULL,
	`restoring` integer DEFAULT false NOT NULL,
	`restored_at` integer,
	`past_since` integer DEFAULT 0 NOT NULL,
	`public_max_age_minutes` integer DEFAULT 60 NOT NULL,
	`holidays` text DEFAULT '[]' NOT NULL,
	`observation_minutes` integer DEFAULT 0 NOT NULL,
	`overstay_minutes` integer DEFAULT 0 NOT NULL,
	`data_protection_url` text,
	`accessibility_url` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "municipalities_code_length" CHECK(length("municipalities"."code") between 1 and 80),
	CONSTRAINT "municipalities_name_length" CHECK(length("municipalities"."name") between 1 and 200)
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
	FOREIGN KEY (`subscription_type_id`) REFERENCES `subscription_types`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "plans_code" CHECK("plans"."code" glob '[0-9][0-9][0-9]' and "plans"."code" <> '000'),
	CONSTRAINT "plans_amount" CHECK("plans"."amount_cents" between 1 and 999999),
	CONSTRAINT "plans_description" CHECK(length("plans"."description") between 1 and 20 and "plans"."description" not glob '*[^A-Z0-9 ]*')
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
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "subscription_types_code_length" CHECK(length("subscription_types"."code") between 1 and 80),
	CONSTRAINT "subscription_types_name_length" CHECK(length("subscription_types"."name") between 1 and 200),
	CONSTRAINT "subscription_types_renewal_opens" CHECK("subscription_types"."renewal_opens_days_before" >= 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscription_types_municipality_code` ON `subscription_types` (`municipality_id`,`code`);--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` integer PRIMARY KEY NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`active` integer NOT NULL,
	CONSTRAINT "tenants_code_length" CHECK(length("tenants"."code") between 1 and 80),
	CONSTRAINT "tenants_name_length" CHECK(length("tenants"."name") between 1 and 200)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenants_code_unique` ON `tenants` (`code`);--> statement-breakpoint
CREATE TABLE `credential_municipalities` (
	`credential_id` text NOT NULL,
	`municipality_id` integer NOT NULL,
	PRIMARY KEY(`credential_id`, `municipality_id`),
	FOREIGN KEY (`credential_id`) REFERENCES `credentials`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `credential_municipalities_by_municipality` ON `credential_municipalities` (`municipality_id`);--> statement-breakpoint
CREATE TABLE `credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`ip_allowlist` text,
	`expires_at` integer,
	`rate_limit` integer NOT NULL,
	`rate_window_seconds` integer NOT NULL,
	`historical_days_allowed` integer,
	`source_code` text,
	`areas` text,
	`overlap_ends_at` integer,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	`location` text,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "credentials_name_length" CHECK(length("credentials"."name") between 1 and 200),
	CONSTRAINT "credentials_rate_limit" CHECK("credentials"."rate_limit" between 1 and 10000),
	CONSTRAINT "credentials_rate_window" CHECK("credentials"."rate_window_seconds" between 1 and 3600),
	CONSTRAINT "credentials_historical_days" CHECK("credentials"."historical_days_allowed" >= 0)
);
--> statement-breakpoint
CREATE INDEX `credentials_by_creation` ON `credentials` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `credentials_by_tenant` ON `credentials` (`tenant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `erased_plates` (
	`id` integer PRIMARY KEY NOT NULL,
	`municipality_id` integer NOT NULL,
	`kind` text NOT NULL,
	`source_code` text NOT NULL,
	`key` text NOT NULL,
	`digest` text NOT NULL,
	`pseudonym` text,
	`guards_until` integer NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "erased_plates_kind" CHECK("erased_plates"."kind" in ('parking_session', 'subscription'))
);
--> statement-breakpoint
CREATE INDEX `erased_plates_by_city` ON `erased_plates` (`municipality_id`);--> statement-breakpoint
CREATE INDEX `erased_plates_by_end` ON `erased_plates` (`kind`,`guards_until`);--> statement-breakpoint
CREATE UNIQUE INDEX `erased_plates_digest` ON `erased_plates` (`municipality_id`,`kind`,`source_code`,`key`,`digest`);--> statement-breakpoint
CREATE TABLE `erasure_keys` (
	`digest` text NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`digest`, `key`)
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
CREATE TABLE `erasures_for_backups` (
	`digest` text PRIMARY KEY NOT NULL,
	`tenant` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `erasures_for_backups_by_tenant` ON `erasures_for_backups` (`tenant`,`at`);--> statement-breakpoint
CREATE INDEX `erasures_for_backups_by_at` ON `erasures_for_backups` (`at`);--> statement-breakpoint
CREATE TABLE `changes_by_day` (
	`day` integer NOT NULL,
	`tenant_id` integer NOT NULL,
	`changes` integer NOT NULL,
	PRIMARY KEY(`day`, `tenant_id`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `rejected_lines` (
	`municipality_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`source_code` text NOT NULL,
	`unremembered` integer NOT NULL,
	`unreadable` integer NOT NULL,
	`last_at` integer NOT NULL,
	PRIMARY KEY(`municipality_id`, `hour`, `source_code`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rejected_lines_by_last_at` ON `rejected_lines` (`last_at`);--> statement-breakpoint
CREATE TABLE `rejected_subscription_plates` (
	`municipality_id` integer NOT NULL,
	`digest` text NOT NULL,
	`at` integer NOT NULL,
	`opens_line` integer NOT NULL,
	PRIMARY KEY(`municipality_id`, `digest`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rejected_subscription_plates_by_at` ON `rejected_subscription_plates` (`at`);--> statement-breakpoint
CREATE INDEX `rejected_subscription_plates_by_city` ON `rejected_subscription_plates` (`municipality_id`,`at`,`opens_line`);--> statement-breakpoint
CREATE INDEX `rejected_subscription_plates_by_digest` ON `rejected_subscription_plates` (`digest`);--> statement-breakpoint
CREATE TABLE `changes` (
	`municipality_id` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`request_id` blob NOT NULL,
	`batch` integer NOT NULL,
	PRIMARY KEY(`municipality_id`, `recorded_at`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `changes_once` ON `changes` (`request_id`,`batch`,`municipality_id`) WHERE "changes"."batch" >= -1;--> statement-breakpoint
CREATE TABLE `configuration_versions` (
	`municipality_id` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`part` integer NOT NULL,
	`record` text NOT NULL,
	PRIMARY KEY(`municipality_id`, `recorded_at`, `part`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
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
	FOREIGN KEY (`id`) REFERENCES `parking_sessions`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `past_parking_sessions_by_plate` ON `past_parking_sessions` (`municipality_id`,`plate`,`recorded_at`);--> statement-breakpoint
CREATE INDEX `past_parking_sessions_by_time` ON `past_parking_sessions` (`municipality_id`,`replaced_at`);--> statement-breakpoint
CREATE TABLE `past_source_imports` (
	`source_id` integer NOT NULL,
	`municipality_id` integer NOT NULL,
	`last_finished_at` integer NOT NULL,
	`last_outcome` text NOT NULL,
	`last_successful_at` integer,
	`recorded_at` integer NOT NULL,
	`replaced_at` integer NOT NULL,
	PRIMARY KEY(`source_id`, `replaced_at`),
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `past_source_imports_by_time` ON `past_source_imports` (`municipality_id`,`replaced_at`);--> statement-breakpoint
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
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `past_subscription_plates_by_plate` ON `past_subscription_plates` (`municipality_id`,`plate`);--> statement-breakpoint
CREATE INDEX `past_subscription_plates_by_time` ON `past_subscription_plates` (`municipality_id`,`replaced_at`);--> statement-breakpoint
CREATE TABLE `past_subscriptions` (
	`id` integer NOT NULL,
	`municipality_id` integer NOT NULL,
	`record` text NOT NULL,
	`recorded_at` integer NOT NULL,
	`replaced_at` integer NOT NULL,
	PRIMARY KEY(`id`, `replaced_at`),
	FOREIGN KEY (`id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `past_subscriptions_by_time` ON `past_subscriptions` (`municipality_id`,`replaced_at`);--> statement-breakpoint
CREATE TABLE `payment_changes` (
	`municipality_id` integer NOT NULL,
	`payment_id` text NOT NULL,
	`change` text NOT NULL,
	`at` integer NOT NULL,
	`note` text,
	`outcome` text,
	`recorded_at` integer NOT NULL,
	`subscription_id` integer,
	`withdrawn_starts_at` integer,
	`withdrawn_ends_at` integer,
	PRIMARY KEY(`municipality_id`, `payment_id`, `change`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payment_changes_change" CHECK("payment_changes"."change" in ('reversed', 'settled')),
	CONSTRAINT "payment_changes_outcome" CHECK("payment_changes"."outcome" in ('refunded', 'corrected'))
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `payment_changes_by_recording` ON `payment_changes` (`municipality_id`,`recorded_at`);--> statement-breakpoint
CREATE INDEX `payment_changes_withdrawn` ON `payment_changes` (`subscription_id`) WHERE "payment_changes"."withdrawn_ends_at" is not null;--> statement-breakpoint
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
	`period_starts_at` integer,
	`period_ends_at` integer,
	PRIMARY KEY(`municipality_id`, `payment_id`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payments_id_length" CHECK(length("payments"."payment_id") between 1 and 65),
	CONSTRAINT "payments_plate_length" CHECK(length("payments"."plate") between 1 and 15),
	CONSTRAINT "payments_operation" CHECK("payments"."operation" in ('first_activation', 'renewal')),
	CONSTRAINT "payments_period" CHECK("payments"."period_ends_at" > "payments"."period_starts_at")
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `payments_by_collection` ON `payments` (`municipality_id`,`collected_at`);--> statement-breakpoint
CREATE INDEX `payments_by_plate` ON `payments` (`municipality_id`,`plate`,`collected_at`);--> statement-breakpoint
CREATE INDEX `payments_by_recording` ON `payments` (`municipality_id`,`recorded_at`);--> statement-breakpoint
CREATE TABLE `restores` (
	`municipality_id` integer PRIMARY KEY NOT NULL,
	`progress` text NOT NULL,
	`turn` text NOT NULL,
	`called_at` integer NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
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
	`runs_until` integer GENERATED ALWAYS AS (coalesce("ends_at", 9007199254740991)) VIRTUAL,
	`recorded_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`area_id`) REFERENCES `areas`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`municipality_id`,`source_code`) REFERENCES `sources`(`municipality_id`,`code`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "parking_sessions_id_length" CHECK(length("parking_sessions"."session_id") between 1 and 200),
	CONSTRAINT "parking_sessions_plate_length" CHECK(length("parking_sessions"."plate") between 1 and 15),
	CONSTRAINT "parking_sessions_ends_after_start" CHECK("parking_sessions"."ends_at" > "parking_sessions"."starts_at")
);
--> statement-breakpoint
CREATE INDEX `parking_sessions_by_plate` ON `parking_sessions` (`municipality_id`,`plate`,`runs_until`);--> statement-breakpoint
CREATE INDEX `parking_sessions_by_end` ON `parking_sessions` (`municipality_id`,`runs_until`,`starts_at`);--> statement-breakpoint
CREATE INDEX `parking_sessions_by_recording` ON `parking_sessions` (`municipality_id`,`recorded_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `parking_sessions_key` ON `parking_sessions` (`municipality_id`,`source_code`,`session_id`);--> statement-breakpoint
CREATE TABLE `rejected_plates` (
	`source_id` integer NOT NULL,
	`digest` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`source_id`, `digest`),
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `rejected_plates_by_at` ON `rejected_plates` (`at`);--> statement-breakpoint
CREATE INDEX `rejected_plates_by_source` ON `rejected_plates` (`source_id`,`at`);--> statement-breakpoint
CREATE INDEX `rejected_plates_by_digest` ON `rejected_plates` (`digest`);--> statement-breakpoint
CREATE TABLE `source_imports` (
	`source_id` integer PRIMARY KEY NOT NULL,
	`last_finished_at` integer NOT NULL,
	`last_outcome` text NOT NULL,
	`last_successful_at` integer,
	`last_request_id` text NOT NULL,
	`recorded_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "source_imports_outcome" CHECK("source_imports"."last_outcome" in ('succeeded', 'failed'))
);
--> statement-breakpoint
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
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sources_code_length" CHECK(length("sources"."code") between 1 and 80),
	CONSTRAINT "sources_name_length" CHECK(length("sources"."name") between 1 and 200),
	CONSTRAINT "sources_category_length" CHECK(length("sources"."category") between 1 and 80),
	CONSTRAINT "sources_stale_after" CHECK("sources"."stale_after_minutes" >= 1),
	CONSTRAINT "sources_report_delay" CHECK("sources"."report_delay_minutes" between 0 and 1440),
	CONSTRAINT "sources_open_session_max" CHECK("sources"."open_session_max_hours" >= 1)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sources_municipality_code` ON `sources` (`municipality_id`,`code`);--> statement-breakpoint
CREATE TABLE `subscription_areas` (
	`subscription_id` integer NOT NULL,
	`area_id` integer NOT NULL,
	PRIMARY KEY(`subscription_id`, `area_id`),
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`area_id`) REFERENCES `areas`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `subscription_periods` (
	`subscription_id` integer NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`covered_until` integer NOT NULL,
	`paid_by` text,
	PRIMARY KEY(`subscription_id`, `starts_at`),
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "subscription_periods_ends_after_start" CHECK("subscription_periods"."ends_at" > "subscription_periods"."starts_at"),
	CONSTRAINT "subscription_periods_covered" CHECK("subscription_periods"."covered_until" >= "subscription_periods"."ends_at")
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `subscription_plates` (
	`id` integer PRIMARY KEY NOT NULL,
	`subscription_id` integer NOT NULL,
	`municipality_id` integer NOT NULL,
	`plate` text NOT NULL,
	`valid_from` integer,
	`valid_until` integer,
	`recorded_at` integer DEFAULT 0 NOT NULL,
	`on_until` integer GENERATED ALWAYS AS (coalesce("valid_until", 9007199254740991)) VIRTUAL,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "subscription_plates_plate_length" CHECK(length("subscription_plates"."plate") between 1 and 15),
	CONSTRAINT "subscription_plates_valid" CHECK("subscription_plates"."valid_until" > "subscription_plates"."valid_from")
);
--> statement-breakpoint
CREATE INDEX `subscription_plates_by_plate` ON `subscription_plates` (`municipality_id`,`plate`,`subscription_id`);--> statement-breakpoint
CREATE INDEX `subscription_plates_by_end` ON `subscription_plates` (`municipality_id`,`plate`,`on_until`,`valid_from`,`subscription_id`);--> statement-breakpoint
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
	`all_areas` integer NOT NULL,
	`suspended_from` integer,
	`suspended_until` integer,
	`revoked_at` integer,
	`revision` integer,
	`changed_at` integer,
	`recorded_at` integer DEFAULT 0 NOT NULL,
	`last_period_ends_at` integer,
	`over_at` integer GENERATED ALWAYS AS (min(
      coalesce(max("authorized_until", coalesce("last_period_ends_at", "authorized_until")), "last_period_ends_at", "changed_at", 9007199254740991),
      coalesce("revoked_at", 9007199254740991),
      iif("approval" = 'rejected', coalesce("changed_at", 9007199254740991), 9007199254740991))) VIRTUAL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `subscription_types`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "subscriptions_number_length" CHECK(length("subscriptions"."subscription_number") between 1 and 200),
	CONSTRAINT "subscriptions_approval" CHECK("subscriptions"."approval" in ('approved', 'pending', 'rejected')),
	CONSTRAINT "subscriptions_authorized" CHECK("subscriptions"."authorized_until" > "subscriptions"."authorized_from"),
	CONSTRAINT "subscriptions_suspended" CHECK("subscriptions"."suspended_until" > "subscriptions"."suspended_from"),
	CONSTRAINT "subscriptions_suspended_from_somewhen" CHECK("subscriptions"."suspended_until" is null or "subscriptions"."suspended_from" is not null)
);
--> statement-breakpoint
CREATE INDEX `subscriptions_by_recording` ON `subscriptions` (`municipality_id`,`recorded_at`);--> statement-breakpoint
CREATE INDEX `subscriptions_by_change` ON `subscriptions` (`municipality_id`,`changed_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_number` ON `subscriptions` (`municipality_id`,`subscription_number`);--> statement-breakpoint
-- A municipality repeats whether its tenant is active: every way to change either keeps the two equal. A migration that
-- rebuilds a table drops its triggers and must create them again.
CREATE TRIGGER `municipalities_tenant_active_on_tenant` AFTER UPDATE OF `active` ON `tenants`
WHEN new.`active` <> old.`active`
BEGIN
  UPDATE `municipalities` SET `tenant_active` = new.`active` WHERE `tenant_id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `municipalities_tenant_active_on_insert` AFTER INSERT ON `municipalities`
BEGIN
  UPDATE `municipalities` SET `tenant_active` = (SELECT `active` FROM `tenants` WHERE `id` = new.`tenant_id`)
  WHERE `id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `municipalities_tenant_active_on_update` AFTER UPDATE OF `tenant_id` ON `municipalities`
WHEN new.`tenant_id` <> old.`tenant_id`
BEGIN
  UPDATE `municipalities` SET `tenant_active` = (SELECT `active` FROM `tenants` WHERE `id` = new.`tenant_id`)
  WHERE `id` = new.`id`;
END;
--> statement-breakpoint
-- For people to query.
CREATE VIEW `logged_calls` AS
SELECT lower(substr(hex(`id`), 1, 8) || '-' || substr(hex(`id`), 9, 4) || '-' || substr(hex(`id`), 13, 4) || '-' || substr(hex(`id`), 17, 4) || '-' || substr(hex(`id`), 21)) AS `request_id`,
  `at`, `operation`, `credential_id`, `tenant`, `municipality_code`, `address`, `http_status`, `outcome`, `duration_ms`, `request`, `response`, `action`, `target`,
  iif(`plate_digest` IS NULL, NULL, lower(hex(`plate_digest`))) AS `plate_digest`, `officer_reference` FROM `calls`;
