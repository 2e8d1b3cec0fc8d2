import { clockNow } from '../../base/platform/clock.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { getDatabase, HOME, hasSeveral } from '../../storage/databases/bindings.ts';
import { DatabaseLocations } from '../../storage/databases/database-locations.ts';
import { renewDirectory } from '../../storage/databases/directory-store.ts';
import { allSideBySide } from '../../storage/databases/side-by-side.ts';
import { type Changes, type Row, TABLE_NAMES, type TableChanges, type TableName } from './changes.ts';
import { type Ids, readIds, writeConfiguration } from './configuration-table.ts';
import { MUNICIPALITY } from './kinds.ts';
import { changedColumns } from './merge.ts';
import type { ServiceState } from './read-everywhere.ts';
import type { NamedMunicipality, Reading } from './reading.ts';

/** The changes that a document makes in one database. */
interface DatabaseChanges {
  /** The database's name. */
  readonly name: string;
  readonly changes: Changes;
  /** Codes of the changed municipalities that live in it. */
  readonly living: readonly string[];
}

/** Returns the name of a municipality's database, also of one that the document creates. */
type DatabaseOf = (code: string) => string;

/**
 * The changes in the home: tenants, the municipalities that live there, and the directory's rows of the others, which repeat
 * the municipality's own row.
 *
 * @param named the municipalities that the document names
 */
function changesOfHome(
  changes: Changes,
  state: ServiceState,
  databaseOf: DatabaseOf,
  named: readonly NamedMunicipality[],
): DatabaseChanges {
  const own = changesIn(HOME, changes, databaseOf);
  const elsewhere = ({ code }: { readonly code?: unknown }) => databaseOf(String(code)) !== HOME;
  return {
    name: HOME,
    changes: {
      ...own,
      tenants: changes.tenants,
      municipalities: {
        created: [
          ...own.municipalities.created,
          ...changes.municipalities.created
            .filter(elsewhere)
            .map((row) => ({ ...row, movedTo: databaseOf(String(row.code)) })),
        ],
        updated: [
          ...own.municipalities.updated,
          ...named.filter(elsewhere).flatMap((municipality) => directoryUpdate(municipality, state)),
        ],
        unchanged: 0,
      },
    },
    living: [...state.municipalities.keys()].filter((code) => databaseOf(code) === HOME),
  };
}

/**
 * The change of the directory's row of a municipality that lives elsewhere. Compares the document with the directory's row,
 * which differs from the municipality's own row if an earlier document failed between writing the two.
 */
function directoryUpdate({ code, given }: NamedMunicipality, state: ServiceState): Row[] {
  const row = state.homeRows.get(code);
  if (row === undefined || !state.municipalities.has(code)) {
    return [];
  }
  const changed = changedColumns(row, MUNICIPALITY.columns(given));
  return Object.keys(changed).length === 0 ? [] : [{ code, ...changed }];
}

/**
 * The changes in the other databases: the municipalities that live there, and their tenants. Call it after writing the home,
 * which assigns the ids.
 */
function changesElsewhere(
  changes: Changes,
  state: ServiceState,
  databaseOf: DatabaseOf,
  ids: Ids,
): DatabaseChanges[] {
  const names = new Set([
    // A municipality may be moving to a database that did not have its tenant when the document was read.
    ...(changes.tenants.updated.length > 0 ? state.bound : state.tenantsElsewhere.keys()),
    ...TABLE_NAMES.filter((table) => table !== 'tenants').flatMap((table) =>
      [...changes[table].created, ...changes[table].updated].map((row) => databaseOf(municipalityOf(row))),
    ),
  ]);
  names.delete(HOME);
  return [...names].map((name) => {
    const own = changesIn(name, changes, databaseOf);
    const { created } = own.municipalities;
    return {
      name,
      changes: {
        ...own,
        tenants: tenantsIn(name, created, changes, state, ids),
        municipalities: {
          ...own.municipalities,
          created: created.map((row) => withId(row, ids.municipalities)),
        },
      },
      living: [...state.municipalities.keys()].filter((code) => databaseOf(code) === name),
    };
  });
}

