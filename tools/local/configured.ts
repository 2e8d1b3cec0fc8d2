import { join } from 'node:path';
import { PROJECT_ROOT } from './wrangler.ts';

/** The parsed `wrangler.toml`, or a copy of it. Wrangler is imported lazily: it takes a second. */
export async function configured(config = join(PROJECT_ROOT, 'wrangler.toml')) {
  const { unstable_readConfig } = await import('wrangler');
  return unstable_readConfig({ config });
}

/** A database of the configuration, by the name of its binding. */
interface ConfiguredDatabase {
  readonly binding: string;
  readonly database_id?: string;
}

/** The databases that a configuration binds, in the order of the file. */
export async function configuredDatabases(config?: string): Promise<readonly ConfiguredDatabase[]> {
  return (await configured(config)).d1_databases;
}
