import { applyD1Migrations } from 'cloudflare:test';
import { env } from 'cloudflare:workers';

/** The bindings of a service with three databases. */
export const SEVERAL = { DB: env.DB, DB_2: env.SECOND, DB_3: env.THIRD };
export type DatabaseName = keyof typeof SEVERAL;

/** Brings the further databases up to date. To be called before they are used. */
export async function prepareSeveral(): Promise<void> {
  await applyD1Migrations(env.SECOND, env.TEST_MIGRATIONS);
  await applyD1Migrations(env.THIRD, env.TEST_MIGRATIONS);
}
