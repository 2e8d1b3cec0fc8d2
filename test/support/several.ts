import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { migrate } from './migrated.ts';
import { type Seed, seed } from './seed.ts';

/** The bindings of a service with three databases. */
export const SEVERAL = { DB: env.DB, DB_2: env.SECOND, DB_3: env.THIRD };
export type DatabaseName = keyof typeof SEVERAL;

/** Brings the further databases up to date. To be called before they are used. */
export async function prepareSeveral(): Promise<void> {
  await migrate(env.SECOND);
  await migrate(env.THIRD);
}

/** Where the city of a test may live, and what is bound besides the home for it. */
export const PLACES = [
  { place: 'in the home', name: 'DB', db: env.DB, further: {} },
  { place: 'in another database', name: 'DB_2', db: env.SECOND, further: { DB_2: env.SECOND } },
] as const;
export type Place = (typeof PLACES)[number];

/** Empties all storage, and puts rows where the city lives; what the home then has is its directory. */
export async function freshCity(rows: Seed, { db }: Place): Promise<void> {
  await reset();
  await migrate(env.DB);
  if (db !== env.DB) {
    await prepareSeveral();
    const { tenants = [], municipalities = [] } = rows;
    const elsewhere = municipalities.map((municipality) => ({ ...municipality, movedTo: 'DB_2' }));
    await seed({ tenants, municipalities: elsewhere });
  }
  await seed(rows, db);
}
