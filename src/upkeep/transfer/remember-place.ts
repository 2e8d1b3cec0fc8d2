import type { CallContext } from '../../serving/pipeline/reading.ts';
import { DatabaseLocations } from '../../storage/databases/database-locations.ts';
import { renewDirectory } from '../../storage/databases/directory-store.ts';

/** Has this isolate and the directory know where a municipality lives now. Both are hints. */
export async function rememberPlace(
  { env, isolate }: CallContext,
  code: string,
  database: string,
): Promise<void> {
  isolate.get(DatabaseLocations).remember(code, database);
  await renewDirectory(env);
}
