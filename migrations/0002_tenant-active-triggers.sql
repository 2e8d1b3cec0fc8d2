-- A municipality repeats whether its tenant is active: every way to change either keeps them the same. A table that a
-- later migration makes anew loses its triggers: make them anew there.
UPDATE `municipalities` SET `tenant_active` = (SELECT `active` FROM `tenants` WHERE `id` = `tenant_id`);
--> statement-breakpoint
CREATE TRIGGER `municipalities_tenant_active_on_tenant` AFTER UPDATE OF `active` ON `tenants`
WHEN new.`active` <> old.`active`
BEGIN
  UPDATE `municipalities` SET `tenant_active` = new.`active` WHERE `tenant_id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `municipalities_tenant_active_on_insert` AFTER INSERT ON `municipalities`
BEGIN
  UPDATE `municipalities` SET `tenant_active` = (SELECT `active` FROM `tenants` WHERE `id` = new.`tenant_id`)
  WHERE `id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `municipalities_tenant_active_on_move` AFTER UPDATE OF `tenant_id` ON `municipalities`
WHEN new.`tenant_id` <> old.`tenant_id`
BEGIN
  UPDATE `municipalities` SET `tenant_active` = (SELECT `active` FROM `tenants` WHERE `id` = new.`tenant_id`)
  WHERE `id` = new.`id`;
END;
