import { MAX_REMEMBERED_LINES, MAX_REMEMBERED_PLATES } from '../../domain/patrol/rejected-lines.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import { retry } from '../../storage/db/retry.ts';
import { digestKeys, plateDigest } from '../../storage/plate-digest/plate-digest.ts';
import type { ImportCall } from './import-call.ts';
import { type RejectedPart, rememberPart, type Sender } from './rejected-table.ts';
import type { Pace } from './run-import.ts';

/** A plate to remember, and the number of the line that named it first, from 0. */
interface RejectedPlate {
  readonly plate: Plate;
  readonly line: number;
}

/** The plates in an import's rejected lines. A patrol must not conclude that they have no entitlement. */
export class RejectedPlates {
  readonly #plates = new Map<Plate, number>();
  #lines = 0;
  /** Lines with a plate that is not among {@link plates}. */
  unremembered = 0;
  /** Lines in which no plate could be read. */
  unreadable = 0;

  /**
   * Notes a rejected line. Call it once per line.
   *
   * @param line null if it is no JSON object
   */
  note(line: object | null): void {
    const plates = line === null ? [] : platesIn(line);
    const fresh = plates.filter((plate) => !this.#plates.has(plate));
    if (plates.length === 0) {
      this.unreadable += 1;
    } else if (
      fresh.length > 0 &&
      (this.#lines === MAX_REMEMBERED_LINES || this.#plates.size + fresh.length > MAX_REMEMBERED_PLATES)
    ) {
      this.unremembered += 1;
    } else if (fresh.length > 0) {
      for (const plate of fresh) this.#plates.set(plate, this.#lines);
      this.#lines += 1;
    }
  }

  /** In the order of their lines. */
  get plates(): RejectedPlate[] {
    return [...this.#plates].map(([plate, line]) => ({ plate, line }));
  }
}

/** The plates that a line names, a session's or a subscription's. */
function platesIn(line: object): Plate[] {
  const { plate, plates }: { plate?: unknown; plates?: unknown } = line;
  const named = [plate, ...(Array.isArray(plates) ? plates.map(plateOfEntry) : [])];
  return [...new Set(named.flatMap((text) => plateIn(text) ?? []))];
}

const plateOfEntry = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'plate' in entry ? entry.plate : entry;

/** Accepts a number too: the import refuses it, but it was meant as a plate. */
const plateIn = (text: unknown): Plate | null =>
  typeof text === 'string' || typeof text === 'number' ? normalizePlate(String(text)) : null;

/** The sender whose rejected lines are remembered. */
interface Destination extends Sender {
  /** The code of the municipality. */
  readonly municipality: string;
}

/** Digests made in one turn and stored in one batch: an import has at most twenty batches. */
const DIGESTS_PER_TURN = 500;
const DIGESTS_PER_BATCH = 2_500;

/** Remembers the plates of an import's rejected lines for a day, and counts the lines whose plates it cannot remember. */
export async function rememberRejected(
  { env, now }: ImportCall,
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
    await pace.inTime(() => retry(() => rememberPart(env.DB, destination, full, now)));
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

/** @param lineBefore the line of the plate before these */
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
