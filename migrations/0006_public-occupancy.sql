ALTER TABLE `areas` ADD `latitude` real;--> statement-breakpoint
ALTER TABLE `areas` ADD `longitude` real;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `public_occupancy_enabled` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `country` text DEFAULT 'IT' NOT NULL;