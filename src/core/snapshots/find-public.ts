import { withSubject } from '../../base/errors/call-subject.ts';
import { refuse } from '../../base/errors/refusal.ts';
import type { Deadline } from '../../base/platform/deadline.ts';
import type { Instant } from '../../domain/instant.ts';
import { Memo } from '../../domain/memo.ts';
import { type DataQuality, dataQuality } from '../../domain/public-status.ts';
import type { Env } from '../../env.ts';
import { type PublicDirectory, readPublicDirectory } from './public-directory.ts';
import { isRecent, type Snapshot } from './snapshot.ts';
import { readSnapshot } from './snapshot-store.ts';

/** What is needed of a call. */
interface Asking {
  readonly env: Pick<Env, 'SNAPSHOTS'>;
  readonly now: Instant;
  readonly deadline: Deadline;
}

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
export async function findPublic(code: string, { env, now, deadline }: Asking): Promise<Snapshot> {
  const directory = await deadline.race(readPublicDirectory(env.SNAPSHOTS, now));
  if (!directory.has(code)) {
    refuse('NOT_FOUND', { message: NOT_PUBLIC });
  }
  return withSubject({ municipality: code }, async () => {
    const kept = held.getOrInsertComputed(directory, () => new Memo<string, Snapshot>(MAX_HELD));
    const last = kept.get(code);
    if (last !== undefined && isRecent(last, now)) {
      return last;
    }
    const snapshot = await deadline.race(readSnapshot(env.SNAPSHOTS, code, now));
    if (snapshot === null) {
      throw new Error('a public municipality has no recent snapshot');
    }
    kept.set(code, snapshot);
    return snapshot;
  });
}

/** Judged at the instant of the answer, as in the report: the sources age while the snapshot stays the same. */
export const qualityOf = ({ sources, municipality }: Snapshot, now: Instant): DataQuality =>
  dataQuality(sources, now, municipality.publicMaxAgeMinutes);

const NOT_PUBLIC = {
  en: 'No municipality with this code shows its occupancy to the public.',
  it: 'Nessun comune con questo codice mostra la propria occupazione al pubblico.',
};
