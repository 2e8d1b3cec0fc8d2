import type { Env } from '../../env.ts';

/** The database of tenants, credentials and the directory, and of each municipality without another database. */
export const HOME = 'DB';

const FURTHER = /^DB_\w+$/;

/** A database and the name of its binding. */
export interface Database {
  readonly name: string;
  readonly db: D1Database;
}

const found = new WeakMap<Env, readonly Database[]>();

/** All bound databases, the home first. */
export function databasesOf(env: Env): readonly Database[] {
  return found.getOrInsertComputed(env, () => [
    { name: HOME, db: env.DB },
    ...Object.keys(env)
      .filter((name) => FURTHER.test(name))
      .sort(byNumber)
      .flatMap((name) => {
        const db = env[name as `DB_${string}`];
        return isDatabase(db) ? [{ name, db }] : [];
      }),
  ]);
}

/** `DB_2` comes before `DB_10`. */
const byNumber = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

const isDatabase = (binding: unknown): binding is D1Database =>
  typeof binding === 'object' && binding !== null && 'prepare' in binding;

/** Whether there is any database besides the home. */
export const hasSeveral = (env: Env): boolean => databasesOf(env).length > 1;

export const isBound = (env: Env, name: string): boolean =>
  databasesOf(env).some((database) => database.name === name);

/** @throws Error if no database is bound under the name: its municipalities cannot be reached */
export function getDatabase(env: Env, name: string): D1Database {
  if (name === HOME) {
    return env.DB;
  }
  const database = databasesOf(env).find((candidate) => candidate.name === name);
  if (database === undefined) {
    throw new Error(`no database is bound as ${name}`);
  }
  return database.db;
}

/**
 * The other databases where a municipality has lived. Leaves out this one, which is on the list if the municipality came
 * back, and databases that are no longer bound.
 */
export const databasesBefore = (env: Env, livedIn: readonly string[], db: D1Database): D1Database[] =>
  livedIn
    .filter((name) => isBound(env, name))
    .map((name) => getDatabase(env, name))
    .filter((other) => other !== db);

/** The name of a database's binding. */
export function databaseName(env: Env, db: D1Database): string {
  return databasesOf(env).find((database) => database.db === db)?.name ?? HOME;
}
