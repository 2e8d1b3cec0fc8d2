import { whereWritable } from '../../storage/databases/municipality-moving.ts';
import { retry } from '../../storage/db/retry.ts';
import { digestKeys } from '../../storage/plate-digest/digest-keys.ts';
import { plateDigest } from '../../storage/plate-digest/plate-digest.ts';
import type { ImportCall } from './import-call.ts';
import type { RejectedPlate, RejectedPlates } from './rejected-plates.ts';
import { type RejectedPart, rememberPart, type Sender } from './rejected-table.ts';
import type { Pace } from './run-import.ts';

/** Where a sender's rejected lines are remembered. */
interface Destination extends Sender {
  readonly db: D1Database;
  /** The code of the municipality. */
  readonly municipality: string;
}

/** Digests made in one turn, and stored in one batch: twenty of these are the most that an import has. */
const DIGESTS_PER_TURN = 500;
const DIGESTS_PER_BATCH = 2_500;

/** Remembers the plates of an import's rejected lines for a day, and counts the lines that no plate can be told by. */
export async function rememberRejected(
  { context: { env, now } }: ImportCall,
  pace: Pace,
  destination: Destination,
  rejected: RejectedPlates,
): Promise<void> {
  const [key] = digestKeys(env);
  const { plates, unreadable } = rejected;
  // Without a usable key no plate can be remembered.
  const unremembered = rejected.unremembered + (key === undefined ? plates.length : 0);
  let part: RejectedPart = { digests: [], unremembered, unreadable };
  const store = async () => {
    const full = part;
    part = { digests: [], unremembered: 0, unreadable: 0 };
    await pace.inTime(() =>
      whereWritable(() => retry(() => rememberPart(destination.db, destination, full, now))),
    );
  };
  for (let from = 0; key !== undefined && from < plates.length; from += DIGESTS_PER_TURN) {
    const some = plates.slice(from, from + DIGESTS_PER_TURN);
    const digests = await digestsOf(key, destination.municipality, some, plates[from - 1]?.line);
    part = { ...part, digests: [...part.digests, ...digests] };
    if (part.digests.length >= DIGESTS_PER_BATCH) await store();
    await pace.nextTurn();
  }
  if (part.digests.length > 0 || part.unremembered > 0 || part.unreadable > 0) await store();
}

/** @param lineBefore of the plate before these */
const digestsOf = (
  key: string,
  municipality: string,
  plates: readonly RejectedPlate[],
  lineBefore: number | undefined,
): Promise<RejectedPart['digests']> =>
  Promise.all(
    plates.map(async ({ plate, line }, index) => {
      const opensLine = line === (plates[index - 1]?.line ?? lineBefore) ? 0 : 1;
      return [await plateDigest(key, municipality, plate), line, opensLine] as const;
    }),
  );
