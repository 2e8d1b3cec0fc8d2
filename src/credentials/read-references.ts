import { databasesOf, getDatabase, HOME } from '../databases/bindings.ts';
import { type CameFrom, livesAt, noRow } from '../databases/lives-at.ts';
import { allSideBySide } from '../databases/side-by-side.ts';
import type { Env } from '../env.ts';
import { readHomeReferences, readSourceRows } from './managed-credentials-table.ts';
import type { ReferenceFacts, References } from './references.ts';

/**
 * Which of the tenant, municipalities and source that a credential refers to exist. The home knows all but the sources of
 * the municipalities that live elsewhere: for these, their rows are followed to where they live.
 */
export async function readReferences(env: Env, references: References): Promise<ReferenceFacts> {
  const { elsewhere, ...facts } = await readHomeReferences(env.DB, references);
  const { sourceCode } = references;
  if (sourceCode === null || facts.municipalitiesWithSource.length > 0) {
    return facts;
  }
  const pointed = elsewhere.map(({ code, database, stay }) => ({
    code,
    from: { name: HOME, stay },
    to: database,
  }));
  return { ...facts, municipalitiesWithSource: await followToSource(env, pointed, sourceCode) };
}

/** Where a municipality's row points, and which row that is. */
interface Pointer {
  readonly code: string;
  readonly from: CameFrom;
  readonly to: string;
}

/**
 * @returns the codes of the municipalities that have the source where they live
 * @throws Error when a row points to a database that has no row of the municipality, or is not bound
 */
async function followToSource(
  env: Env,
  pointed: readonly Pointer[],
  sourceCode: string,
  hops = 0,
): Promise<string[]> {
  if (hops > databasesOf(env).length + 1) {
    throw new Error('the rows of municipalities point in a circle');
  }
  const withSource: string[] = [];
  const further: Pointer[] = [];
  await allSideBySide([...Map.groupBy(pointed, ({ to }) => to)], async ([name, pointers]) => {
    const codes = pointers.map(({ code }) => code);
    const rows = await readSourceRows(getDatabase(env, name), codes, sourceCode);
    const found = new Map(rows.map((row) => [row.code, row]));
    for (const { code, from } of pointers) {
      const row = found.get(code);
      if (row === undefined) {
        throw noRow(code, name);
      }
      const { movedTo, stay, hasSource } = row;
      if (movedTo !== null && !livesAt(row, from)) {
        further.push({ code, from: { name, stay }, to: movedTo });
      } else if (hasSource) {
        withSource.push(code);
      }
    }
  });
  return further.length === 0
    ? withSource
    : [...withSource, ...(await followToSource(env, further, sourceCode, hops + 1))];
}
