ALTER TABLE `municipalities` ADD `moved_to` text;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `arriving` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `writes_stopped_until` integer;