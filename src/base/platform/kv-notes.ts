import * as z from 'zod';
import { type Instant, instant, isWritable, MINUTE_MS } from '../../domain/instant.ts';

/** The minimum that KV allows: how long a location may still read a replaced value. */
export const KV_CACHED_SECONDS = 30;

/** An instant in a note. */
export const notedInstant = z.int().refine(isWritable).transform(instant);

/** A small JSON value under a key of its own in KV, such as when a cron ran last. */
export const kvNote = <Note>(key: string, schema: z.ZodType<Note>) => ({
  write: (kv: KVNamespace, note: Note): Promise<void> => kv.put(key, JSON.stringify(note)),

  /**
   * Null where nothing has been written yet.
   *
   * @throws Error when KV cannot be read, or holds something else
   */
  read: async (kv: KVNamespace): Promise<Note | null> => {
    const value = await kv.get(key, { type: 'text', cacheTtl: KV_CACHED_SECONDS });
    return value === null ? null : schema.parse(JSON.parse(value));
  },
});

/** When retention ran last, and whether it left anything that is past its time. */
export const lastRetention = kvNote(
  'retention',
  z.strictObject({ version: z.literal(1), at: notedInstant, behind: z.boolean() }),
);

/** The last run that renewed every snapshot: none is older. */
export const lastRefresh = kvNote('refreshed', z.strictObject({ version: z.literal(1), at: notedInstant }));

/** Snapshots are written every minute. After five, something is wrong. */
export const areOld = (refreshedAt: number, now: Instant): boolean => refreshedAt < now - 5 * MINUTE_MS;
