-- Anonymization goes along the ends of sessions. One that comes late, with its plate, behind where it has come to takes it
-- back. A pseudonym sorts before every plate. A table that a later migration makes anew loses its triggers: make them
-- anew there.
CREATE TRIGGER `parking_sessions_late_on_insert` AFTER INSERT ON `parking_sessions`
WHEN new.`plate` >= '0' AND EXISTS (
  SELECT 1 FROM `anonymizations` WHERE `municipality_id` = new.`municipality_id`
    AND (`ended_up_to` > new.`ends_at` OR (new.`ends_at` IS NULL AND `open_up_to` > new.`starts_at`))
)
BEGIN
  UPDATE `anonymizations` SET `ended_up_to` = min(`ended_up_to`, coalesce(new.`ends_at`, `ended_up_to`)),
    `open_up_to` = iif(new.`ends_at` IS NULL, min(`open_up_to`, new.`starts_at`), `open_up_to`)
  WHERE `municipality_id` = new.`municipality_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `parking_sessions_late_on_update` AFTER UPDATE OF `plate`, `starts_at`, `ends_at` ON `parking_sessions`
WHEN new.`plate` >= '0' AND EXISTS (
  SELECT 1 FROM `anonymizations` WHERE `municipality_id` = new.`municipality_id`
    AND (`ended_up_to` > new.`ends_at` OR (new.`ends_at` IS NULL AND `open_up_to` > new.`starts_at`))
)
BEGIN
  UPDATE `anonymizations` SET `ended_up_to` = min(`ended_up_to`, coalesce(new.`ends_at`, `ended_up_to`)),
    `open_up_to` = iif(new.`ends_at` IS NULL, min(`open_up_to`, new.`starts_at`), `open_up_to`)
  WHERE `municipality_id` = new.`municipality_id`;
END;
