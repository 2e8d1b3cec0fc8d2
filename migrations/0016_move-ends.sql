ALTER TABLE `moves` ADD `state` text DEFAULT 'moving' NOT NULL;--> statement-breakpoint
ALTER TABLE `moves` ADD `ended_at` integer;