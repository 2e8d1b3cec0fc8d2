ALTER TABLE `municipalities` ADD `tenant_active` integer DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX `plans_by_type` ON `plans` (`subscription_type_id`);