ALTER TABLE `journal` ADD `awaits` integer;--> statement-breakpoint
CREATE INDEX `journal_awaiting` ON `journal` (`awaits`) WHERE "journal"."awaits" is not null;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `last_period_ends_at` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `unbounded_until` integer GENERATED ALWAYS AS (iif("authorized_until" is null, coalesce("last_period_ends_at", "changed_at"), null)) VIRTUAL;--> statement-breakpoint
CREATE INDEX `subscriptions_unbounded` ON `subscriptions` (`unbounded_until`) WHERE "subscriptions"."unbounded_until" is not null;--> statement-breakpoint
UPDATE `subscriptions` SET `last_period_ends_at` = (SELECT max(`ends_at`) FROM `subscription_periods` WHERE `subscription_id` = `subscriptions`.`id`);
--> statement-breakpoint
-- What came with a move stands among younger rows: retention has to find it by itself.
UPDATE `journal` SET `awaits` = `recorded_at` WHERE `municipality_id` IN (SELECT `id` FROM `municipalities` WHERE `lived_in` <> '[]' AND `moved_to` IS NULL);
