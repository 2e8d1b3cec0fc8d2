import type { Env } from '../../env.ts';
import { databasesOf, getDatabase, HOME } from '../../storage/databases/bindings.ts';
import { type CameFrom, livesAt, noRow } from '../../storage/databases/lives-at.ts';
import { allSideBySide } from '../../storage/databases/side-by-side.ts';
import { readHomeReferences, readReferredRows } from './managed-credentials-table.ts';
import type { ReferenceFacts, References } from './references.ts';

/**
 * Which of the tenant, municipalities, source and areas that a credential refers to exist. The home knows all but the
 * sources and areas of the municipalities that live elsewhere: for these, their rows are followed to where they live.
 */
export async function readReferences(env: Env, references: References): Promise<ReferenceFacts> {
  const { elsewhere, ...facts } = await readHomeReferences(env.DB, references);
  const needsSource = references.sourceCode !== null && facts.municipalitiesWithSource.length === 0;
  if (!needsSource && references.areas.length === 0) {
    return facts;
  }
  const pointed = elsewhere.map(({ code, database, stay }) => ({
    code,
    from: { name: HOME, stay },
    to: database,
  }));
  const { withSource, areas } = await follow(env, pointed, references);
  return {
    ...facts,
    municipalitiesWithSource: [...facts.municipalitiesWithSource, ...withSource],
    areas: [...facts.areas, ...areas],
  };
}

/** Where a municipality's row points, and which row that is. */
interface Pointer {
  readonly code: string;
  readonly from: CameFrom;
  readonly to: string;
}

/** The codes of a credential's references that exist in the municipalities' databases. */
interface FoundElsewhere {
  /** Of municipalities. */
  readonly withSource: readonly string[];
  readonly areas: readonly string[];
}

/**
 * @throws Error when a row points to a database that has no row of the municipality, or is not bound
 */
async function follow(
  env: Env,
  pointed: readonly Pointer[],
  references: References,
  hops = 0,
): Promise<FoundElsewhere> {
  if (hops > databasesOf(env).length + 1) {
    throw new Error('the rows of municipalities point in a circle');
  }
  const withSource: string[] = [];
  const areas: string[] = [];
  const further: Pointer[] = [];
  await allSideBySide([...Map.groupBy(pointed, ({ to }) => to)], async ([name, pointers]) => {
    const codes = pointers.map(({ code }) => code);
    const rows = await readReferredRows(getDatabase(env, name), codes, references);
    const found = new Map(rows.map((row) => [row.code, row]));
    for (const { code, from } of pointers) {
      const row = found.get(code);
      if (row === undefined) {
        throw noRow(code, name);
      }
      const { movedTo, stay, hasSource, foundAreas } = row;
      if (movedTo !== null && !livesAt(row, from)) {
        further.push({ code, from: { name, stay }, to: movedTo });
        continue;
      }
      areas.push(...foundAreas);
      if (hasSource) {
        withSource.push(code);
      }
    }
  });
  if (further.length === 0) {
    return { withSource, areas };
  }
  const beyond = await follow(env, further, references, hops + 1);
  return { withSource: [...withSource, ...beyond.withSource], areas: [...areas, ...beyond.areas] };
}
