import { clockNow } from '../../base/platform/clock.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { getDatabase, HOME, hasSeveral } from '../../storage/databases/bindings.ts';
import { DatabaseLocations } from '../../storage/databases/database-locations.ts';
import { renewDirectory } from '../../storage/databases/directory-store.ts';
import { allSideBySide } from '../../storage/databases/side-by-side.ts';
import type { Changes } from './changes.ts';
import { readIds, writeConfiguration } from './configuration-table.ts';
import type { ServiceState } from './read-everywhere.ts';
import type { Reading } from './reading.ts';
import { changesElsewhere, changesOfHome, type DatabaseChanges } from './split-changes.ts';

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