/**
 * The changes of tenants in a database. Creates the missing tenants of its new municipalities. Updates the tenants that it has
 * with other values, and those that the document changes: if it does not have one, the update matches no row.
 */
function tenantsIn(
  name: string,
  municipalities: readonly Row[],
  changes: Changes,
  state: ServiceState,
  ids: Ids,
): TableChanges {
  const there: ServiceState['tenants'] = state.tenantsElsewhere.get(name) ?? new Map();
  const needed = new Set(municipalities.map(({ tenant }) => String(tenant)));
  const all = tenantsAfter(changes, state);
  return {
    created: [...needed]
      .filter((code) => !there.has(code))
      .map((code) => all.get(code) ?? { code })
      .map((row) => withId(row, ids.tenants)),
    updated: [...all.values()].filter((after) => {
      const before = there.get(String(after.code));
      return before === undefined
        ? changes.tenants.updated.some(({ code }) => code === after.code)
        : Object.keys(changedColumns(before, after)).length > 0;
    }),
    unchanged: 0,
  };
}

/** The tenants after the home is written, with all their columns. */
function tenantsAfter(changes: Changes, { tenants }: ServiceState): ReadonlyMap<string, Row> {
  const all = new Map<string, Row>(
    [...tenants.values()].map(({ code, name, active, dailyChanges }) => [
      code,
      { code, name, active, dailyChanges },
    ]),
  );
  for (const row of [...changes.tenants.created, ...changes.tenants.updated]) {
    const code = String(row.code);
    all.set(code, { ...all.get(code), ...row });
  }
  return all;
}

function changesIn(name: string, changes: Changes, databaseOf: DatabaseOf): Changes {
  const isIn = (row: Row) => databaseOf(municipalityOf(row)) === name;
  const split = TABLE_NAMES.map((table): [TableName, TableChanges] => {
    const { created, updated } = changes[table];
    return table === 'tenants'
      ? [table, { created: [], updated: [], unchanged: 0 }]
      : [table, { created: created.filter(isIn), updated: updated.filter(isIn), unchanged: 0 }];
  });
  // One entry for each table.
  return Object.fromEntries(split) as Changes;
}

const municipalityOf = (row: Row): string => String(row.municipality ?? row.code);

function withId(row: Row, ids: ReadonlyMap<string, number>): Row {
  const id = ids.get(String(row.code));
  if (id === undefined) {
    throw new Error(`the home has no row with the code ${row.code}`);
  }
  return { ...row, id };
}

/**
 * Writes the changes to the home, which holds every tenant and municipality and assigns the ids, and then to the other
 * databases.
 */
export async function writeEverywhere(
  context: CallContext,
  changes: Changes,
  state: ServiceState,
  { municipalities }: Reading,
): Promise<void> {
  const { env } = context;
  const asNamed = new Map(municipalities.map(({ code, given }) => [code, given.database]));
  const databaseOf = (code: string) => state.directory.get(code)?.database ?? asNamed.get(code) ?? HOME;
  const write = ({ name, changes: own, living }: DatabaseChanges) =>
    // With a single database, no municipality can have moved.
    writeConfiguration(getDatabase(env, name), own, hasSeveral(env) ? living : [], {
      requestId: context.requestId,
      storedAt: clockNow(),
    });

  await write(changesOfHome(changes, state, databaseOf, municipalities));
  if (!hasSeveral(env)) {
    return;
  }
  const created = changes.municipalities.created.filter(({ code }) => databaseOf(String(code)) !== HOME);
  const ids =
    created.length > 0
      ? await readIds(env.DB, {
          tenants: created.map(({ tenant }) => String(tenant)),
          municipalities: created.map(({ code }) => String(code)),
        })
      : NO_IDS;
  await allSideBySide(changesElsewhere(changes, state, databaseOf, ids), write);
  if (created.length > 0) {
    for (const { code } of created) {
      context.isolate.get(DatabaseLocations).remember(String(code), databaseOf(String(code)));
    }
    context.waitUntil(renewDirectory(env));
  }
}

const NO_IDS = { tenants: new Map(), municipalities: new Map() };
