CREATE TABLE `fillings` (
	`name` text PRIMARY KEY NOT NULL,
	`place` integer NOT NULL,
	`up_to` integer,
	`done_at` integer
);
--> statement-breakpoint
CREATE TABLE `schema_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`lowest_writer` integer NOT NULL,
	CONSTRAINT "schema_state_one_row" CHECK("schema_state"."id" = 1)
);
--> statement-breakpoint
-- From here on each migration sets its number here, and where earlier code must not write what it makes, the lowest writer.
INSERT INTO `schema_state` (`id`, `number`, `lowest_writer`) VALUES (1, 20, 0);
