CREATE TABLE `changes_by_day` (
	`day` integer NOT NULL,
	`tenant_id` integer NOT NULL,
	`changes` integer NOT NULL,
	PRIMARY KEY(`day`, `tenant_id`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `tenants` ADD `daily_changes` integer DEFAULT 2000000;