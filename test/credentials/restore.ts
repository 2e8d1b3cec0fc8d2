import { env } from 'cloudflare:workers';
import { seed } from '../support/seed.ts';
import { CITIES } from './support.ts';

/** In the order in which they can be filled; emptied the other way round. */
const TABLES = ['tenants', 'municipalities', 'areas', 'sources', 'credentials', 'credential_municipalities'];

/** Two cities without a credential. */
export async function citiesAlone(): Promise<void> {
  await emptied();
  await seed({ ...CITIES, subscriptionTypes: [] });
}

async function emptied(): Promise<void> {
  for (const table of ['configuration_versions', 'changes', 'subscription_types', ...TABLES.toReversed()]) {
    await env.DB.prepare(`delete from ${table}`).run();
  }
}

/** What is stored now. @returns puts all of it back, and nothing else, as a restore does */
export async function restorePoint(): Promise<() => Promise<void>> {
  const rows = new Map<string, Record<string, unknown>[]>();
  for (const table of TABLES) {
    rows.set(table, (await env.DB.prepare(`select * from ${table}`).all()).results);
  }
  return async () => {
    await emptied();
    for (const [table, its] of rows) {
      for (const row of its) {
        const names = Object.keys(row);
        await env.DB.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`)
          .bind(...Object.values(row))
          .run();
      }
    }
  };
}
