CREATE TABLE `rejected_lines` (
	`municipality_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`source_code` text NOT NULL,
	`unremembered` integer NOT NULL,
	`unreadable` integer NOT NULL,
	`last_at` integer NOT NULL,
	PRIMARY KEY(`municipality_id`, `hour`, `source_code`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rejected_lines_by_last_at` ON `rejected_lines` (`last_at`);--> statement-breakpoint
CREATE TABLE `rejected_subscription_plates` (
	`municipality_id` integer NOT NULL,
	`digest` text NOT NULL,
	`at` integer NOT NULL,
	`opens_line` integer NOT NULL,
	PRIMARY KEY(`municipality_id`, `digest`),
	FOREIGN KEY (`municipality_id`) REFERENCES `municipalities`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rejected_subscription_plates_by_at` ON `rejected_subscription_plates` (`at`);--> statement-breakpoint
CREATE INDEX `rejected_subscription_plates_by_city` ON `rejected_subscription_plates` (`municipality_id`,`at`,`opens_line`);--> statement-breakpoint
CREATE INDEX `rejected_subscription_plates_by_digest` ON `rejected_subscription_plates` (`digest`);--> statement-breakpoint
CREATE INDEX `rejected_plates_by_source` ON `rejected_plates` (`source_id`,`at`);--> statement-breakpoint
-- An erasure deletes a plate's digests from both tables in one statement: it has no more for each database.
CREATE VIEW `rejected_digests` AS
SELECT `digest` FROM `rejected_plates` UNION ALL SELECT `digest` FROM `rejected_subscription_plates`;
--> statement-breakpoint
CREATE TRIGGER `rejected_digests_deleted` INSTEAD OF DELETE ON `rejected_digests` BEGIN
  DELETE FROM `rejected_plates` WHERE `digest` = OLD.`digest`;
  DELETE FROM `rejected_subscription_plates` WHERE `digest` = OLD.`digest`;
END;
--> statement-breakpoint
UPDATE `schema_state` SET `number` = 30;
