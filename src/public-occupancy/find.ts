import { Memo } from '../domain/memo.ts';
import { withSubject } from '../errors/call-subject.ts';
import { Refusal } from '../errors/refusal.ts';
import type { CallContext } from '../pipeline/reading.ts';
import { type PublicDirectory, readPublicDirectory } from '../snapshots/public-directory.ts';
import { isRecent, type Snapshot } from '../snapshots/snapshot.ts';
import { readSnapshot } from '../snapshots/snapshot-store.ts';

/** A big city's snapshot takes a megabyte. */
const MAX_HELD = 50;
/** Snapshots by code, held for seconds: as long as the directory that they were read with. */
const held = new WeakMap<PublicDirectory, Memo<string, Snapshot>>();

/**
 * The recent snapshot of a public municipality, from KV alone, so that no anonymous call reaches the database.
 *
 * @throws Refusal `NOT_FOUND` for a code that is unknown, inactive or not public
 * @throws Error when the municipality has no recent snapshot
 */
export async function findPublic(code: string, { env, now, deadline }: CallContext): Promise<Snapshot> {
  const directory = await deadline.race(readPublicDirectory(env.SNAPSHOTS, now));
  if (!directory.has(code)) {
    throw new Refusal('NOT_FOUND', { message: NOT_PUBLIC });
  }
  return withSubject({ municipality: code }, async () => {
    const beside = held.getOrInsertComputed(directory, () => new Memo<string, Snapshot>(MAX_HELD));
    const last = beside.get(code);
    if (last !== undefined && isRecent(last, now)) {
      return last;
    }
    const snapshot = await deadline.race(readSnapshot(env.SNAPSHOTS, code, now));
    if (snapshot === null) {
      throw new Error('a public municipality has no recent snapshot');
    }
    beside.set(code, snapshot);
    return snapshot;
  });
}

const NOT_PUBLIC = {
  en: 'No municipality with this code shows its occupancy to the public.',
  it: 'Nessun comune con questo codice mostra la propria occupazione al pubblico.',
};
