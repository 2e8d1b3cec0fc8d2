/** The rows that a plate check rests on, each read by a plain statement. */
export const CHECK_READS = [
  'select * from municipalities where code = ?1',
  'select * from areas where municipality_id = ?1 and code = ?2',
  'select * from parking_sessions where municipality_id = ?1 and plate = ?2 and runs_until > ?3 and starts_at <= ?4',
  `select b.*, l.valid_from, l.valid_until from subscription_plates l join subscriptions b on b.id = l.subscription_id
   where l.municipality_id = ?1 and l.plate = ?2`,
];

/** The rows that an options query rests on. */
export const OPTIONS_READS = [
  'select * from municipalities where code = ?1',
  `select b.*, l.valid_from, l.valid_until from subscription_plates l join subscriptions b on b.id = l.subscription_id
   where l.municipality_id = ?1 and l.plate = ?2`,
  `select p.* from subscription_plates l join subscription_periods p on p.subscription_id = l.subscription_id
   where l.municipality_id = ?1 and l.plate = ?2`,
  `select y.* from subscription_plates l join subscriptions b on b.id = l.subscription_id
   join subscription_types y on y.id = b.type_id where l.municipality_id = ?1 and l.plate = ?2`,
  'select * from plans where municipality_id = ?1',
];

/** A call as it is logged whole. */
export const LOG_CALL = `insert into calls
  (id, at, operation, credential_id, tenant, municipality_code, http_status, outcome, duration_ms, request, response)
  values (unhex(?1, '-'), ?2, 'subscription_options', 'yardstick', 'acme', 'H501', 200, 'OK', 1, ?3, ?4)`;

/** Sessions as a file tells them, stored as they come. */
export const STORE_SESSIONS = `insert into parking_sessions
  (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
  select 1, 'app', value ->> 0, 1, value ->> 1, value ->> 2, value ->> 3 from json_each(?1)`;

/** What runs now or soon, of some municipalities. */
export const RUNNING = `
  select s.municipality_id, s.area_id, s.source_code, s.plate, s.starts_at, s.ends_at, s.cancelled_at
  from municipalities m
  cross join parking_sessions s on s.municipality_id = m.id and s.runs_until > ?3 and s.starts_at <= ?4
  where m.id between ?1 and ?2`;
