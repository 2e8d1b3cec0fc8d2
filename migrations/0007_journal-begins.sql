-- What was stored before the journal began counts as known since now.
INSERT INTO `journal` (`municipality_id`, `kind`, `recorded_at`, `source_code`, `key`, `plate`, `area_id`, `record`)
SELECT s.`municipality_id`, 'parking_session', unixepoch() * 1000, s.`source_code`, s.`session_id`, s.`plate`, s.`area_id`,
  json_object(
    'session_id', s.`session_id`, 'plate', s.`plate`, 'area_code', a.`code`, 'starts_at', s.`starts_at`,
    'ends_at', s.`ends_at`, 'cancelled_at', s.`cancelled_at`, 'revision', s.`revision`
  )
FROM `parking_sessions` s JOIN `areas` a ON a.`id` = s.`area_id`;
