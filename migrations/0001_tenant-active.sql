-- A municipality repeats whether its tenant is active: every way to change either keeps them the same.
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
