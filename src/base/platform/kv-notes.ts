import * as z from 'zod';
import { type Instant, instant, isWritable, MINUTE_MS } from '../../domain/instant.ts';

/** How many seconds a location may still read a replaced value: the minimum that KV allows. */
export const KV_CACHED_SECONDS = 30;

/** The schema of an instant in a note. */
export const notedInstant = z.int().refine(isWritable).transform(instant);

/** Reads and writes a small JSON value under its own key in KV, such as when a cron ran last. */
export const kvNote = <Note>(key: string, schema: z.ZodType<Note>) => ({
  /** Replaces the note. */
  write: (kv: KVNamespace, note: Note): Promise<void> => kv.put(key, JSON.stringify(note)),

  /**
   * Returns the note, or null before it is first written.
   *
   * @throws Error if KV cannot be read, or holds something else
   */
  read: async (kv: KVNamespace): Promise<Note | null> => {
    const value = await kv.get(key, { type: 'text', cacheTtl: KV_CACHED_SECONDS });
    return value === null ? null : schema.parse(JSON.parse(value));
  },
});

/** The last run of retention, and whether it left rows that are past their time. */
export const lastRetention = kvNote(
  'retention',
  z.strictObject({ version: z.literal(1), at: notedInstant, behind: z.boolean() }),
);

/** The last run that renewed every snapshot: no snapshot is older. */
export const lastRefresh = kvNote('refreshed', z.strictObject({ version: z.literal(1), at: notedInstant }));

/** Whether snapshots are too old. They are written every minute: after five, something is wrong. */
export const areOld = (refreshedAt: number, now: Instant): boolean => refreshedAt < now - 5 * MINUTE_MS;
