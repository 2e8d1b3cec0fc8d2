import { join } from 'node:path';
import { PROJECT_ROOT } from './wrangler.ts';

/** What `wrangler.toml` says. Wrangler is imported when asked for: it takes a second. */
export async function configured() {
  const { unstable_readConfig } = await import('wrangler');
  return unstable_readConfig({ config: join(PROJECT_ROOT, 'wrangler.toml') });
}

/** The names of the databases' bindings, in the order of the file. */
export async function configuredDatabases(): Promise<readonly string[]> {
  const databases: readonly { readonly binding: string }[] = (await configured()).d1_databases;
  return databases.map(({ binding }) => binding);
}
