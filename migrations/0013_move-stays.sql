ALTER TABLE `municipalities` ADD `stay` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `moves` ADD `stay` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `moves` ADD `begun_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `moves` ADD `erasures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `moves` ADD `stops` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `moves` ADD `stops_since` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `moves` DROP COLUMN `is_stale`;--> statement-breakpoint
-- A move that is under way leads to the first stay that is counted.
UPDATE `moves` SET `stay` = 1;--> statement-breakpoint
UPDATE `municipalities` SET `stay` = 1 WHERE `arriving` OR (`moved_to` IS NULL AND EXISTS (
  SELECT 1 FROM `moves` WHERE `municipality_id` = `municipalities`.`id` AND `progress` ->> 'step' = 'clean'));
