import { withTimeout } from '../../base/platform/deadline.ts';
import type { Env } from '../../env.ts';
import { databasesOf, HOME } from '../../storage/databases/bindings.ts';
import { locateByRows } from '../../storage/databases/lives-at.ts';
import { sideBySide } from '../../storage/databases/side-by-side.ts';
import { readStanding, type Standing } from './moves-table.ts';

/** A database that takes longer is away. */
const READ_MS = 3_000;

/** A municipality's rows in all databases; one that is away is left out. */
export interface Standings {
  readonly rows: ReadonlyMap<string, Standing>;
  /** The name of the database where it lives, and can be read. */
  readonly livesIn: string | null;
  /** The name of the database where a restore of it is under way. */
  readonly restoresIn: string | null;
}

/**
 * @param to the database where it is to be restored
 * @throws Error when that, or the home, cannot be read
 */
export async function readStandings(env: Env, code: string, to = HOME): Promise<Standings> {
  const databases = databasesOf(env);
  const isNeeded = (name: string): boolean => name === HOME || name === to;
  const outcomes = await sideBySide(databases, ({ name, db }) =>
    isNeeded(name) ? readStanding(db, code) : withTimeout(READ_MS, readStanding(db, code)),
  );
  const rows = new Map<string, Standing>();
  for (const [index, outcome] of outcomes.entries()) {
    const name = databases[index]?.name;
    if (outcome.status === 'rejected' && name !== undefined && isNeeded(name)) {
      throw outcome.reason;
    }
    if (name !== undefined && outcome.status === 'fulfilled' && outcome.value !== null) {
      rows.set(name, outcome.value);
    }
  }
  const restoring = [...rows].find(([, { move }]) => move?.state === 'moving' && move.restore !== null);
  return {
    rows,
    livesIn: locateByRows(new Map([...rows].map(([name, { row }]) => [name, row]))),
    restoresIn: restoring?.[0] ?? null,
  };
}
