import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import * as z from 'zod';
import { parseState } from './state-folder.ts';
import { PROJECT_ROOT } from './wrangler.ts';

/** Miniflare's own view of a database. */
type LocalDatabase = Awaited<ReturnType<Miniflare['getD1Database']>>;

/** Where Wrangler keeps its record of the migrations, as Wrangler makes it. */
const RECORD = `
  CREATE TABLE IF NOT EXISTS d1_migrations(
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT UNIQUE,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
  )`;

/**
 * Brings the local database up to date, where `wrangler dev --persist-to` finds them. `wrangler d1 migrations apply` does the
 * same, but starts a runtime for each migration.
 *
 * @param id the database's
 * @throws Error that says why, when a migration fails, or the folder has the schema of another checkout
 */
export async function applyMigrations(stateDir: string, id: string): Promise<void> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...{ modules: true, script: '' },
      resourcePersistencePath: join(stateDir, 'v3'),
      d1Databases: [id],
    }),
  );
  try {
    const db = await miniflare.getD1Database(id);
    await requireOwnSchema(stateDir, db);
    await migrate(db);
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new Error(`The local database could not be brought up to date.\n${why}`);
  } finally {
    await miniflare.dispose();
  }
}

const digests = z.record(z.string(), z.string());

/**
 * Checks that every applied migration is one of this checkout's, with the same text: `d1_migrations` has names alone, so the
 * folder keeps a digest of each text. They are written before the migrations are applied, which may be
 * interrupted.
 *
 * @throws Error that names the migration, and a remedy
 */
async function requireOwnSchema(stateDir: string, db: LocalDatabase): Promise<void> {
  const file = join(stateDir, 'migrations.json');
  const kept = parseState(file, digests) ?? {};
  const own = Object.fromEntries(migrationFiles().map((path) => [basename(path), digestOf(path)]));
  const foreign = (await appliedTo(db)).find((name) => own[name] === undefined || own[name] !== kept[name]);
  if (foreign !== undefined) throw new Error(ofAnotherCheckout(stateDir, foreign));
  writeFileSync(file, `${JSON.stringify(own)}\n`);
}

const ofAnotherCheckout = (stateDir: string, migration: string): string =>
  `${stateDir} was made by another checkout: its migration ${migration} is not the one here. ` +
  'Choose another folder: npm start -- --state DIR\n' +
  `Or delete ${stateDir}, with all its data.`;

const migrationFiles = (): readonly string[] => globSync(join(PROJECT_ROOT, 'migrations/*.sql')).sort();

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** The names of the migrations that a database has. */
async function appliedTo(db: LocalDatabase): Promise<readonly string[]> {
  await db.prepare(RECORD).run();
  const { results } = await db.prepare('select name from d1_migrations').all<{ name: string }>();
  return results.map(({ name }) => name);
}

/**
 * Applies the pending migrations, each with its record or not at all. An empty database gets all of them at
 * once: a call for each would take most of a start's time.
 */
export async function migrate(db: LocalDatabase): Promise<void> {
  const applied = new Set(await appliedTo(db));
  const pending = migrationFiles().filter((file) => !applied.has(basename(file)));
  for (const files of applied.size === 0 ? [pending] : pending.map((file) => [file])) {
    await db.batch([
      ...files.map((file) => db.prepare(readFileSync(file, 'utf8'))),
      db
        .prepare('insert into d1_migrations (name) select value from json_each(?)')
        .bind(JSON.stringify(files.map((file) => basename(file)))),
    ]);
  }
}
