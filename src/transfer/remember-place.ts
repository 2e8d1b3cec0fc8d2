import { DatabaseLocations } from '../databases/database-locations.ts';
import { renewDirectory } from '../databases/directory-store.ts';
import type { CallContext } from '../pipeline/reading.ts';

/** Has this isolate and the directory know where a municipality lives now. Both are hints. */
export async function rememberPlace(
  { env, isolate }: CallContext,
  code: string,
  database: string,
): Promise<void> {
  isolate.get(DatabaseLocations).remember(code, database);
  await renewDirectory(env);
}
