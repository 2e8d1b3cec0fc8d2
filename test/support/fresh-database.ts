import { applyD1Migrations, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { type Seed, seed } from './seed.ts';

/** Empties all storage, brings the database up to date again, and puts rows into it. */
export async function freshDatabase(rows: Seed = {}): Promise<void> {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  await seed(rows);
}
