CREATE TABLE `erasure_keys` (
	`digest` text NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`digest`, `key`)
);
--> statement-breakpoint
ALTER TABLE `erased_plates` ADD `guards_until` integer;--> statement-breakpoint
CREATE INDEX `erased_plates_by_end` ON `erased_plates` (`kind`,`guards_until`);