CREATE TABLE `moves` (
	`municipality_id` integer PRIMARY KEY NOT NULL,
	`from_database` text NOT NULL,
	`to_database` text NOT NULL,
	`progress` text NOT NULL,
	`turn` text,
	`is_stale` integer NOT NULL,
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `municipalities` ADD `moved_to` text;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `arriving` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `lived_in` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `municipalities` ADD `writes_stopped_until` integer;