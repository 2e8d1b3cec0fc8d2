ALTER TABLE `areas` ADD `address` text;--> statement-breakpoint
ALTER TABLE `areas` ADD `website` text;--> statement-breakpoint
ALTER TABLE `areas` ADD `price_note` text;--> statement-breakpoint
ALTER TABLE `areas` ADD `max_height_cm` integer;--> statement-breakpoint
ALTER TABLE `areas` ADD `disabled_spaces` integer;--> statement-breakpoint
ALTER TABLE `areas` ADD `charging_spaces` integer;--> statement-breakpoint
ALTER TABLE `areas` ADD `closed_until` integer;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `public_max_age_minutes` integer DEFAULT 60 NOT NULL;--> statement-breakpoint
UPDATE `schema_state` SET `number` = 21;
