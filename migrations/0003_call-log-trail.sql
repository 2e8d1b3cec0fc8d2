ALTER TABLE `call_log` ADD `action` text;--> statement-breakpoint
ALTER TABLE `call_log` ADD `target` text;