import * as z from 'zod';
import { type Instant, instant, isWritable } from '../domain/instant.ts';

/** The key of the instant of the last run that renewed every snapshot. */
const KEY = 'refreshed';
/** The minimum that KV allows. */
const CACHED_SECONDS = 30;

const packed = z.strictObject({ version: z.literal(1), at: z.int().refine(isWritable) });

/** Notes that every snapshot is of this instant or newer. */
export async function writeLastRefresh(kv: KVNamespace, at: Instant): Promise<void> {
  const value: z.infer<typeof packed> = { version: 1, at };
  await kv.put(KEY, JSON.stringify(value));
}

/**
 * No snapshot is older than this; null where no run has renewed them all yet.
 *
 * @throws Error when KV cannot be read, or holds something else
 */
export async function readLastRefresh(kv: KVNamespace): Promise<Instant | null> {
  const value = await kv.get(KEY, { type: 'text', cacheTtl: CACHED_SECONDS });
  return value === null ? null : instant(packed.parse(JSON.parse(value)).at);
}
