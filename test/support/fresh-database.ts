import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { migrate } from './migrated.ts';
import { type Seed, seed } from './seed.ts';

/** Empties all storage, brings the database up to date again, and puts rows into it. */
export async function freshDatabase(rows: Seed = {}): Promise<void> {
  await reset();
  await migrate(env.DB);
  await seed(rows);
}
