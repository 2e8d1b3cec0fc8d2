DROP INDEX `parking_sessions_by_plate`;--> statement-breakpoint
CREATE INDEX `parking_sessions_by_plate_start` ON `parking_sessions` (`municipality_id`,`plate`,`starts_at`,`runs_until`,`area_id`) WHERE "parking_sessions"."cancelled_at" is null;--> statement-breakpoint
CREATE INDEX `parking_sessions_by_plate_cancellation` ON `parking_sessions` (`municipality_id`,`plate`,`cancelled_at`,`starts_at`,`runs_until`,`area_id`) WHERE "parking_sessions"."cancelled_at" is not null;--> statement-breakpoint
CREATE INDEX `parking_sessions_by_plate` ON `parking_sessions` (`municipality_id`,`plate`,`runs_until`,`starts_at`,`cancelled_at`,`area_id`);--> statement-breakpoint
ALTER TABLE `subscription_plates` ADD `on_until` integer GENERATED ALWAYS AS (coalesce("valid_until", 9007199254740991)) VIRTUAL;--> statement-breakpoint
CREATE INDEX `subscription_plates_by_end` ON `subscription_plates` (`municipality_id`,`plate`,`on_until`,`valid_from`,`subscription_id`);