ALTER TABLE `municipalities` ADD `data_protection_url` text;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `accessibility_url` text;--> statement-breakpoint
UPDATE `schema_state` SET `number` = 1;
