import type * as z from 'zod';
import { withTimeout } from '../../base/platform/deadline.ts';
import { KV_CACHED_SECONDS } from '../../base/platform/kv-notes.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { Memo } from '../../domain/memo.ts';
import type { Call } from '../../serving/call.ts';

/** How long an answer may wait for KV. */
const READ_WITHIN_MS = 1_000;
/** How long an isolate answers from what it has read. Short, since a configuration has to show within 120 seconds. */
export const HELD_MS = 5 * SECOND_MS;
/** A big city's snapshot takes a megabyte. */
const MAX_HELD = 50;

interface Held<Value> {
  readonly text: string;
  readonly value: Value;
  readonly readAt: Instant;
}

/** The values of KV that an isolate has read: reading costs more than the rest of an answer. */
export class HeldValues {
  readonly #held = new Memo<string, Held<unknown>>(MAX_HELD);

  /**
   * A value, up to five seconds old; null if there is none that is usable. While its text is the same, so is the object: answers are
   * kept by it.
   *
   * @param schema always the same for a key
   * @param isUsable what is not is read again: there may be a newer one
   * @throws Error if KV cannot be read, or holds something else
   */
  async read<Value>(
    c: Call,
    key: string,
    schema: z.ZodType<Value>,
    isUsable: (value: Value) => boolean = () => true,
  ): Promise<Value | null> {
    const now = c.get('now');
    // Each key has its own schema, which has made the value.
    const last = this.#held.get(key) as Held<Value> | undefined;
    const isHeld = last !== undefined && last.readAt <= now && now < last.readAt + HELD_MS;
    if (isHeld && isUsable(last.value)) return last.value;
    const reading = c.env.SNAPSHOTS.get(key, { type: 'text', cacheTtl: KV_CACHED_SECONDS });
    const text = await withTimeout(READ_WITHIN_MS, reading);
    if (text === null) return null;
    const value = text === last?.text ? last.value : schema.parse(JSON.parse(text));
    if (!isUsable(value)) return null;
    this.#held.set(key, { text, value, readAt: now });
    return value;
  }
}
