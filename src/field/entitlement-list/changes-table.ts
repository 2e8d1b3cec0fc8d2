import type { Instant } from '../../domain/instant.ts';
import { changedPlates, listInstant, sessionChange, subscriptionChanges, type Telling } from './changes.ts';
import {
  CHANGED_SESSIONS,
  CHANGED_SUBSCRIPTIONS,
  type ChangedSessionRow,
  type ChangedSubscriptionRow,
} from './changes-statements.ts';
import type { ChangesPosition, ListState, Mark, SpanKey } from './cursor.ts';
import { headOf, headStatement } from './head-table.ts';
import { bySpan, type ListedChange, type ListScope } from './listed-changes.ts';

/**
 * How many rows one statement looks at: some for each line of a short answer. Fewer subscriptions, since each may have hundreds
 * of plates and periods.
 */
const MAX_LOOKED_AT = { sessions: 2_500, subscriptions: 150 } as const;
const LOOKED_AT_A_LINE = 8;
const MIN_LOOKED_AT = 100;

/** A change, and where the changes go on behind it. */
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
  /** The newest one of all. */
  readonly newest: Mark;
}

type Read = Pick<ChangesPart, 'changes' | 'next'>;

/**
 * Reads the next changes: those behind the cursor, up to the one that was the newest at the first of these reads.
 *
 * @returns null where the cursor has expired
 */
export async function readChanges(
  db: D1DatabaseSession,
  scope: ListScope,
  state: ListState,
  asOf: Instant,
  maxLines: number,
): Promise<ChangesPart | null> {
  const { municipality } = scope;
  const telling: Telling = { scope, held: { ...state.held, asOf: state.asOf }, asOf };
  const page = state.page?.of === 'changes' ? state.page : null;
  const from = page?.position ?? startOf('sessions', state);
  const upTo = page === null ? Number.MAX_SAFE_INTEGER : state.mark.recordedAt;
  const bounds: Bounds = {
    upTo,
    lookedAt: Math.max(MIN_LOOKED_AT, LOOKED_AT_A_LINE * maxLines),
    maxLines,
  };
  // The first answer mostly is the only one. A further one reads one part.
  const isWhole = page === null && municipality.subscriptionsEnabled;
  const behind = isWhole ? startOf('subscriptions', state) : null;
  const [head, first, second] = await db.batch([
    headStatement(db, municipality, state),
    ...[from, ...(behind ? [behind] : [])].map((position) => statementOf(db, telling, position, bounds)),
  ]);
  const { newest, isWhole: isKept } = headOf(head, municipality, state);
  if (!isKept) {
    return null;
  }
  const read = readOf(first, from, telling, bounds);
  const common = { upTo: page === null ? newest : state.mark, newest };
  if (read.next !== null) {
    return { ...read, ...common };
  }
  if (behind === null) {
    const isLast = from.part === 'subscriptions' || !municipality.subscriptionsEnabled;
    return { ...common, changes: read.changes, next: isLast ? null : startOf('subscriptions', state) };
  }
  const further = readOf(second, behind, telling, { ...bounds, maxLines: maxLines - read.changes.length });
  return { ...common, changes: [...read.changes, ...further.changes], next: further.next };
}

const startOf = (part: ChangesPosition['part'], { since }: ListState): ChangesPosition => ({
  part,
  from: [since + 1, 0],
  span: null,
});

interface Bounds {
  /** The instant of the last change. */
  readonly upTo: number;
  /** How many rows are looked at, as far as a part allows. */
  readonly lookedAt: number;
  readonly maxLines: number;
}

const lookedAtOf = (part: ChangesPosition['part'], { lookedAt }: Bounds): number =>
  Math.min(MAX_LOOKED_AT[part], lookedAt);

function statementOf(
  db: D1DatabaseSession,
  { scope: { municipality, facility }, held, asOf }: Telling,
  { part, from }: ChangesPosition,
  bounds: Bounds,
): D1PreparedStatement {
  const common = [municipality.id, facility.areaId, held.from, held.to, ...from, bounds.upTo];
  const values = [...common, lookedAtOf(part, bounds)];
  return part === 'sessions'
    ? db.prepare(CHANGED_SESSIONS()).bind(...values)
    : db
        .prepare(CHANGED_SUBSCRIPTIONS())
        .bind(...values, facility.code, listInstant(held, asOf), bounds.lookedAt);
}

/** What a statement has read. The shapes are those of the statements. */
const readOf = (
  result: D1Result | undefined,
  from: ChangesPosition,
  telling: Telling,
  bounds: Bounds,
): Read =>
  from.part === 'sessions'
    ? sessionsOf((result?.results ?? []) as ChangedSessionRow[], from, telling, bounds)
    : subscriptionsOf((result?.results ?? []) as ChangedSubscriptionRow[], from, telling, bounds);

const behindRow = (part: ChangesPosition['part'], at: number, id: number): ChangesPosition => ({
  part,
  from: [at, id + 1],
  span: null,
});

function sessionsOf(
  rows: readonly ChangedSessionRow[],
  from: ChangesPosition,
  telling: Telling,
  bounds: Bounds,
): Read {
  const changes = rows.flatMap((row): PlacedChange[] => {
    const change = sessionChange(row, telling);
    return change === null ? [] : [{ ...change, behind: behindRow('sessions', row.recorded_at, row.id) }];
  });
  const last = rows.length === lookedAtOf('sessions', bounds) ? rows.at(-1) : undefined;
  return cutAt(changes, from, bounds, last ? behindRow('sessions', last.recorded_at, last.id) : null);
}

function subscriptionsOf(
  found: readonly ChangedSubscriptionRow[],
  from: ChangesPosition,
  telling: Telling,
  bounds: Bounds,
): Read {
  const rows = found.toSorted((a, b) => a.changed_at - b.changed_at || a.id - b.id);
  const [fromAt, fromId] = from.from;
  const { span: done } = from;
  const changes = rows.flatMap((row) => {
    const at: ChangesPosition['from'] = [row.changed_at, row.id];
    const isFrom = row.changed_at === fromAt && row.id === fromId;
    const isLeft = (span: SpanKey) => !isFrom || done === null || bySpan(span, done) > 0;
    return subscriptionChanges(row, telling)
      .filter(({ span }) => isLeft(span))
      .map(
        ({ span, ...change }): PlacedChange => ({
          ...change,
          behind: { part: 'subscriptions', from: at, span },
        }),
      );
  });
  const plates = rows.reduce((sum, row) => sum + changedPlates(row, telling), 0);
  const isCut = rows.length === lookedAtOf('subscriptions', bounds) || plates >= bounds.lookedAt;
  const last = isCut ? rows.at(-1) : undefined;
  return cutAt(changes, from, bounds, last ? behindRow('subscriptions', last.changed_at, last.id) : null);
}

/** So many lines as there is room for. */
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
