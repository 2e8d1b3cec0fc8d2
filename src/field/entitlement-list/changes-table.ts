import type { Instant } from '../../domain/instant.ts';
import { sum } from '../../domain/sum.ts';
import { batch } from '../../storage/db/statement.ts';
import {
  bySpan,
  changedPlates,
  type DeltaContext,
  type ListedChange,
  type ListScope,
  listInstant,
  sessionChange,
  subscriptionChanges,
} from './changes.ts';
import {
  CHANGED_SESSIONS,
  CHANGED_SUBSCRIPTIONS,
  type ChangedSessionRow,
  type ChangedSubscriptionRow,
} from './changes-statements.ts';
import type { ChangesPosition, ListState, Mark, SpanKey } from './cursor.ts';
import { headOf, headStatement } from './head-table.ts';

/**
 * The most rows that one statement reads: some for each line of a short answer, and fewer subscriptions, since each may
 * have hundreds of plates and periods.
 */
const MAX_LOOKED_AT = { sessions: 2_500, subscriptions: 150 } as const;
const LOOKED_AT_A_LINE = 8;
const MIN_LOOKED_AT = 100;

/** A change, and the position after it. */
interface PlacedChange extends ListedChange {
  readonly behind: ChangesPosition;
}

/** A part of the changes since a list. */
interface ChangesPart {
  readonly changes: readonly PlacedChange[];
  /** Null at the end. */
  readonly next: ChangesPosition | null;
  /** The last change that is sent, over all pages. */
  readonly upTo: Mark;
  /** The newest change. */
  readonly newest: Mark;
}

type Read = Pick<ChangesPart, 'changes' | 'next'>;

/**
 * Reads the next changes: those after the cursor, up to the change that was the newest when the delta began.
 *
 * @returns null if the cursor has expired
 */
export async function readChanges(
  db: D1Database,
  scope: ListScope,
  state: ListState,
  asOf: Instant,
  maxLines: number,
): Promise<ChangesPart | null> {
  const { municipality } = scope;
  const delta: DeltaContext = { scope, held: { ...state.held, asOf: state.asOf }, asOf };
  const page = state.page?.of === 'changes' ? state.page : null;
  const from = page?.position ?? startOf('sessions', state);
  const upTo = page === null ? Number.MAX_SAFE_INTEGER : state.mark.recordedAt;
  const bounds: Bounds = {
    upTo,
    lookedAt: Math.max(MIN_LOOKED_AT, LOOKED_AT_A_LINE * maxLines),
    maxLines,
  };
  // The first answer is usually the only one. A further one reads one part.
  const isWhole = page === null && municipality.subscriptionsEnabled;
  const behind = isWhole ? startOf('subscriptions', state) : null;
  const { head, read, rowsBehind } = await readRows(db, delta, state, from, behind, bounds);
  const { newest, isWhole: isKept } = headOf(head, state);
  if (!isKept) {
    return null;
  }
  const common = { upTo: page === null ? newest : state.mark, newest };
  if (read.next !== null) {
    return { ...read, ...common };
  }
  if (behind === null) {
    const isLast = from.part === 'subscriptions' || !municipality.subscriptionsEnabled;
    return { ...common, changes: read.changes, next: isLast ? null : startOf('subscriptions', state) };
  }
  const left = { ...bounds, maxLines: maxLines - read.changes.length };
  const further = subscriptionsOf(rowsBehind, behind, delta, left);
  return { ...common, changes: [...read.changes, ...further.changes], next: further.next };
}

/** Reads from a position, after sessions also the subscriptions, and always the municipality's head. */
async function readRows(
  db: D1Database,
  delta: DeltaContext,
  state: ListState,
  from: ChangesPosition,
  behind: ChangesPosition | null,
  bounds: Bounds,
) {
  const first = headStatement(db, delta.scope.municipality, state);
  if (from.part === 'subscriptions') {
    const [head, { results }] = await batch(db, [first, subscriptionsFrom(db, delta, from, bounds)]);
    return { head, read: subscriptionsOf(results, from, delta, bounds), rowsBehind: [] };
  }
  const second = sessionsFrom(db, delta, from, bounds);
  if (behind === null) {
    const [head, { results }] = await batch(db, [first, second]);
    return { head, read: sessionsOf(results, from, delta, bounds), rowsBehind: [] };
  }
  const third = subscriptionsFrom(db, delta, behind, bounds);
  const [head, { results }, { results: rowsBehind }] = await batch(db, [first, second, third]);
  return { head, read: sessionsOf(results, from, delta, bounds), rowsBehind };
}

