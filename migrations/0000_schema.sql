CREATE TABLE `call_log` (
	`request_id` text PRIMARY KEY NOT NULL,
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
	`response` text
);
--> statement-breakpoint
CREATE INDEX `call_log_by_at` ON `call_log` (`at`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `plans_municipality_code` ON `plans` (`municipality_id`,`code`);--> statement-breakpoint
CREATE TABLE `subscription_types` (
	`id` integer PRIMARY KEY NOT NULL,
	`municipality_id` integer NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`freely_sold` integer NOT NULL,
	`renewal_allowed` integer NOT NULL,
	`renewal_opens_days_before` integer,
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
	`access_token_hash` text NOT NULL,
	`api_key_hash` text NOT NULL,
	`previous_pairs` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "credentials_name_length" CHECK(length("credentials"."name") between 1 and 200),
	CONSTRAINT "credentials_rate_limit" CHECK("credentials"."rate_limit" between 1 and 10000),
	CONSTRAINT "credentials_rate_window" CHECK("credentials"."rate_window_seconds" between 1 and 3600),
	CONSTRAINT "credentials_historical_days" CHECK("credentials"."historical_days_allowed" >= 0)
);
--> statement-breakpoint
CREATE INDEX `credentials_by_tenant` ON `credentials` (`tenant_id`);--> statement-breakpoint
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
CREATE UNIQUE INDEX `parking_sessions_key` ON `parking_sessions` (`municipality_id`,`source_code`,`session_id`);--> statement-breakpoint
CREATE TABLE `source_imports` (
	`source_id` integer PRIMARY KEY NOT NULL,
	`last_finished_at` integer NOT NULL,
	`last_outcome` text NOT NULL,
	`last_successful_at` integer,
	`last_request_id` text NOT NULL,
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
	`open_session_max_hours` integer NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sources_code_length" CHECK(length("sources"."code") between 1 and 80),
	CONSTRAINT "sources_name_length" CHECK(length("sources"."name") between 1 and 200),
	CONSTRAINT "sources_category_length" CHECK(length("sources"."category") between 1 and 80),
	CONSTRAINT "sources_stale_after" CHECK("sources"."stale_after_minutes" >= 1),
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
	PRIMARY KEY(`subscription_id`, `starts_at`),
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "subscription_periods_ends_after_start" CHECK("subscription_periods"."ends_at" > "subscription_periods"."starts_at")
);
--> statement-breakpoint
CREATE TABLE `subscription_plates` (
	`id` integer PRIMARY KEY NOT NULL,
	`subscription_id` integer NOT NULL,
	`municipality_id` integer NOT NULL,
	`plate` text NOT NULL,
	`valid_from` integer,
	`valid_until` integer,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "subscription_plates_plate_length" CHECK(length("subscription_plates"."plate") between 1 and 15),
	CONSTRAINT "subscription_plates_valid" CHECK("subscription_plates"."valid_until" > "subscription_plates"."valid_from")
);
--> statement-breakpoint
CREATE INDEX `subscription_plates_by_plate` ON `subscription_plates` (`municipality_id`,`plate`,`subscription_id`);--> statement-breakpoint
CREATE INDEX `subscription_plates_by_subscription` ON `subscription_plates` (`subscription_id`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`id` integer PRIMARY KEY NOT NULL,
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
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `subscription_types`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "subscriptions_number_length" CHECK(length("subscriptions"."subscription_number") between 1 and 200),
	CONSTRAINT "subscriptions_approval" CHECK("subscriptions"."approval" in ('approved', 'pending', 'rejected')),
	CONSTRAINT "subscriptions_authorized" CHECK("subscriptions"."authorized_until" > "subscriptions"."authorized_from"),
	CONSTRAINT "subscriptions_suspended" CHECK("subscriptions"."suspended_until" > "subscriptions"."suspended_from"),
	CONSTRAINT "subscriptions_suspended_from_somewhen" CHECK("subscriptions"."suspended_until" is null or "subscriptions"."suspended_from" is not null)
);
--> statement-breakpoint
CREATE INDEX `subscriptions_by_end` ON `subscriptions` (`authorized_until`);--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_number` ON `subscriptions` (`municipality_id`,`subscription_number`);