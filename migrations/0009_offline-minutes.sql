ALTER TABLE `areas` ADD `offline_minutes` integer DEFAULT 720 NOT NULL;--> statement-breakpoint
ALTER TABLE `journal` ADD `came_with` integer;