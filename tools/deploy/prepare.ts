import { join } from 'node:path';
import { PROJECT_ROOT } from '../local/wrangler.ts';
import { printFailure } from '../print.ts';
import type { EnvironmentName } from './arguments.ts';
import { type Environment, environmentOf, type WrittenConfig, workerOf } from './environment.ts';
import type { FoundDatabase } from './plan.ts';
import type { Platform } from './platform.ts';
import { migrationFiles } from './release.ts';
import { readSettings } from './settings.ts';

/** Ids and addresses, untracked. */
export const SETTINGS_FILE = '.deploy.json';

/** The parsed `wrangler.toml`. Wrangler is imported lazily: it takes a second. */
async function writtenConfig(): Promise<WrittenConfig> {
  const { experimental_readRawConfig } = await import('wrangler');
  return experimental_readRawConfig({ config: join(PROJECT_ROOT, 'wrangler.toml') }).rawConfig;
}

/** The name of an environment's Worker, which needs no id. */
export const workerNameOf = async (name: EnvironmentName): Promise<string> =>
  workerOf(await writtenConfig(), name);

/**
 * The environment of that name.
 *
 * @throws Error with all its faults
 */
export async function environmentNamed(name: EnvironmentName): Promise<Environment> {
  const written = await writtenConfig();
  const settings = readSettings(join(PROJECT_ROOT, SETTINGS_FILE), process.env);
  const environment = environmentOf(written, name, settings);
  if ('wrong' in environment) {
    throw new Error(`The environment "${name}" cannot be used:\n- ${environment.wrong.join('\n- ')}`);
  }
  return environment;
}

/** The rows of a table that the database may lack. */
async function rowsIfAny(platform: Platform, database: string, sql: string): ReturnType<Platform['query']> {
  try {
    return await platform.query(database, sql);
  } catch (error) {
    if (error instanceof Error && error.message.includes('no such table')) return [];
    throw error;
  }
}

/** The number of the newest migration that code must know to write a database; 0 if any code may. */
export async function lowestWriter(platform: Platform, database: string): Promise<number> {
  const [state] = await rowsIfAny(platform, database, 'select lowest_writer from schema_state');
  return Number(state?.lowest_writer ?? 0);
}

/**
 * Which migrations a database lacks, and which code may write it. It does not use Wrangler's own list, which
 * makes a table.
 */
export async function findDatabase(platform: Platform, name: string): Promise<FoundDatabase> {
  try {
    const rows = await rowsIfAny(platform, name, 'select name from d1_migrations');
    const applied = new Set(rows.map((row) => row.name));
    const pending = migrationFiles().filter((file) => !applied.has(file));
    return { name, pending, lowestWriter: await lowestWriter(platform, name) };
  } catch (error) {
    printFailure(error);
    return { name, pending: null, lowestWriter: 0 };
  }
}
