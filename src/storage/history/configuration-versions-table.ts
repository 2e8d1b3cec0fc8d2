import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { pick } from '../../base/platform/pick.ts';
import { AREA_FIELDS } from '../configuration/area-fields.ts';
import type { ColumnsOf, Fields } from '../configuration/fields.ts';
import {
  MUNICIPALITY_FIELDS,
  PLAN_FIELDS,
  SOURCE_FIELDS,
  SUBSCRIPTION_TYPE_FIELDS,
} from '../configuration/item-fields.ts';
import { lastRecordedAt, recordChange } from '../db/changes-sql.ts';
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
import {
  bare,
  bytesOfUuid,
  type Json,
  json,
  jsonFlag,
  jsonObject,
  list,
  literal,
  primaryKeyOf,
  tableAs,
} from '../db/sql.ts';
import { type Parameters, statement, type ValuesOf, value } from '../db/statement.ts';

/** A municipality's configuration as it was. A version has further parts if its areas did not fit into the first one. */
const version = alias(configurationVersions, 'version');

const versionsOf = (municipalityId: SQLWrapper): SQL => sql`
      from ${tableAs(configurationVersions, version, primaryKeyOf(configurationVersions))}
      where ${version.municipalityId} = ${municipalityId}`;

/** The records of the parts of the version known at an instant, a JSON list in their order. */
export const recordsKnown = (municipalityId: SQLWrapper, at: SQLWrapper): SQL => sql`(
      select json_group_array(json(${version.record}) order by ${version.part})
      ${versionsOf(municipalityId)}
        and ${version.recordedAt} = (
          select max(${version.recordedAt})
          ${versionsOf(municipalityId)}
            and ${version.recordedAt} <= ${at}
        )
    )`;

/** As {@link recordsKnown}, the record of the first part alone: it has everything but the areas that did not fit. */
export const firstRecordKnown = (municipalityId: SQLWrapper, at: SQLWrapper): SQL => sql`(
      select ${version.record}
      ${versionsOf(municipalityId)}
        and ${version.recordedAt} <= ${at}
        and ${version.part} = 0
      order by ${version.recordedAt} desc
      limit 1
    )`;

/** When the first known version was recorded; null if none is known. */
export const knownSince = (municipalityId: SQLWrapper): SQL<number | null> => sql`(
      select min(${version.recordedAt})
      ${versionsOf(municipalityId)}
    )`;

/** Whether a version was recorded after an instant. */
export const hasChangedSince = (municipalityId: SQLWrapper, at: SQLWrapper): SQL => sql`exists (
      select 1
      ${versionsOf(municipalityId)}
        and ${version.recordedAt} > ${at}
    )`;

/** The number of versions recorded from an instant on. */
export const versionsSince = (municipalityId: SQLWrapper, at: SQLWrapper): SQL<number> => sql`(
      select count(*)
      ${versionsOf(municipalityId)}
        and ${version.recordedAt} >= ${at}
        and ${version.part} = 0
    )`;

/** Codes of municipalities, and of tenants: a tenant's code means all of its municipalities. */
const NAMED = { municipalities: value<Json<readonly string[]>>(), tenants: value<Json<readonly string[]>>() };
const STORED = { ...NAMED, now: value<number>(), requestId: value<string>() };

/** D1 allows 2 MB a row. This many areas with the longest names fit, along with the rest of a municipality. */
const AREAS_PER_ROW = 150;

const municipality = alias(municipalities, 'municipality');
const tenant = alias(tenants, 'tenant');
const area = alias(areas, 'area');
const source = alias(sources, 'source');
const subscriptionType = alias(subscriptionTypes, 'subscription_type');
const plan = alias(plans, 'plan');

/**
 * The fields of an item as JSON, by name.
 *
 * @param own SQL for the fields that have no column in the item's row
 */
function jsonOf<Of extends Fields, Own extends keyof Of = never>(
  fields: Of,
  row: { readonly [Column in ColumnsOf<Omit<Of, Own>>]: SQLiteColumn },
  own?: { readonly [Name in Own]: SQLWrapper },
): { readonly [Name in keyof Of]: SQLWrapper } {
  const columns: Readonly<Record<string, SQLiteColumn>> = row;
  const named: Readonly<Record<string, SQLWrapper>> = own ?? {};
  // One entry for each field.
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, named[name] ?? jsonOfField(field, columns)]),
  ) as { [Name in keyof Of]: SQLWrapper };
}

