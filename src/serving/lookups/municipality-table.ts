import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { credentialMunicipalities, municipalities, tenants } from '../../storage/db/schema/index.ts';
import {
  columns,
  parameter,
  primaryKeyOf,
  type RowOf,
  type Selection,
  statement,
  tableAs,
} from '../../storage/db/sql.ts';
import type { FoundMunicipality, MunicipalityFinding, MunicipalitySearch } from './municipality-choice.ts';

/** The municipality of a statement made of these parts. */
export const municipality = alias(municipalities, 'municipality');
const link = alias(credentialMunicipalities, 'link');

/** What each search selects of the municipality, for the choice. After a search by grant all may be null. */
export const MUNICIPALITY_COLUMNS = {
  code: sql<string | null>`${municipality.code}`,
  tenant_id: sql<number | null>`${municipality.tenantId}`,
  active: sql<number | null>`${municipality.active}`,
  moved_to: municipality.movedTo,
  arriving: sql<number | null>`${municipality.arriving}`,
  stay: sql<number | null>`${municipality.stay}`,
  // The tenant's own row is read only where none of its municipalities is found.
  tenant_active: sql<number | null>`case when ${municipality.id} is null then (
    select ${tenants.active} from ${tenants} where ${tenants.id} = ${parameter(2)}
  ) else ${municipality.tenantActive} end`,
} as const;

/**
 * The `from` of a statement that reads municipalities: a row each, two at most. A search by grant gives one row
 * without a municipality where there is none.
 *
 * @param joins further tables, read for each of them
 */
export function fromMunicipalities(by: MunicipalitySearch['by'], joins: SQL = sql``): SQL {
  switch (by) {
    case 'code':
      return sql`from ${tableAs(municipalities, municipality)} ${joins} where ${municipality.code} = ${parameter(1)} and ${parameter(2)} is null`;
    case 'credential':
      return sql`from ${tableAs(credentialMunicipalities, link, primaryKeyOf(credentialMunicipalities))}
        cross join ${tableAs(municipalities, municipality)} on ${municipality.id} = ${link.municipalityId} ${joins}
        where ${link.credentialId} = ${parameter(1)} and ${parameter(2)} is null
        limit 2`;
    case 'grant':
      return sql`from (select 1)
        left join ${tableAs(municipalities, municipality)}
          on ${municipality.code} in (select value from json_each(${parameter(1)}))
          and ${municipality.tenantId} = ${parameter(2)} and ${municipality.active}
        ${joins}
        limit 2`;
    default:
      return by satisfies never;
  }
}

/** The first two parameters of such a statement. */
export function municipalityParameters(search: MunicipalitySearch): [first: string, second: number | null] {
  switch (search.by) {
    case 'code':
      return [search.code, null];
    case 'credential':
      return [search.credentialId, null];
    case 'grant':
      return [JSON.stringify(search.codes), search.tenantId];
    default:
      return search satisfies never;
  }
}

/** What {@link MUNICIPALITY_COLUMNS} say in each row. */
interface MunicipalityRow {
  readonly code: string | null;
  readonly tenant_id: number | null;
  readonly active: number | null;
  readonly moved_to: string | null;
  readonly arriving: number | null;
  readonly stay: number | null;
  readonly tenant_active: number | null;
}

/** The rows that hold a municipality, and whether the tenant is active. */
export function findingOf<Row extends MunicipalityRow>(rows: readonly Row[]) {
  const [first] = rows;
  return {
    tenantActive: first?.tenant_active === 1,
    rows: rows.flatMap((row) =>
      row.code === null || row.tenant_id === null
        ? []
        : [{ row, place: placeOf(row, row.code, row.tenant_id) }],
    ),
  };
}

const placeOf = (row: MunicipalityRow, code: string, tenantId: number): FoundMunicipality => ({
  code,
  tenantId,
  active: row.active === 1,
  movedTo: row.moved_to,
  isArriving: row.arriving === 1,
  stay: row.stay ?? 0,
});

type Row<Selected extends Selection> = RowOf<typeof MUNICIPALITY_COLUMNS> & RowOf<Selected>;

/**
 * A reader of municipalities in one statement, whatever they are searched by.
 *
 * @param selection what it reads of each, all of it null where there is no municipality
 * @param factsOf what the columns say; its further arguments are the statement's parameters, which count from 3
 * @param joins further tables, read for each of them
 */
export function municipalityReader<
  const Selected extends Selection,
  Facts,
  const Parameters extends readonly unknown[],
>(selection: Selected, factsOf: (row: Row<Selected>, ...parameters: Parameters) => Facts, joins?: () => SQL) {
  const statementBy = (by: MunicipalitySearch['by']) =>
    statement(
      () =>
        sql`select ${columns({ ...MUNICIPALITY_COLUMNS, ...selection })} ${fromMunicipalities(by, joins?.())}`,
    );
  const statements = {
    code: statementBy('code'),
    credential: statementBy('credential'),
    grant: statementBy('grant'),
  };
  return async (
    db: D1DatabaseSession,
    search: MunicipalitySearch,
    ...parameters: Parameters
  ): Promise<MunicipalityFinding<FoundMunicipality & Facts>> => {
    const { results } = await db
      .prepare(statements[search.by]())
      .bind(...municipalityParameters(search), ...parameters)
      .all<Row<Selected>>();
    const { tenantActive, rows } = findingOf(results);
    return {
      tenantActive,
      municipalities: rows.map(({ row, place }) => ({ ...place, ...factsOf(row, ...parameters) })),
    };
  };
}
