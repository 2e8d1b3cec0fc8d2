-- What was stored before the journal began counts as known since now.
INSERT INTO `journal` (`municipality_id`, `kind`, `recorded_at`, `source_code`, `key`, `plate`, `area_id`, `record`)
SELECT s.`municipality_id`, 'parking_session', unixepoch() * 1000, s.`source_code`, s.`session_id`, s.`plate`, s.`area_id`,
  json_object(
    'session_id', s.`session_id`, 'plate', s.`plate`, 'area_code', a.`code`, 'starts_at', s.`starts_at`,
    'ends_at', s.`ends_at`, 'cancelled_at', s.`cancelled_at`, 'revision', s.`revision`
  )
FROM `parking_sessions` s JOIN `areas` a ON a.`id` = s.`area_id`;
--> statement-breakpoint
-- A row for each plate of a subscription, with that plate's own entries, in the order in which an import has them.
INSERT INTO `journal` (`municipality_id`, `kind`, `recorded_at`, `key`, `plate`, `record`)
SELECT s.`municipality_id`, 'subscription', unixepoch() * 1000, s.`subscription_number`, p.`plate`,
  json_object(
    'subscription_number', s.`subscription_number`,
    'type', (SELECT t.`code` FROM `subscription_types` t WHERE t.`id` = s.`type_id`),
    'plates', json_group_array(json_object('valid_from', p.`valid_from`, 'valid_until', p.`valid_until`)
      ORDER BY coalesce(p.`valid_from`, 'null') || ' ' || coalesce(p.`valid_until`, 'null')),
    'approval', s.`approval`, 'authorized_from', s.`authorized_from`, 'authorized_until', s.`authorized_until`,
    'areas', json(iif(s.`all_areas`, '"all"', (SELECT json_group_array(a.`code` ORDER BY a.`code`)
      FROM `subscription_areas` x JOIN `areas` a ON a.`id` = x.`area_id` WHERE x.`subscription_id` = s.`id`))),
    'suspended_from', s.`suspended_from`, 'suspended_until', s.`suspended_until`, 'revoked_at', s.`revoked_at`,
    'revision', s.`revision`,
    'periods', (SELECT json_group_array(json_object('starts_at', d.`starts_at`, 'ends_at', d.`ends_at`)
      ORDER BY d.`starts_at`) FROM `subscription_periods` d WHERE d.`subscription_id` = s.`id`)
  )
FROM `subscriptions` s CROSS JOIN `subscription_plates` p ON p.`subscription_id` = s.`id`
GROUP BY s.`id`, p.`plate`;
--> statement-breakpoint
-- The last success of each source; then its last import, where that failed.
INSERT INTO `journal` (`municipality_id`, `kind`, `recorded_at`, `source_code`, `record`)
SELECT s.`municipality_id`, 'import', unixepoch() * 1000, s.`code`, json_object(
  'outcome', o.`outcome`, 'finished_at', o.`finished_at`, 'request_id', o.`request_id`, 'last_outcome', o.`outcome`,
  'last_finished_at', o.`finished_at`, 'last_successful_at', o.`successful_at`, 'last_request_id', o.`request_id`)
