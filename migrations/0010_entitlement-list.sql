ALTER TABLE `areas` ADD `offline_minutes` integer DEFAULT 720 NOT NULL;--> statement-breakpoint
ALTER TABLE `journal` ADD `came_with` integer;--> statement-breakpoint
ALTER TABLE `journal_retention` ADD `gone_up_to_sequence` integer DEFAULT 0 NOT NULL;