import { clockNow } from '../../base/platform/clock.ts';
import { type Plate, spellsPlate, storedPlate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import {
  type ErasedFrom,
  erasedDigest,
  isKeyDigest,
  keyDigest,
} from '../../storage/plate-digest/erased-plate.ts';
import { requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import { ChangedMeanwhile } from './changed-meanwhile.ts';
import type { PlateBound } from './crowded-table.ts';
import { readStoredOn } from './daily-changes-table.ts';
import { DailyRoom } from './day-room.ts';
import type { ErasedPlate, Guard, StoredRows } from './erased-parts.ts';
import type { ImportCall } from './import-call.ts';
import { forgedKey } from './rejection.ts';
import type { ImportKind } from './run-import.ts';
import type { SessionRow } from './session-line.ts';
import type { BatchStoredBy } from './stored-by-table.ts';
import type { SubscriptionRow } from './subscription-line.ts';

/**
 * Keeps erased plates erased: a line that names an erased plate for the same session or subscription does not bring it
 * back. A session keeps its pseudonym; a subscription is stored without that plate. Other plates of the line are stored. A
 * key that was replaced by a digest, because it was made from the plate, stays replaced.
 */
class ErasedPlates<Row> {
  readonly #from: Omit<ErasedFrom, 'key'>;
  readonly #env: Env;
  /** For each key of the batch, the keys that it may be stored under: itself, and digests of it. */
  #names: ReadonlyMap<string, readonly string[]> = new Map();
  #byName: ReadonlyMap<string, readonly ErasedPlate[]> = new Map();
  #guards = new Map<string, ReadonlySet<string>>();
  /** The rows that the current batch has read, by key. */
  stored: ReadonlyMap<string, Row> = new Map();
  /** The last erasure that the current batch knows of; 0 while nothing has been erased in the database. */
  upTo = 0;

  constructor(env: Env, from: Omit<ErasedFrom, 'key'>) {
    this.#env = env;
    this.#from = from;
  }

  /**
   * Begins a batch: reads the rows stored under its keys, or, once anything has been erased, under digests of them.
   *
   * @throws Error if something was erased, and there is no usable `DIGEST_KEY` to recognise it
   */
  async begin(
    keys: readonly string[],
    read: (names: readonly string[]) => Promise<StoredRows<Row>>,
  ): Promise<ReadonlyMap<string, Row>> {
    const knew = this.upTo;
    this.#name(keys);
    const { stored, erased } = await read([...this.#names.values()].flat());
    this.upTo = erased.upTo;
    if (knew === 0 && erased.upTo > 0) {
      return this.begin(keys, read);
    }
    this.stored = stored;
    this.#byName = Map.groupBy(erased.plates, ({ key }) => key);
    this.#guards = new Map();
    return stored;
  }

  #name(keys: readonly string[]): void {
    const digestKeys = this.upTo === 0 ? [] : requireDigestKeys(this.#env);
    this.#names = new Map(
      keys.map((key) => [key, [key, ...digestKeys.map((digestKey) => keyDigest(digestKey, key))]]),
    );
  }

  /** Returns the session under its stored key, with its pseudonym if its plate was erased from it. */
  inSession(row: SessionRow): SessionRow {
    if (this.upTo === 0) {
      return row;
    }
    const erased = this.#find(row.sessionId, row.plate);
    const sessionId = this.#keyOf(
      row.sessionId,
      erased && spellsPlate(row.sessionId, row.plate) ? erased : null,
    );
    return { ...row, sessionId, plate: erased?.pseudonym ? storedPlate(erased.pseudonym) : row.plate };
  }

  /** Returns the subscription under its stored key, without the plates that were erased from it. */
  inSubscription(row: SubscriptionRow): SubscriptionRow {
    const number = row.subscriptionNumber;
    const found = row.plates.map(({ plate }) => this.#find(number, plate));
    const made = found.find((erased, index) => {
      const plate = row.plates[index]?.plate;
      return erased !== null && plate !== undefined && spellsPlate(number, plate);
    });
    return {
      ...row,
      subscriptionNumber: this.#keyOf(number, made ?? null),
      plates: row.plates.filter((_, index) => found[index] === null),
    };
  }

  /** The guards of the rows with these keys, to be stored along with them. */
  guardsOf(keys: readonly string[]): readonly Guard[] {
    return keys.flatMap((key) => [...(this.#guards.get(key) ?? [])].map((guard) => ({ guard, key })));
  }

  /**
   * The key under which a row is stored.
   *
   * @param made the plate that was erased from it, where its key is made from that
   */
  #keyOf(key: string, made: ErasedPlate | null): string {
    const names = this.#names.get(key) ?? [key];
    const stored = names.find((name) => this.stored.has(name)) ?? made?.key ?? key;
    const guards = names.filter((name) => this.#byName.has(name));
    if (guards.length > 0) {
      this.#guards.set(stored, new Set([...(this.#guards.get(stored) ?? []), ...guards]));
    }
    return stored;
  }

  #find(key: string, plate: Plate): ErasedPlate | null {
    const names = this.#names.get(key) ?? [key];
    const erased = names.flatMap((name) => this.#byName.get(name) ?? []);
    if (erased.length === 0) {
      return null;
    }
    const digestKeys = requireDigestKeys(this.#env);
    const digests = names.flatMap((name) =>
      digestKeys.map((digestKey) => erasedDigest(digestKey, { ...this.#from, key: name }, plate)),
    );
    return erased.find(({ digest }) => digests.includes(digest)) ?? null;
  }
}

/** The storage of the rows of one kind, each with what identifies its version. */
interface RowStore<Row, Stored extends Row> {
  readonly db: D1Database;
  readonly from: Omit<ErasedFrom, 'key'>;
  /** @param names keys, and digests of them once anything was erased */
  read(names: readonly string[]): Promise<StoredRows<Stored>>;
  /** @param stored the rows that were read, by key */
  write(rows: readonly Row[], by: BatchStoredBy, stored: ReadonlyMap<string, Stored>): Promise<void>;
  readonly bound: PlateBound<Row>;
}

interface StoredBatches<Row, Stored extends Row>
  extends Pick<ImportKind<Row>, 'rule' | 'readRows' | 'readRoom' | 'findCrowded' | 'refuse' | 'writeRows'> {
  readonly erased: ErasedPlates<Stored>;
}

/** How an import of any kind reads and stores its batches: within the day’s room, and guarded against erased plates. */
export function storeBatches<Row, Stored extends Row>(
  { env, requestId, progress }: ImportCall,
  rule: ImportKind<Row>['rule'],
  { db, from, read, write, bound }: RowStore<Row, Stored>,
): StoredBatches<Row, Stored> {
  const erased = new ErasedPlates<Stored>(env, from);
  let batch = 0;
  const room = new DailyRoom((day) => readStoredOn(db, from.municipalityId, day));
  const changesOf = (rows: readonly Row[]) =>
    rows.map((after) => ({ before: erased.stored.get(rule.keyOf(after)) ?? null, after }));
  return {
    erased,
    rule,
    readRows: (keys) => erased.begin(keys, read),
    readRoom: () => room.begin(clockNow()),
    findCrowded: (rows) => bound.findCrowded(changesOf(rows)),
    refuse: (row) => {
      const key = rule.keyOf(row);
      const property = from.kind === 'parking_session' ? 'session_id' : 'subscription_number';
      return isKeyDigest(key) && !erased.stored.has(key) ? forgedKey(property) : null;
    },
    writeRows: (rows, ofBatch, isCounted) =>
      room.count(ofBatch, async (count) => {
        const guards = erased.guardsOf(rows.map(rule.keyOf));
        const bounds = isCounted ? [] : bound.guard(changesOf(rows));
        const by = { requestId, batch, clock: clockNow, erasedUpTo: erased.upTo, guards, count, bounds };
        try {
          await write(rows, by, erased.stored);
          progress.stored += rows.length;
        } catch (error) {
          // A batch that is decided again gets another number: its earlier try may have been stored, and the answer
          // lost.
          batch += error instanceof ChangedMeanwhile ? 1 : 0;
          throw error;
        }
        batch += 1;
      }),
  };
}
