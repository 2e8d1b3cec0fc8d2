import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { municipalities } from '../../storage/db/schema/index.ts';
import { type RowOf, type Selection, tableAs } from '../../storage/db/sql.ts';
import {
  type Declared,
  first,
  type Parameters,
  select,
  statement,
  type ValuesOf,
  value,
} from '../../storage/db/statement.ts';
import type { FoundMunicipality } from './granted-municipality.ts';

/** The municipality of a statement made of these parts. */
export const municipality = alias(municipalities, 'municipality');

/** The first parameter of a statement that reads a municipality. */
export const BY_CODE = { code: value<string>() };
type ByCode = ValuesOf<typeof BY_CODE>;

/** What every reader reads of the municipality. */
export const MUNICIPALITY = {
  code: municipality.code,
  tenant_id: municipality.tenantId,
  active: municipality.active,
  tenant_active: municipality.tenantActive,
} as const;

/** The `from` of a statement that reads a municipality: one row, or none while it is being restored. */
export const fromMunicipality = ({ code }: Parameters<ByCode>, joins: SQL = sql``): SQL => sql`
  from ${tableAs(municipalities, municipality)} ${joins}
  where ${municipality.code} = ${code} and not ${municipality.restoring}`;

/** What a row says of the municipality. */
export const foundIn = (row: RowOf<typeof MUNICIPALITY>): FoundMunicipality => ({
  code: row.code,
  tenantId: row.tenant_id,
  active: row.active === 1,
  tenantActive: row.tenant_active === 1,
});

/** What a reader reads of the municipality, beside {@link MUNICIPALITY}. */
interface Reading<Values, Selected extends Selection, Facts> {
  /** The statement's parameters behind the code. */
  readonly declared?: Declared<Values>;
  readonly selection: (parameters: Parameters<Values>) => Selected;
  /** Further tables, read with it. */
  readonly joins?: (parameters: Parameters<Values>) => SQL;
  /** What the columns say. */
  readonly factsOf: (row: RowOf<typeof MUNICIPALITY & Selected>, values: Values) => Facts;
}

/** A reader of a municipality in one statement: null for an unknown code. */
export function municipalityReader<Values, const Selected extends Selection, Facts>({
  declared,
  selection,
  joins,
  factsOf,
}: Reading<Values, Selected, Facts>) {
  type All = ByCode & Values;
  // The names of both, which TypeScript does not see of a type that it does not know yet.
  const reading = statement({ ...BY_CODE, ...declared } as Declared<All>, (parameters) =>
    select({ ...MUNICIPALITY, ...selection(parameters) }, fromMunicipality(parameters, joins?.(parameters))),
  );
  return async (
    db: D1Database,
    code: string,
    ...[values]: keyof Values extends never ? [] : [values: Values]
  ): Promise<(FoundMunicipality & Facts) | null> => {
    const own = values ?? ({} as Values);
    const row = await first(reading.prepare(db, { code, ...own }));
    return row === null ? null : { ...foundIn(row), ...factsOf(row, own) };
  };
}
