import * as z from 'zod';
import { instant, isWritable } from '../../domain/instant.ts';

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
