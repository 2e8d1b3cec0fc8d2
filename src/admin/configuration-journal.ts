import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { lastRecordedAt, recordChange } from '../db/changes-sql.ts';
import { appendToJournal, isConfiguration, newestFirst, recordedAt } from '../db/journal-sql.ts';
import {
  areas,
  changes,
  configurationVersions,
  journal,
  municipalities,
  plans,
  sources,
  subscriptionTypes,
  tenants,
} from '../db/schema/index.ts';
import {
  bare,
  bytesOfUuid,
  jsonFlag,
  jsonObject,
  list,
  literal,
  parameter,
  statement,
  tableAs,
} from '../db/sql.ts';

/** JSON lists of codes: of municipalities, and of tenants, which stand for all their municipalities. */
const MUNICIPALITIES = parameter(1);
const TENANTS = parameter(2);
const NOW = parameter(3);
const REQUEST = parameter(4);

/** A row may have 2 MB. This many areas, and all else of a municipality, take less, however long their names are. */
const AREAS_PER_ROW = 150;

const municipality = alias(municipalities, 'municipality');
const tenant = alias(tenants, 'tenant');
const area = alias(areas, 'area');
const source = alias(sources, 'source');
const subscriptionType = alias(subscriptionTypes, 'subscription_type');
const plan = alias(plans, 'plan');
const recorded = alias(journal, 'recorded');

const AREA = jsonObject({
  id: area.id,
  code: area.code,
  name: area.name,
  area_type: area.areaType,
  capacity: area.capacity,
  active: jsonFlag(area.active),
  latitude: area.latitude,
  longitude: area.longitude,
  address: area.address,
  website: area.website,
  price_note: area.priceNote,
  max_height_cm: area.maxHeightCm,
  disabled_spaces: area.disabledSpaces,
  charging_spaces: area.chargingSpaces,
  closed_until: area.closedUntil,
  paid_hours: sql`json(${area.paidHours})`,
  facility: jsonObject({
    service_enabled: jsonFlag(area.serviceEnabled),
    plate_control_enabled: jsonFlag(area.plateControlEnabled),
    subscription_access: jsonFlag(area.subscriptionAccess),
    entry_grace_minutes: area.entryGraceMinutes,
    exit_grace_minutes: area.exitGraceMinutes,
    offline_minutes: area.offlineMinutes,
  }),
});

const SOURCE = jsonObject({
  id: source.id,
  code: source.code,
  name: source.name,
  category: source.category,
  is_system: jsonFlag(source.isSystem),
  active: jsonFlag(source.active),
  stale_after_minutes: source.staleAfterMinutes,
  open_session_max_hours: source.openSessionMaxHours,
});

const TYPE = jsonObject({
  code: subscriptionType.code,
  name: subscriptionType.name,
  freely_sold: jsonFlag(subscriptionType.freelySold),
  renewal_allowed: jsonFlag(subscriptionType.renewalAllowed),
  renewal_opens_days_before: subscriptionType.renewalOpensDaysBefore,
});

const OPERATIONS = sql`json(case
  when ${plan.forFirstActivation} and ${plan.forRenewal} then '["first_activation","renewal"]'
  when ${plan.forFirstActivation} then '["first_activation"]'
  when ${plan.forRenewal} then '["renewal"]'
  else '[]' end)`;

const PLAN = jsonObject({
  codice_tariffa: plan.code,
  subscription_type: sql`(select ${subscriptionType.code} from ${tableAs(subscriptionTypes, subscriptionType)} where ${subscriptionType.id} = ${plan.subscriptionTypeId})`,
  importo_eurocent: plan.amountCents,
  duration: plan.duration,
  descrizione: plan.description,
  operations: OPERATIONS,
  on_parking_meter: jsonFlag(plan.onParkingMeter),
  active: jsonFlag(plan.active),
});

const inOrder = (item: SQL, code: SQL, from: SQL): SQL =>
  sql`(select json_group_array(json(${item}) order by ${code}) ${from})`;

const FIRST_AREAS = sql`(select list from parts where id = ${municipality.id} and part = 0)`;
const FURTHER_ROWS = sql`(select count(*) from parts where id = ${municipality.id} and part > 0)`;

const WHOLE = jsonObject({
  id: municipality.id,
  code: municipality.code,
  name: municipality.name,
  timezone: municipality.timeZone,
  country: municipality.country,
  public_max_age_minutes: municipality.publicMaxAgeMinutes,
  holidays: sql`json(${municipality.holidays})`,
  observation_minutes: municipality.observationMinutes,
  overstay_minutes: municipality.overstayMinutes,
  tenant: tenant.code,
  tenant_active: jsonFlag(tenant.active),
  active: jsonFlag(municipality.active),
  services: jsonObject({
    plate_check: jsonFlag(municipality.plateCheckEnabled),
    subscriptions: jsonFlag(municipality.subscriptionsEnabled),
    subscription_options: jsonFlag(municipality.subscriptionOptionsEnabled),
    report: jsonFlag(municipality.reportEnabled),
    public_occupancy: jsonFlag(municipality.publicOccupancyEnabled),
  }),
  areas: sql`json(coalesce(${FIRST_AREAS}, '[]'))`,
  further_rows: FURTHER_ROWS,
  sources: inOrder(
    SOURCE,
    sql`${source.code}`,
    sql`from ${tableAs(sources, source)} where ${source.municipalityId} = ${municipality.id}`,
  ),
  subscription_types: inOrder(
    TYPE,
    sql`${subscriptionType.code}`,
    sql`from ${tableAs(subscriptionTypes, subscriptionType)} where ${subscriptionType.municipalityId} = ${municipality.id}`,
  ),
  plans: inOrder(
    PLAN,
    sql`${plan.code}`,
    sql`from ${tableAs(plans, plan)} where ${plan.municipalityId} = ${municipality.id}`,
  ),
});

