import { join } from 'node:path';
import { PROJECT_ROOT } from './wrangler.ts';

/** The parsed `wrangler.toml`. Wrangler is imported lazily: it takes a second. */
export async function configured() {
  const { unstable_readConfig } = await import('wrangler');
  return unstable_readConfig({ config: join(PROJECT_ROOT, 'wrangler.toml') });
}
