import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from './wrangler.ts';

const CONFIG = join(PROJECT_ROOT, 'wrangler.toml');

/** The names of so many databases, the home first. */
export const databaseNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? 'DB' : `DB_${index + 1}`));

/**
 * The configuration for Wrangler: the project's own, or for more than one database a copy that binds them
 * all. The copy is next to it, since its paths are relative. Each folder of data has its own, because
 * Wrangler restarts services when their file changes.
 */
export function configFor(count: number, stateDir: string): string {
  if (count === 1) {
    return CONFIG;
  }
  const further = databaseNames(count)
    .slice(1)
    .map((name) => {
      const id = name.toLowerCase().replace('_', '-');
      return `
[[d1_databases]]
binding = "${name}"
database_name = "parking-entitlements-${id}"
database_id = "local-${id}"
migrations_dir = "migrations"
`;
    });
  const place = createHash('sha256').update(stateDir).digest('hex').slice(0, 12);
  const copy = join(PROJECT_ROOT, `.wrangler-databases-${place}.toml`);
  writeFileSync(copy, [readFileSync(CONFIG, 'utf8'), ...further].join(''));
  process.on('exit', () => rmSync(copy, { force: true }));
  return copy;
}