/** The areas of the municipalities, in the order of their codes, {@link AREAS_PER_ROW} together. */
const PARTS = sql`
select id, part, json_group_array(json(area) order by code) as list from (
  select ${area.municipalityId} as id, ${area.code} as code, ${AREA} as area,
    (row_number() over (partition by ${area.municipalityId} order by ${area.code}) - 1) / ${sql.raw(String(AREAS_PER_ROW))} as part
  from ${tableAs(areas, area)} where ${area.municipalityId} in (select id from named)
) group by id, part`;

/**
 * Streets have no list, so the journal's rows of their sessions are in no area. 1: a JSON list of areas, by municipality and
 * code, which become facilities behind it; 2: now. A row without a key sends who has the list of such a facility from before
 * it was a street to the full list.
 */
export const APPEND_FACILITIES = statement(() =>
  appendToJournal(
    {
      municipalityId: sql`${area.municipalityId}`,
      kind: sql.raw(`'parking_session'`),
      recordedAt: recordedAt(parameter(2)),
      leftAreaId: sql`${area.id}`,
    },
    sql`from json_each(${parameter(1)}) as item
cross join ${tableAs(municipalities, municipality)} on ${municipality.code} = item.value ->> 0
cross join ${tableAs(areas, area)} on ${area.municipalityId} = ${municipality.id} and ${area.code} = item.value ->> 1
where ${area.areaType} = 'street'`,
  ),
);

/** The municipality's row, followed by rows for the areas that do not fit in it. */
const ROWS = sql`
select ${municipality.id} as id, 0 as part, ${WHOLE} as record
from ${tableAs(municipalities, municipality)} join ${tableAs(tenants, tenant)} on ${tenant.id} = ${municipality.tenantId}
where ${municipality.id} in (select id from named)
union all
select id, part, json_object('areas', json(list)) from parts where part > 0`;

/** The municipalities that live here, of those named, and their whole configuration as it is now: `found`. */
const FOUND = sql`
with named as materialized (
  select ${municipality.id} as id from ${tableAs(municipalities, municipality)} where ${municipality.code} in (select value from json_each(${MUNICIPALITIES}))
    and ${municipality.movedTo} is null
  union
  select ${municipality.id} from ${tableAs(municipalities, municipality)} where ${municipality.tenantId} in (
    select ${tenant.id} from ${tableAs(tenants, tenant)} where ${tenant.code} in (select value from json_each(${TENANTS})))
    and ${municipality.movedTo} is null
),
parts as materialized (${PARTS}),
found as materialized (${ROWS})`;

/** The newest row of a municipality's configuration. */
const NEWEST = sql`(select ${recorded.sequence} from ${tableAs(journal, recorded)}
  where ${recorded.municipalityId} = found.id and ${isConfiguration(recorded)} ${newestFirst(recorded)} limit 1)`;

/** Those whose newest rows differ. */
const CHANGED = sql`select id from found left join ${tableAs(journal, recorded)} on ${recorded.sequence} = ${NEWEST} + found.part
  where ${recorded.record} is not found.record`;

/**
 * Appends the whole configuration of municipalities that live here, as the earlier statements of the same transaction have
 * left it. One that has not changed is not appended again.
 */
const APPEND_CONFIGURATION = statement(() =>
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
${FOUND}
select id, part, record from found where id in (${CHANGED}) order by id, part
)`,
  ),
);

const version = alias(configurationVersions, 'version');
const newestVersion = alias(configurationVersions, 'newest_version');
const FOUND_ID = sql.raw('found.id');

/** A change for each municipality whose configuration is no longer its newest version. */
const RECORD_CHANGES = statement(() =>
  recordChange(
    sql.raw('differing.id'),
    { now: NOW, requestId: REQUEST, batch: literal(0) },
    {
      from: sql`from (
${FOUND}
select distinct found.id from found left join ${tableAs(configurationVersions, version)}
  on ${version.municipalityId} = found.id and ${version.part} = found.part and ${version.recordedAt} = (
    select max(${newestVersion.recordedAt}) from ${tableAs(configurationVersions, newestVersion)} where ${newestVersion.municipalityId} = found.id)
where ${version.record} is not found.record
) as differing`,
    },
  ),
);

/** Stores the configuration of those that this call has just recorded a change of. */
const STORE_VERSIONS = statement(
  () => sql`
insert into ${configurationVersions} (${list([configurationVersions.municipalityId, configurationVersions.recordedAt, configurationVersions.part, configurationVersions.record].map(bare))})
select found.id, ${changes.recordedAt}, found.part, found.record from (
${FOUND}
select id, part, record from found
) as found cross join ${changes} on ${changes.municipalityId} = found.id and ${changes.recordedAt} = ${lastRecordedAt(FOUND_ID)}
where ${changes.requestId} = ${bytesOfUuid(REQUEST)} and ${changes.batch} = 0 and ${NOW} is not null
on conflict do nothing`,
);

/**
 * Stores the whole configuration of municipalities that live here, as the earlier statements of the same transaction have left
 * it. One that has not changed is not stored again.
 */
export const versionStatements = (
  db: D1Database,
  of: { readonly municipalities: readonly string[]; readonly tenants: readonly string[] },
  by: { readonly requestId: string; readonly now: number },
): D1PreparedStatement[] =>
  [APPEND_CONFIGURATION, RECORD_CHANGES, STORE_VERSIONS].map((text) =>
    db
      .prepare(text())
      .bind(JSON.stringify(of.municipalities), JSON.stringify(of.tenants), by.now, by.requestId),
  );
