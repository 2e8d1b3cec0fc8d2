import { clockNow } from '../../base/platform/clock.ts';
import type { Change } from '../../domain/daily-changes.ts';
import { whereWritable } from '../../storage/databases/municipality-moving.ts';
import { type ErasedFrom, isKeyDigest } from '../../storage/plate-digest/erased-plate.ts';
import { ChangedMeanwhile } from './changed-meanwhile.ts';
import { readDayRoom } from './daily-changes-table.ts';
import { DailyRoom } from './day-room.ts';
import { ErasedPlates } from './erased.ts';
import type { StoredRows } from './erased-parts.ts';
import type { ImportCall } from './import-call.ts';
import { forgedKey } from './rejection.ts';
import type { ImportKind } from './run-import.ts';
import type { BatchStoredBy } from './stored-by-table.ts';

/** Where the rows of one kind are stored, each with what names its version. */
interface RowStore<Row, Stored extends Row> {
  readonly db: D1Database;
  readonly from: Omit<ErasedFrom, 'key'>;
  /** @param names keys, and digests of them once anything was erased */
  read(names: readonly string[]): Promise<StoredRows<Stored>>;
  /** @param stored the rows that were read, by key */
  write(rows: readonly Row[], by: BatchStoredBy, stored: ReadonlyMap<string, Stored>): Promise<void>;
  /** The keys of the rows that are one too many of a plate. */
  findCrowded(changes: readonly RowChange<Row>[]): Promise<ReadonlySet<string>>;
}

/** What a batch changes of a row, which is null before it is stored. */
interface RowChange<Row> {
  readonly before: Row | null;
  readonly after: Row;
  readonly change: Change;
}

interface StoredBatches<Row, Stored extends Row>
  extends Pick<ImportKind<Row>, 'rule' | 'readRows' | 'readRoom' | 'findCrowded' | 'refuse' | 'writeRows'> {
  readonly erased: ErasedPlates<Stored>;
}

/** How an import of any kind reads and stores its batches: within the day’s room, and guarded against erased plates. */
export function storeBatches<Row, Stored extends Row>(
  { context: { env, requestId } }: ImportCall,
  rule: ImportKind<Row>['rule'],
  { db, from, read, write, findCrowded }: RowStore<Row, Stored>,
): StoredBatches<Row, Stored> {
  const erased = new ErasedPlates<Stored>(env, from);
  let batch = 0;
  const room = new DailyRoom((day) => readDayRoom(db, from.municipalityId, day));
  return {
    erased,
    rule,
    readRows: (keys) => erased.begin(keys, read),
    readRoom: () => room.begin(clockNow()),
    findCrowded: (rows) =>
      findCrowded(
        rows.map((after) => {
          const before = erased.stored.get(rule.keyOf(after)) ?? null;
          return { before, after, change: rule.changeOf(before, after) };
        }),
      ),
    refuse: (row) => {
      const key = rule.keyOf(row);
      const property = from.kind === 'parking_session' ? 'session_id' : 'subscription_number';
      return isKeyDigest(key) && !erased.stored.has(key) ? forgedKey(property) : null;
    },
    writeRows: (rows, ofBatch) =>
      room.count(ofBatch, async (count) => {
        const guards = erased.guardsOf(rows.map(rule.keyOf));
        const by = { requestId, batch, clock: clockNow, erasedUpTo: erased.upTo, guards, count };
        try {
          await whereWritable(() => write(rows, by, erased.stored));
        } catch (error) {
          // A batch that is decided again gets another number: an earlier try of this one may have been
          // stored, and its answer lost.
          batch += error instanceof ChangedMeanwhile ? 1 : 0;
          throw error;
        }
        batch += 1;
      }),
  };
}