function jsonOfField(field: Fields[string], columns: Readonly<Record<string, SQLiteColumn>>): SQLWrapper {
  if ('fields' in field) return jsonObject(jsonOf(field.fields, columns));
  const column = 'column' in field ? columns[field.column] : undefined;
  if (column === undefined) throw new Error('a field has neither a column nor SQL');
  if ('form' in field && field.form === 'json') return sql`json(${column})`;
  return column.dataType === 'boolean' ? jsonFlag(column) : column;
}

// Versions are compared as text, so the order of properties must not change.
const areaJson = jsonOf(AREA_FIELDS, area);
const AREA = jsonObject({
  id: area.id,
  ...pick(areaJson, 'code', 'name', 'area_type', 'capacity', 'active'),
  ...areaJson,
});

const SOURCE = jsonObject({ id: source.id, ...jsonOf(SOURCE_FIELDS, source) });

const TYPE = jsonObject(jsonOf(SUBSCRIPTION_TYPE_FIELDS, subscriptionType));

const OPERATIONS = sql`json(case
  when ${plan.forFirstActivation} and ${plan.forRenewal} then '["first_activation","renewal"]'
  when ${plan.forFirstActivation} then '["first_activation"]'
  when ${plan.forRenewal} then '["renewal"]'
  else '[]' end)`;

const PLAN = jsonObject(
  jsonOf(PLAN_FIELDS, plan, {
    subscription_type: sql`(select ${subscriptionType.code} from ${tableAs(subscriptionTypes, subscriptionType)} where ${subscriptionType.id} = ${plan.subscriptionTypeId})`,
    operations: OPERATIONS,
  }),
);

const inOrder = (item: SQL, code: SQL, from: SQL): SQL =>
  sql`(select json_group_array(json(${item}) order by ${code}) ${from})`;

const FIRST_AREAS = sql`(select list from parts where id = ${municipality.id} and part = 0)`;
const FURTHER_ROWS = sql`(select count(*) from parts where id = ${municipality.id} and part > 0)`;

const { active, services, ...firstFields } = jsonOf(MUNICIPALITY_FIELDS, municipality, {
  tenant: tenant.code,
});

const WHOLE = jsonObject({
  id: municipality.id,
  ...firstFields,
  tenant_active: jsonFlag(tenant.active),
  active,
  services,
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

/** The areas of the municipalities by code, {@link AREAS_PER_ROW} to a row. */
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

/** The named municipalities that live in this database, with their whole configuration as of now, as `found`. */
const foundOf = (named: Parameters<ValuesOf<typeof NAMED>>): SQL => sql`
  with named as materialized (
    select ${municipality.id} as id
    from ${tableAs(municipalities, municipality)}
    where ${municipality.code} in (select value from json_each(${named.municipalities}))
      and not ${municipality.restoring}
    union
    select ${municipality.id}
    from ${tableAs(municipalities, municipality)}
    where ${municipality.tenantId} in (
        select ${tenant.id}
        from ${tableAs(tenants, tenant)}
        where ${tenant.code} in (select value from json_each(${named.tenants}))
      )
      and not ${municipality.restoring}
  ),
  parts as materialized (${PARTS}),
  found as materialized (${ROWS})`;

const newestVersion = alias(configurationVersions, 'newest_version');

/** Records a change of each municipality whose configuration differs from its newest version. */
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

/** Stores the configuration of the municipalities that {@link RECORD_CHANGES} recorded a change of. */
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
 * Stores the whole configuration of municipalities that live in this database, as the earlier statements of the same
 * transaction left it. Skips a configuration that has not changed.
 */
export const versionStatements = (
  db: D1Database,
  of: { readonly municipalities: readonly string[]; readonly tenants: readonly string[] },
  by: { readonly requestId: string; readonly now: number },
): D1PreparedStatement[] =>
  [RECORD_CHANGES, STORE_VERSIONS].map((statement) =>
    statement.prepare(db, { ...by, municipalities: json(of.municipalities), tenants: json(of.tenants) }),
  );
