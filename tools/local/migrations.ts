import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Miniflare } from 'miniflare';

/** Miniflare's own view of a database. */
type LocalDatabase = Awaited<ReturnType<Miniflare['getD1Database']>>;

const FILES = `${new URL('../../migrations', import.meta.url).pathname}/*.sql`;

/** Where Wrangler keeps its record of the migrations, as Wrangler makes it. */
const RECORD = `
  CREATE TABLE IF NOT EXISTS d1_migrations(
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT UNIQUE,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
  )`;

/** Applies the pending migrations, each with its record or not at all: `wrangler d1 migrations apply` in this process. */
export async function migrate(db: LocalDatabase): Promise<void> {
  await db.prepare(RECORD).run();
  const { results } = await db.prepare('select name from d1_migrations').all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  for (const file of globSync(FILES).sort()) {
    if (applied.has(basename(file))) continue;
    await db.batch([
      db.prepare(readFileSync(file, 'utf8')),
      db.prepare('insert into d1_migrations (name) values (?)').bind(basename(file)),
    ]);
  }
}