const startOf = (part: ChangesPosition['part'], { since }: ListState): ChangesPosition => ({
  part,
  from: [since + 1, 0],
  span: null,
});

interface Bounds {
  /** The instant of the last change. */
  readonly upTo: number;
  /** The most rows to read, within the limits of a part. */
  readonly lookedAt: number;
  readonly maxLines: number;
}

const lookedAtOf = (part: ChangesPosition['part'], { lookedAt }: Bounds): number =>
  Math.min(MAX_LOOKED_AT[part], lookedAt);

const valuesOf = (
  { scope: { municipality, facility }, held }: DeltaContext,
  { part, from: [fromAt, fromId] }: ChangesPosition,
  bounds: Bounds,
) => ({
  municipalityId: municipality.id,
  areaId: facility.areaId,
  heldFrom: held.from,
  heldTo: held.to,
  fromAt,
  fromId,
  upTo: bounds.upTo,
  maxLookedAt: lookedAtOf(part, bounds),
});

const sessionsFrom = (db: D1Database, delta: DeltaContext, from: ChangesPosition, bounds: Bounds) =>
  CHANGED_SESSIONS.prepare(db, valuesOf(delta, from, bounds));

const subscriptionsFrom = (db: D1Database, delta: DeltaContext, from: ChangesPosition, bounds: Bounds) =>
  CHANGED_SUBSCRIPTIONS.prepare(db, {
    ...valuesOf(delta, from, bounds),
    areaCode: delta.scope.facility.code,
    heldAt: listInstant(delta.held, delta.asOf),
    maxPlates: bounds.lookedAt,
  });

const behindRow = (part: ChangesPosition['part'], at: number, id: number): ChangesPosition => ({
  part,
  from: [at, id + 1],
  span: null,
});

function sessionsOf(
  rows: readonly ChangedSessionRow[],
  from: ChangesPosition,
  delta: DeltaContext,
  bounds: Bounds,
): Read {
  const changes = rows.flatMap((row): PlacedChange[] => {
    const change = sessionChange(row, delta);
    return change === null ? [] : [{ ...change, behind: behindRow('sessions', row.recorded_at, row.id) }];
  });
  const last = rows.length === lookedAtOf('sessions', bounds) ? rows.at(-1) : undefined;
  return cutAt(changes, from, bounds, last ? behindRow('sessions', last.recorded_at, last.id) : null);
}

function subscriptionsOf(
  found: readonly ChangedSubscriptionRow[],
  from: ChangesPosition,
  delta: DeltaContext,
  bounds: Bounds,
): Read {
  const rows = found.toSorted((a, b) => a.changed_at - b.changed_at || a.id - b.id);
  const [fromAt, fromId] = from.from;
  const { span: done } = from;
  const changes = rows.flatMap((row) => {
    const at: ChangesPosition['from'] = [row.changed_at, row.id];
    const isFrom = row.changed_at === fromAt && row.id === fromId;
    const isLeft = (span: SpanKey) => !isFrom || done === null || bySpan(span, done) > 0;
    return subscriptionChanges(row, delta)
      .filter(({ span }) => isLeft(span))
      .map(
        ({ span, ...change }): PlacedChange => ({
          ...change,
          behind: { part: 'subscriptions', from: at, span },
        }),
      );
  });
  const plates = sum(rows.map((row) => changedPlates(row, delta)));
  const isCut = rows.length === lookedAtOf('subscriptions', bounds) || plates >= bounds.lookedAt;
  const last = isCut ? rows.at(-1) : undefined;
  return cutAt(changes, from, bounds, last ? behindRow('subscriptions', last.changed_at, last.id) : null);
}

/** As many lines as there is room for. */
function cutAt(
  changes: readonly PlacedChange[],
  from: ChangesPosition,
  { maxLines }: Bounds,
  next: ChangesPosition | null,
): Read {
  const taken = changes.slice(0, maxLines);
  return taken.length === changes.length
    ? { changes, next }
    : { changes: taken, next: taken.at(-1)?.behind ?? from };
}
