-- When these were rejected is not known: their retention begins now.
UPDATE `subscriptions` SET `changed_at` = unixepoch() * 1000 WHERE `approval` = 'rejected';
