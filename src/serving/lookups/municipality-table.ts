import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { municipalities, tenants } from '../../storage/db/schema/index.ts';
import { json, type RowOf, type Selection, tableAs } from '../../storage/db/sql.ts';
import {
  all,
  type Declared,
  type Parameters,
  select,
  statement,
  type ValuesOf,
  value,
} from '../../storage/db/statement.ts';
import type { FoundMunicipality, MunicipalityFinding, MunicipalitySearch } from './municipality.ts';

/** The municipality of a statement made of these parts. */
export const municipality = alias(municipalities, 'municipality');

/** The first parameters of a search: the code or a JSON list of codes, and the tenant of such a list. */
export const SEARCH = { wanted: value<string>(), tenantId: value<number | null>() };
type SearchValues = ValuesOf<typeof SEARCH>;
type Search = Parameters<SearchValues>;

/** What each search selects of the municipality, for the choice. After a search by grant all may be null. */
export const municipalityColumns = ({ tenantId }: Pick<Search, 'tenantId'>) =>
  ({
    code: sql<string | null>`${municipality.code}`,
    tenant_id: sql<number | null>`${municipality.tenantId}`,
    active: sql<number | null>`${municipality.active}`,
    // The tenant's own row is read only where none of its municipalities is found.
    tenant_active: sql<number | null>`
      case when ${municipality.id} is null
        then (select ${tenants.active} from ${tenants} where ${tenants.id} = ${tenantId})
        else ${municipality.tenantActive}
      end`,
  }) as const;

/**
 * The `from` of a statement that reads municipalities: a row each, two at most. A search by grant gives one row
 * without a municipality where there is none.
 *
 * @param joins further tables, read for each of them
 */
export function fromMunicipalities(
  by: MunicipalitySearch['by'],
  { wanted, tenantId }: Search,
  joins: SQL = sql``,
): SQL {
  switch (by) {
    case 'code':
      return sql`
        from ${tableAs(municipalities, municipality)} ${joins}
        where ${municipality.code} = ${wanted}
          and not ${municipality.restoring}
          and ${tenantId} is null`;
    case 'grant':
      return sql`
        from (select 1)
        left join ${tableAs(municipalities, municipality)}
          on ${municipality.code} in (select value from json_each(${wanted}))
          and ${municipality.tenantId} = ${tenantId}
          and ${municipality.active}
          and not ${municipality.restoring} ${joins}
        limit 2`;
    default:
      return by satisfies never;
  }
}

/** The values of {@link SEARCH}. */
export function searchValues(search: MunicipalitySearch): SearchValues {
  switch (search.by) {
    case 'code':
      return { wanted: search.code, tenantId: null };
    case 'grant':
      return { wanted: json(search.codes), tenantId: search.tenantId };
    default:
      return search satisfies never;
  }
}

/** What {@link municipalityColumns} say in each row. */
interface MunicipalityRow {
  readonly code: string | null;
  readonly tenant_id: number | null;
  readonly active: number | null;
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
});

type MunicipalityColumns = ReturnType<typeof municipalityColumns>;

/** What a reader reads of each municipality. */
interface Reading<Values, Selected extends Selection, Facts> {
  /** The statement's parameters behind those of the search. */
  readonly declared?: Declared<Values>;
  /** All of it is null where there is no municipality. */
  readonly selection: (parameters: Parameters<Values>) => Selected;
  /** Further tables, read for each municipality. */
  readonly joins?: (parameters: Parameters<Values>) => SQL;
  /** What the columns say. */
  readonly factsOf: (row: RowOf<MunicipalityColumns & Selected>, values: Values) => Facts;
}

/** A reader of municipalities in one statement, whatever they are searched by. */
export function municipalityReader<Values, const Selected extends Selection, Facts>({
  declared,
  selection,
  joins = () => sql``,
  factsOf,
}: Reading<Values, Selected, Facts>) {
  type All = SearchValues & Values;
  const statementBy = (by: MunicipalitySearch['by']) =>
    // The names of both, which TypeScript does not see of a type that it does not know yet.
    statement({ ...SEARCH, ...declared } as Declared<All>, (parameters) =>
      select(
        { ...municipalityColumns(parameters), ...selection(parameters) },
        fromMunicipalities(by, parameters, joins(parameters)),
      ),
    );
  const statements = {
    code: statementBy('code'),
    grant: statementBy('grant'),
  };
  return async (
    db: D1Database,
    search: MunicipalitySearch,
    ...[values]: keyof Values extends never ? [] : [values: Values]
  ): Promise<MunicipalityFinding<FoundMunicipality & Facts>> => {
    const own = values ?? ({} as Values);
    const { results } = await all(statements[search.by].prepare(db, { ...searchValues(search), ...own }));
    const { tenantActive, rows } = findingOf(results);
    return {
      tenantActive,
      municipalities: rows.map(({ row, place }) => ({ ...place, ...factsOf(row, own) })),
    };
  };
}
