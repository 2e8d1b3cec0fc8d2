import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { lastRecordedAt, recordChange } from '../db/changes-sql.ts';
import { type Json, json } from '../db/json.ts';
import {
  areas,
  changes,
  configurationVersions,
  municipalities,
  plans,
  sources,
  subscriptionTypes,
  tenants,
} from '../db/schema/index.ts';
import { bare, bytesOfUuid, jsonFlag, jsonObject, list, literal, tableAs } from '../db/sql.ts';
import { type Parameters, statement, type ValuesOf, value } from '../db/statement.ts';

/** Codes of municipalities, and of tenants, which stand for all their municipalities. */
const NAMED = { municipalities: value<Json<readonly string[]>>(), tenants: value<Json<readonly string[]>>() };
const STORED = { ...NAMED, now: value<number>(), requestId: value<string>() };

/** A row may have 2 MB. This many areas, and all else of a municipality, take less, however long their names are. */
const AREAS_PER_ROW = 150;

const municipality = alias(municipalities, 'municipality');
const tenant = alias(tenants, 'tenant');
const area = alias(areas, 'area');
const source = alias(sources, 'source');
const subscriptionType = alias(subscriptionTypes, 'subscription_type');
const plan = alias(plans, 'plan');

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
    select id, part, json_group_array(json(area) order by code) as list
    from (
      select ${area.municipalityId} as id,
        ${area.code} as code,
        ${AREA} as area,
        (row_number() over (partition by ${area.municipalityId} order by ${area.code}) - 1) / ${literal(AREAS_PER_ROW)} as part
      from ${tableAs(areas, area)}
      where ${area.municipalityId} in (select id from named)
    )
    group by id, part`;

/** The municipality's row, followed by rows for the areas that do not fit in it. */
const ROWS = sql`
    select ${municipality.id} as id, 0 as part, ${WHOLE} as record
    from ${tableAs(municipalities, municipality)}
    join ${tableAs(tenants, tenant)} on ${tenant.id} = ${municipality.tenantId}
    where ${municipality.id} in (select id from named)
    union all
    select id, part, json_object('areas', json(list))
    from parts
    where part > 0`;

/** The municipalities that live here, of those named, and their whole configuration as it is now: `found`. */
const foundOf = (named: Parameters<ValuesOf<typeof NAMED>>): SQL => sql`
  with named as materialized (
    select ${municipality.id} as id
    from ${tableAs(municipalities, municipality)}
    where ${municipality.code} in (select value from json_each(${named.municipalities}))
      and ${municipality.movedTo} is null
    union
    select ${municipality.id}
    from ${tableAs(municipalities, municipality)}
    where ${municipality.tenantId} in (
        select ${tenant.id}
        from ${tableAs(tenants, tenant)}
        where ${tenant.code} in (select value from json_each(${named.tenants}))
      )
      and ${municipality.movedTo} is null
  ),
  parts as materialized (${PARTS}),
  found as materialized (${ROWS})`;

const version = alias(configurationVersions, 'version');
const newestVersion = alias(configurationVersions, 'newest_version');

/** A change for each municipality whose configuration is no longer its newest version. */
const RECORD_CHANGES = statement(STORED, ({ now, requestId, ...named }) =>
  recordChange(
    sql.raw('differing.id'),
    { now, requestId, batch: literal(0) },
    {
      from: sql`
  from (
    ${foundOf(named)}
    select distinct found.id
    from found
    left join ${tableAs(configurationVersions, version)}
      on ${version.municipalityId} = found.id
      and ${version.part} = found.part
      and ${version.recordedAt} = (
        select max(${newestVersion.recordedAt})
        from ${tableAs(configurationVersions, newestVersion)}
        where ${newestVersion.municipalityId} = found.id
      )
    where ${version.record} is not found.record
  ) as differing`,
    },
  ),
);

/** Stores the configuration of those that this call has just recorded a change of. */
const STORE_VERSIONS = statement(
  STORED,
  ({ now, requestId, ...named }) => sql`
  insert into ${configurationVersions} (${list([configurationVersions.municipalityId, configurationVersions.recordedAt, configurationVersions.part, configurationVersions.record].map(bare))})
  select found.id, ${changes.recordedAt}, found.part, found.record
  from (
    ${foundOf(named)}
    select id, part, record from found
  ) as found
  cross join ${changes}
    on ${changes.municipalityId} = found.id
    and ${changes.recordedAt} = ${lastRecordedAt(sql.raw('found.id'))}
  where ${changes.requestId} = ${bytesOfUuid(requestId)}
    and ${changes.batch} = 0
    and ${now} is not null
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
  [RECORD_CHANGES, STORE_VERSIONS].map((statement) =>
    statement.prepare(db, { ...by, municipalities: json(of.municipalities), tenants: json(of.tenants) }),
  );