FROM (
  SELECT `source_id`, 1 AS nth, 'succeeded' AS outcome, `last_successful_at` AS finished_at,
    `last_successful_at` AS successful_at, iif(`last_outcome` = 'succeeded', `last_request_id`, null) AS request_id
  FROM `source_imports` WHERE `last_successful_at` IS NOT NULL
  UNION ALL
  SELECT `source_id`, 2, `last_outcome`, `last_finished_at`, `last_successful_at`, `last_request_id`
  FROM `source_imports` WHERE `last_outcome` = 'failed'
) o JOIN `sources` s ON s.`id` = o.`source_id`
ORDER BY s.`id`, o.nth;
--> statement-breakpoint
-- Each municipality's whole configuration, its areas a thousand a row.
insert into `journal` (`municipality_id`, `kind`, `recorded_at`, `request_id`, `key`, `record`)
select id, 'configuration', unixepoch() * 1000, null, iif(part = 0, null, 'areas ' || part), record from (
with named as materialized (select id from municipalities),
parts as materialized (
select id, part, json_group_array(json(area) order by code) as list from (
  select `a`.`municipality_id` as id, `a`.`code` as code, json_object('id', `a`.`id`, 'code', `a`.`code`, 'name', `a`.`name`, 'area_type', `a`.`area_type`, 'capacity', `a`.`capacity`, 'active', json(iif(`a`.`active`, 'true', 'false')), 'latitude', `a`.`latitude`, 'longitude', `a`.`longitude`, 'facility', json_object('service_enabled', json(iif(`a`.`service_enabled`, 'true', 'false')), 'plate_control_enabled', json(iif(`a`.`plate_control_enabled`, 'true', 'false')), 'subscription_access', json(iif(`a`.`subscription_access`, 'true', 'false')), 'entry_grace_minutes', `a`.`entry_grace_minutes`, 'exit_grace_minutes', `a`.`exit_grace_minutes`, 'offline_minutes', 720)) as area,
    (row_number() over (partition by `a`.`municipality_id` order by `a`.`code`) - 1) / 1000 as part
  from `areas` as `a` where `a`.`municipality_id` in (select id from named)
) group by id, part),
found as materialized (
select `m`.`id` as id, 0 as part, json_object('id', `m`.`id`, 'code', `m`.`code`, 'name', `m`.`name`, 'timezone', `m`.`time_zone`, 'country', `m`.`country`, 'tenant', `t`.`code`, 'tenant_active', json(iif(`t`.`active`, 'true', 'false')), 'active', json(iif(`m`.`active`, 'true', 'false')), 'services', json_object('plate_check', json(iif(`m`.`plate_check_enabled`, 'true', 'false')), 'subscriptions', json(iif(`m`.`subscriptions_enabled`, 'true', 'false')), 'subscription_options', json(iif(`m`.`subscription_options_enabled`, 'true', 'false')), 'report', json(iif(`m`.`report_enabled`, 'true', 'false')), 'public_occupancy', json(iif(`m`.`public_occupancy_enabled`, 'true', 'false'))), 'areas', json(coalesce((select list from parts where id = `m`.`id` and part = 0), '[]')), 'further_rows', (select count(*) from parts where id = `m`.`id` and part > 0), 'sources', (select json_group_array(json(json_object('id', `s`.`id`, 'code', `s`.`code`, 'name', `s`.`name`, 'category', `s`.`category`, 'is_system', json(iif(`s`.`is_system`, 'true', 'false')), 'active', json(iif(`s`.`active`, 'true', 'false')), 'stale_after_minutes', `s`.`stale_after_minutes`, 'open_session_max_hours', `s`.`open_session_max_hours`)) order by `s`.`code`) from `sources` as `s` where `s`.`municipality_id` = `m`.`id`), 'subscription_types', (select json_group_array(json(json_object('code', `y`.`code`, 'name', `y`.`name`, 'freely_sold', json(iif(`y`.`freely_sold`, 'true', 'false')), 'renewal_allowed', json(iif(`y`.`renewal_allowed`, 'true', 'false')), 'renewal_opens_days_before', `y`.`renewal_opens_days_before`)) order by `y`.`code`) from `subscription_types` as `y` where `y`.`municipality_id` = `m`.`id`), 'plans', (select json_group_array(json(json_object('codice_tariffa', `p`.`code`, 'subscription_type', (select `y`.`code` from `subscription_types` as `y` where `y`.`id` = `p`.`subscription_type_id`), 'importo_eurocent', `p`.`amount_cents`, 'duration', `p`.`duration`, 'descrizione', `p`.`description`, 'operations', json(case
  when `p`.`for_first_activation` and `p`.`for_renewal` then '["first_activation","renewal"]'
  when `p`.`for_first_activation` then '["first_activation"]'
  when `p`.`for_renewal` then '["renewal"]'
  else '[]' end), 'on_parking_meter', json(iif(`p`.`on_parking_meter`, 'true', 'false')), 'active', json(iif(`p`.`active`, 'true', 'false')))) order by `p`.`code`) from `plans` as `p` where `p`.`municipality_id` = `m`.`id`)) as record
from `municipalities` as `m` join `tenants` as `t` on `t`.`id` = `m`.`tenant_id`
where `m`.`id` in (select id from named)
union all
select id, part, json_object('areas', json(list)) from parts where part > 0)
select id, part, record from found order by id, part
);
