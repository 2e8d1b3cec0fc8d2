CREATE TABLE `call_log_days` (
	`day` integer NOT NULL,
	`credential_id` text NOT NULL,
	`refused_calls` integer NOT NULL,
	`request_bytes` integer NOT NULL,
	PRIMARY KEY(`day`, `credential_id`)
);
