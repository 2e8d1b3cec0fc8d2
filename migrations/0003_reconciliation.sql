CREATE TABLE `reconciliation` (
	`id` integer PRIMARY KEY NOT NULL,
	`after_credential_id` text NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "reconciliation_one_row" CHECK("reconciliation"."id" = 1)
);
