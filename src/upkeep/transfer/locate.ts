import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import type { Text } from '../../base/text/text.ts';
import type { Env } from '../../env.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { databasesOf, HOME } from '../../storage/databases/bindings.ts';
import { DatabaseLocations } from '../../storage/databases/database-locations.ts';
import { renewDirectory } from '../../storage/databases/directory-store.ts';
import { followRows, LeadsNowhere, locateByRows } from '../../storage/databases/lives-at.ts';
import { allSideBySide } from '../../storage/databases/side-by-side.ts';
import { isRefusedWrite } from '../../storage/db/writable.ts';
import { findTenant, type Route, readStanding, STEP_MS, type Standing, type Tenant } from './moves-table.ts';

/** A database that takes longer is away. */
const READ_MS = 3_000;

/** A municipality's rows in all databases that are not away. */
export interface Standings {
  readonly rows: ReadonlyMap<string, Standing>;
  /** The name of the database where it lives and can be read. */
  readonly livesIn: string | null;
  /** The name of the database where it is being restored. */
  readonly restoresIn: string | null;
}

/**
 * @param to the database to restore it to
 * @throws Error if that database or the home cannot be read
 */
export async function readStandings(env: Env, code: string, to = HOME): Promise<Standings> {
  const databases = databasesOf(env);
  const standings = await allSideBySide(databases, async ({ name, db }) => {
    const standing = readStanding(db, code);
    return name === HOME || name === to ? standing : withTimeout(READ_MS, standing).catch(() => null);
  });
  const rows = new Map(
    databases.flatMap(({ name }, index): [string, Standing][] => {
      const standing = standings[index];
      return standing ? [[name, standing]] : [];
    }),
  );
  const restoring = [...rows].find(([, { move }]) => move?.state === 'moving' && move.restore !== null);
  return {
    rows,
    livesIn: locateByRows(new Map([...rows].map(([name, { row }]) => [name, row]))),
    restoresIn: restoring?.[0] ?? null,
  };
}

/** The errors of SQLite for a full disk, and of D1 for a database at its limit. */
const FULL = /SQLITE_FULL|disk is full|maximum DB size/i;

/**
 * Runs `work` in the database that a municipality moves to. If it fails, logs which database that is.
 *
 * @throws Refusal `INVALID_REQUEST` if it is full
 */
export async function atTarget<T>(
  { to, code }: Route,
  work: () => Promise<T>,
  withinMs = STEP_MS,
): Promise<T> {
  try {
    return await withTimeout(withinMs, work());
  } catch (error) {
    const message = errorMessage(error);
    if (!isRefusedWrite(error)) {
      logEvent('error', 'move_target_failed', { database: to, municipality_code: code, message });
    }
    if (FULL.test(message)) {
      refuseFields([{ path: 'to', message: isFull(to) }]);
    }
    throw error;
  }
}

const isFull = (database: string): Text => ({
  en: `the database ${database} is full: make room in it, or call the move off`,
  it: `la base dati ${database} è piena: liberare spazio o annullare il trasferimento`,
});

/** A municipality where it lives. */
export interface Located extends Standing {
  /** The name of its database. */
  readonly name: string;
  /** From the home's row: a document writes the home first. */
  readonly tenant: Tenant;
}

/**
 * @throws Refusal `NOT_FOUND` for an unknown municipality; `MOVE_IN_PROGRESS` during a restore, when it lives nowhere yet
 */
export async function locate(env: Env, code: string): Promise<Located> {
  const found = await follow(env, code);
  if (typeof found === 'object') {
    const tenant = await findTenant(env.DB, found.row.tenantId);
    if (tenant !== null) {
      return { ...found, tenant };
    }
  }
  const { rows, restoresIn } = await readStandings(env, code);
  if (restoresIn !== null) {
    refuse('MOVE_IN_PROGRESS', { message: BEING_RESTORED(restoresIn) });
  }
  if (!rows.has(HOME)) {
    refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
  }
  throw new Error(`the municipality ${code} cannot be found: ${found}`);
}

/** @returns the reason if the municipality's rows do not lead to where it lives */
async function follow(env: Env, code: string): Promise<Omit<Located, 'tenant'> | string> {
  try {
    const found = await followRows(env, code, HOME, (db) => readStanding(db, code));
    return found ?? `the database ${HOME} has no row of it`;
  } catch (error) {
    if (error instanceof LeadsNowhere) {
      return error.message;
    }
    throw error;
  }
}

/** Stores where a municipality lives now in this isolate and in the directory. Both are hints. */
export async function rememberPlace(
  { env, isolate }: CallContext,
  code: string,
  database: string,
): Promise<void> {
  isolate.get(DatabaseLocations).remember(code, database);
  await renewDirectory(env);
}

const BEING_RESTORED = (to: string): Text => ({
  en: `The municipality is being restored to the database ${to}: finish that first, or discard it.`,
  it: `Il ripristino del comune è in corso nella base dati ${to}: completarlo o eliminarlo prima.`,
});
