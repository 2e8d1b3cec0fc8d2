import * as z from 'zod';
import { type Instant, instant, isWritable } from '../domain/instant.ts';

const KEY = 'retention';
/** The minimum that KV allows. */
const CACHED_SECONDS = 30;

const packed = z.strictObject({ version: z.literal(1), at: z.int().refine(isWritable), behind: z.boolean() });

/** When retention ran last, and whether it left anything that is past its time. */
export interface LastRetention {
  readonly at: Instant;
  readonly behind: boolean;
}

/** Notes how a run has ended. */
export async function writeLastRetention(kv: KVNamespace, { at, behind }: LastRetention): Promise<void> {
  const value: z.infer<typeof packed> = { version: 1, at, behind };
  await kv.put(KEY, JSON.stringify(value));
}

/**
 * Null where it has not run yet.
 *
 * @throws Error when KV cannot be read, or holds something else
 */
export async function readLastRetention(kv: KVNamespace): Promise<LastRetention | null> {
  const value = await kv.get(KEY, { type: 'text', cacheTtl: CACHED_SECONDS });
  if (value === null) return null;
  const { at, behind } = packed.parse(JSON.parse(value));
  return { at: instant(at), behind };
}
