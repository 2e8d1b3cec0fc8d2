import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
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
 * @throws Error that says why, when a migration fails: the folder may have the schema of another checkout
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
    await migrate(db);
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new Error(
      `The local database could not be brought up to date. Delete ${stateDir}, with all its data.\n${why}`,
    );
  } finally {
    await miniflare.dispose();
  }
}

const migrationFiles = (): readonly string[] => globSync(join(PROJECT_ROOT, 'migrations/*.sql')).sort();

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
