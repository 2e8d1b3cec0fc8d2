import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { appendToJournal, recordedAt } from '../db/journal-sql.ts';
import {
  areas,
  journal,
  municipalities,
  plans,
  sources,
  subscriptionTypes,
  tenants,
} from '../db/schema/index.ts';
import { aliased, jsonFlag, jsonObject, parameter, statement } from '../db/sql.ts';

/** JSON lists of codes: municipalities; and tenants, of which all municipalities are meant. */
const MUNICIPALITIES = parameter(1);
const TENANTS = parameter(2);
const NOW = parameter(3);
const REQUEST = parameter(4);

/** A row may have 2 MB: so many areas and all else of a municipality take less, however long their names are. */
export const AREAS_PER_ROW = 500;

const m = alias(municipalities, 'm');
const t = alias(tenants, 't');
const a = alias(areas, 'a');
const s = alias(sources, 's');
const y = alias(subscriptionTypes, 'y');
const p = alias(plans, 'p');
const j = alias(journal, 'j');

const AREA = jsonObject({
  id: a.id,
  code: a.code,
  name: a.name,
  area_type: a.areaType,
  capacity: a.capacity,
  active: jsonFlag(a.active),
  latitude: a.latitude,
  longitude: a.longitude,
  facility: jsonObject({
    service_enabled: jsonFlag(a.serviceEnabled),
    plate_control_enabled: jsonFlag(a.plateControlEnabled),
    subscription_access: jsonFlag(a.subscriptionAccess),
    entry_grace_minutes: a.entryGraceMinutes,
    exit_grace_minutes: a.exitGraceMinutes,
    offline_minutes: a.offlineMinutes,
  }),
});

const SOURCE = jsonObject({
  id: s.id,
  code: s.code,
  name: s.name,
  category: s.category,
  is_system: jsonFlag(s.isSystem),
  active: jsonFlag(s.active),
  stale_after_minutes: s.staleAfterMinutes,
  open_session_max_hours: s.openSessionMaxHours,
});

const TYPE = jsonObject({
  code: y.code,
  name: y.name,
  freely_sold: jsonFlag(y.freelySold),
  renewal_allowed: jsonFlag(y.renewalAllowed),
  renewal_opens_days_before: y.renewalOpensDaysBefore,
});

const OPERATIONS = sql`json(case
  when ${p.forFirstActivation} and ${p.forRenewal} then '["first_activation","renewal"]'
  when ${p.forFirstActivation} then '["first_activation"]'
  when ${p.forRenewal} then '["renewal"]'
  else '[]' end)`;

const PLAN = jsonObject({
  codice_tariffa: p.code,
  subscription_type: sql`(select ${y.code} from ${aliased(subscriptionTypes, y)} where ${y.id} = ${p.subscriptionTypeId})`,
  importo_eurocent: p.amountCents,
  duration: p.duration,
  descrizione: p.description,
  operations: OPERATIONS,
  on_parking_meter: jsonFlag(p.onParkingMeter),
  active: jsonFlag(p.active),
});

const inOrder = (item: SQL, code: SQL, from: SQL): SQL =>
  sql`(select json_group_array(json(${item}) order by ${code}) ${from})`;

const FIRST_AREAS = sql`(select list from parts where id = ${m.id} and part = 0)`;
const FURTHER_ROWS = sql`(select count(*) from parts where id = ${m.id} and part > 0)`;

const WHOLE = jsonObject({
  id: m.id,
  code: m.code,
  name: m.name,
  timezone: m.timeZone,
  country: m.country,
  tenant: t.code,
  tenant_active: jsonFlag(t.active),
  active: jsonFlag(m.active),
  services: jsonObject({
    plate_check: jsonFlag(m.plateCheckEnabled),
    subscriptions: jsonFlag(m.subscriptionsEnabled),
    subscription_options: jsonFlag(m.subscriptionOptionsEnabled),
    report: jsonFlag(m.reportEnabled),
    public_occupancy: jsonFlag(m.publicOccupancyEnabled),
  }),
  areas: sql`json(coalesce(${FIRST_AREAS}, '[]'))`,
  further_rows: FURTHER_ROWS,
  sources: inOrder(
    SOURCE,
    sql`${s.code}`,
    sql`from ${aliased(sources, s)} where ${s.municipalityId} = ${m.id}`,
  ),
  subscription_types: inOrder(
    TYPE,
    sql`${y.code}`,
    sql`from ${aliased(subscriptionTypes, y)} where ${y.municipalityId} = ${m.id}`,
  ),
  plans: inOrder(PLAN, sql`${p.code}`, sql`from ${aliased(plans, p)} where ${p.municipalityId} = ${m.id}`),
});

/** The areas of the municipalities, in the order of their codes, {@link AREAS_PER_ROW} together. */
const PARTS = sql`
select id, part, json_group_array(json(area) order by code) as list from (
  select ${a.municipalityId} as id, ${a.code} as code, ${AREA} as area,
    (row_number() over (partition by ${a.municipalityId} order by ${a.code}) - 1) / ${sql.raw(String(AREAS_PER_ROW))} as part
  from ${aliased(areas, a)} where ${a.municipalityId} in (select id from named)
) group by id, part`;

/** The municipality's row, and behind it what areas have no room in it. */
const ROWS = sql`
select ${m.id} as id, 0 as part, ${WHOLE} as record
from ${aliased(municipalities, m)} join ${aliased(tenants, t)} on ${t.id} = ${m.tenantId}
where ${m.id} in (select id from named)
union all
select id, part, json_object('areas', json(list)) from parts where part > 0`;

/** The newest row of a municipality's configuration: those behind it have keys. */
const NEWEST = sql`(select ${j.sequence} from ${aliased(journal, j)}
  where ${j.municipalityId} = found.id and ${j.kind} = 'configuration' and ${j.sourceCode} is null and ${j.key} is null
  order by ${j.recordedAt} desc, ${j.sequence} desc limit 1)`;

/** Those of which the newest rows say something else. */
const CHANGED = sql`select id from found left join ${aliased(journal, j)} on ${j.sequence} = ${NEWEST} + found.part
  where ${j.record} is not found.record`;

/**
 * Appends the whole configuration of municipalities that live here as it stands after the statements before it in the same transaction.
 * What it stands as already is not appended again.
 */
export const APPEND_CONFIGURATION = statement(() =>
  appendToJournal(
    {
      municipalityId: sql.raw('id'),
      kind: sql.raw(`'configuration'`),
      recordedAt: recordedAt(NOW),
      requestId: REQUEST,
      key: sql.raw(`iif(part = 0, null, 'areas ' || part)`),
      record: sql.raw('record'),
    },
    sql`from (
with named as materialized (
  select ${m.id} as id from ${aliased(municipalities, m)} where ${m.code} in (select value from json_each(${MUNICIPALITIES}))
    and ${m.movedTo} is null
  union
  select ${m.id} from ${aliased(municipalities, m)} where ${m.tenantId} in (
    select ${t.id} from ${aliased(tenants, t)} where ${t.code} in (select value from json_each(${TENANTS})))
    and ${m.movedTo} is null
),
parts as materialized (${PARTS}),
found as materialized (${ROWS})
select id, part, record from found where id in (${CHANGED}) order by id, part
)`,
  ),
);
