CREATE TABLE `reconciliation` (
	`id` integer PRIMARY KEY NOT NULL,
	`after_credential_id` text NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "reconciliation_one_row" CHECK("reconciliation"."id" = 1)
);
--> statement-breakpoint
DROP INDEX `credentials_by_tenant`;--> statement-breakpoint
CREATE INDEX `credentials_by_creation` ON `credentials` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `credentials_by_tenant` ON `credentials` (`tenant_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `call_log` ADD `action` text;--> statement-breakpoint
ALTER TABLE `call_log` ADD `target` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `revision` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `changed_at` integer;--> statement-breakpoint
CREATE INDEX `subscriptions_by_revocation` ON `subscriptions` (`revoked_at`) WHERE "subscriptions"."revoked_at" is not null;--> statement-breakpoint
CREATE INDEX `subscriptions_rejected` ON `subscriptions` (`changed_at`) WHERE "subscriptions"."approval" = 'rejected';--> statement-breakpoint
CREATE INDEX `credential_municipalities_by_municipality` ON `credential_municipalities` (`municipality_id`);--> statement-breakpoint
CREATE INDEX `parking_sessions_by_cancellation` ON `parking_sessions` (`cancelled_at`) WHERE "parking_sessions"."cancelled_at" is not null;