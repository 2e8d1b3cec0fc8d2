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

/** What a document changes in one database. */
interface DatabaseChanges {
  /** The database's name. */
  readonly name: string;
  readonly changes: Changes;
  /** Codes of the changed municipalities that live in it. */
  readonly living: readonly string[];
}

/** The name of the database of a municipality that exists, or that the document creates. */
type DatabaseOf = (code: string) => string;

/**
 * What a document changes in the home: tenants, the municipalities that live in it, and the directory of the others,
 * whose rows repeat what the municipality's own row says.
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
 * What a document changes in the directory's row of a municipality that lives elsewhere. It is compared with that row itself,
 * which differs from the municipality's own where an earlier document broke off between the two.
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
 * What a document changes in the other databases: the municipalities that live there, and the tenants that they have
 * there. Call it once the home is written, which gives the ids.
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
 * The tenants of its new municipalities, those that it has with other values, and those that the document changes: an update
 * of one that it does not have finds no row.
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

/** The tenants as they are once the home is written, with all their columns. */
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
  // One entry for each name of a table.
  return Object.fromEntries(split) as Changes;
}

/** A municipality's own row has its code alone. */
const municipalityOf = (row: Row): string => String(row.municipality ?? row.code);

function withId(row: Row, ids: ReadonlyMap<string, number>): Row {
  const id = ids.get(String(row.code));
  if (id === undefined) {
    throw new Error(`the home has no row of ${row.code}`);
  }
  return { ...row, id };
}

/**
 * Writes the changes to the home, which knows every tenant and municipality and gives the ids, then to the other databases
 * that they are about.
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
    // Where there is one database, nothing goes elsewhere.
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
