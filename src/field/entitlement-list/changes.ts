import { sharedPartOf, spanOf as validityOf } from '../../core/entitlement/plate-subscriptions-table.ts';
import { type Instant, instant, nullableInstant } from '../../domain/instant.ts';
import {
  isSameEntry,
  type ListEntry,
  sessionEntry,
  subscriptionEntry,
  writableEntry,
} from '../../domain/list-entry.ts';
import type { ParkingSession } from '../../domain/parking-session.ts';
import { normalizePlate, type Plate, storedPlate } from '../../domain/plate.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { parsed } from '../../storage/db/sql.ts';
import { splitFieldValues, type ValuesByName } from '../../storage/db/subscription-fields.ts';
import type {
  ChangedSessionRow,
  ChangedSubscriptionRow,
  HeldSessionsTuple,
  PastSpanTuple,
  SpanTuple,
} from './changes-statements.ts';
import type { HeldBetween, SpanKey } from './cursor.ts';
import type { ListedFacility, ListMunicipality } from './facility-table.ts';
import type { PeriodTuple } from './listed-parts.ts';

/** The parts of a right's id, which never contains its plate. */
export type Right = readonly (string | number)[];

/** One line of an answer: the entry of a right, or its removal. */
export interface ListedChange {
  readonly right: Right;
  readonly entry: ListEntry | null;
}

/** The facility of a list, with the settings on which its entries depend. */
export interface ListScope {
  readonly municipality: ListMunicipality;
  readonly facility: ListedFacility;
}

/** A right as the database holds it. */
type StoredRight =
  | { readonly kind: 'session'; readonly session: StoredSession }
  | { readonly kind: 'subscription'; readonly subscription: Subscription };

type StoredSession = Pick<ParkingSession, 'plate' | 'sourceCode' | 'startsAt' | 'endsAt' | 'cancelledAt'>;

export const sessionRight = (municipalityId: number, sourceCode: string, sessionId: string): Right => [
  'session',
  municipalityId,
  sourceCode,
  sessionId,
];

export const subscriptionRight = (municipalityId: number, number: string, span: SpanKey): Right => [
  'subscription',
  municipalityId,
  number,
  ...span,
];

/** Orders the spans of plates on a subscription. */
export const bySpan = ([recordedAt, id]: SpanKey, [otherRecordedAt, otherId]: SpanKey): number =>
  recordedAt - otherRecordedAt || id - otherId;

function wholeEntryOf(
  stored: StoredRight,
  { municipality, facility }: ListScope,
  asOf: Instant,
): ListEntry | null {
  switch (stored.kind) {
    case 'session': {
      const { session } = stored;
      const openSessionMaxHours = municipality.openSessionMaxHours.get(session.sourceCode);
      if (openSessionMaxHours === undefined) {
        throw new Error(
          `a session has the source ${session.sourceCode}, which its municipality does not have`,
        );
      }
      return sessionEntry({ ...session, openSessionMaxHours }, asOf);
    }
    case 'subscription':
      return municipality.subscriptionsEnabled
        ? subscriptionEntry(stored.subscription, facility.code, asOf)
        : null;
    default:
      return stored satisfies never;
  }
}

/** The entry of a right in the list as of an instant. Null for a pseudonym: no list has one. */
export function listedEntryOf(stored: StoredRight, scope: ListScope, asOf: Instant): ListEntry | null {
  const entry = writableEntry(wholeEntryOf(stored, scope, asOf), scope.municipality.timeZone);
  return entry !== null && isPlate(entry.plate) ? entry : null;
}

/** Normalization leaves a plate as it is, and never yields a pseudonym. */
const isPlate = (plate: Plate): boolean => normalizePlate(plate) === plate;

/** The list that a gate holds. */
interface HeldList extends HeldBetween {
  /** Its instant. */
  readonly asOf: Instant;
}

/** The context of a delta as of an instant. */
export interface DeltaContext {
  readonly scope: ListScope;
  readonly held: HeldList;
  readonly asOf: Instant;
}

/**
 * The change of an entitlement. One that was never in the list, or ended by time alone, has no change.
 *
 * @param now null if it no longer exists, or is not in the facility
 * @param shown the states that the caller may hold: null for a state outside the list
 */
function changeOf(
  right: Right,
  now: StoredRight | null,
  shown: readonly (StoredRight | null)[],
  { scope, held, asOf }: DeltaContext,
): ListedChange | null {
  const entry = now && listedEntryOf(now, scope, asOf);
  if (entry !== null) {
    const isHeld = shown.every((stored) => isSameEntry(stored && listedEntryOf(stored, scope, asOf), entry));
    return isHeld ? null : { right, entry };
  }
  const heldAt = listInstant(held, asOf);
  // A pseudonym is older than this list: a later one would have expired the cursor.
  const wasHeld = shown.some((stored) => stored !== null && listedEntryOf(stored, scope, heldAt) !== null);
  return wasHeld ? { right, entry: null } : null;
}

/** The instant as of which the caller's list was made. */
export const listInstant = ({ asOf: heldAsOf }: HeldList, asOf: Instant): Instant =>
  instant(Math.min(heldAsOf, asOf));

/** The change of a session. */
export function sessionChange(row: ChangedSessionRow, delta: DeltaContext): ListedChange | null {
  const { scope, held } = delta;
  const { source_code: sourceCode, session_id, plate, starts_at, ends_at, cancelled_at } = row;
  const stored = (of: HeldSessionsTuple[2][number]): StoredRight => ({
    kind: 'session',
    session: {
      plate: storedPlate(of[0]),
      sourceCode,
      startsAt: instant(of[1]),
      endsAt: nullableInstant(of[2]),
      cancelledAt: nullableInstant(of[3]),
    },
  });
  const [since, count, here] = parsed(row.held);
  const isAlwaysHere = since !== null && since <= held.from && here.length === count;
  return changeOf(
    sessionRight(scope.municipality.id, sourceCode, session_id),
    row.is_here === 1 ? stored([plate, starts_at, ends_at, cancelled_at]) : null,
    [...here.map(stored), ...(isAlwaysHere ? [] : [null])],
    delta,
  );
}

/** A change of a plate on a subscription, with the key that orders it. */
interface PlateChange extends ListedChange {
  readonly span: SpanKey;
}

/** When a version was recorded and replaced. */
interface Versioned {
  readonly recordedAt: number;
  readonly replacedAt: number;
}

/** A version of the part that a subscription's plates share. */
interface Shared extends Versioned {
  readonly part: ReturnType<typeof sharedPartOf>;
}

/** A span of a plate on a subscription. */
interface Span extends Versioned {
  readonly key: SpanKey;
  readonly plate: string;
  readonly validity: Subscription['plateValidity'][number];
}

/** `replacedAt` of the present version. */
const NOW = Number.MAX_SAFE_INTEGER;

const wasAt = ({ recordedAt, replacedAt }: Versioned, at: number): boolean =>
  recordedAt <= at && (at < replacedAt || replacedAt === NOW);

/** The changes of a subscription's plates, in the order of their spans. */
export function subscriptionChanges(
  row: ChangedSubscriptionRow,
  delta: DeltaContext,
): readonly PlateChange[] {
  const versions = sharedOf(row, delta.scope);
  const spans = [...parsed(row.spans), ...parsed(row.past_spans)];
  return [...Map.groupBy(spans.map(spanOf), ({ plate }) => plate).values()]
    .flatMap((ofPlate) => plateChanges(row.subscription_number, ofPlate, versions, delta))
    .toSorted((a, b) => bySpan(a.span, b.span));
}

/** The number of plates as which a subscription counts towards the bound: at least one, even if no plate has changed. */
export function changedPlates(
  { spans, recorded_at }: ChangedSubscriptionRow,
  { held }: DeltaContext,
): number {
  const all = parsed(spans);
  const changed = recorded_at > held.from ? all : all.filter(([recordedAt]) => recordedAt > held.from);
  return Math.max(1, changed.length);
}

/** The right of a plate at an instant. */
interface PlateState {
  readonly span: SpanKey;
  readonly stored: StoredRight;
}

/** Returns several changes if one span replaced another, because its right has another id. */
function plateChanges(
  number: string,
  spans: readonly Span[],
  versions: readonly Shared[],
  delta: DeltaContext,
): PlateChange[] {
  const { held, scope } = delta;
  const now = stateAt(NOW, spans, versions);
  const instants = [...spans, ...versions]
    .flatMap(({ recordedAt, replacedAt }) => [recordedAt, replacedAt])
    .filter((at) => at > held.from && at <= held.to);
  const shown = [held.from, ...new Set(instants)].map((at) => stateAt(at, spans, versions));
  const states = new Map([...shown, now].flatMap((state) => (state ? [[String(state.span), state]] : [])));
  return [...states].flatMap(([name, { span }]) => {
    const ofSpan = (state: PlateState | null) =>
      state !== null && String(state.span) === name ? state.stored : null;
    const right = subscriptionRight(scope.municipality.id, number, span);
    const change = changeOf(right, ofSpan(now), shown.map(ofSpan), delta);
    return change === null ? [] : [{ ...change, span }];
  });
}

function stateAt(at: number, spans: readonly Span[], versions: readonly Shared[]): PlateState | null {
  const shared = versions.find((version) => wasAt(version, at));
  const own = spans.filter((span) => wasAt(span, at)).toSorted((a, b) => bySpan(a.key, b.key));
  const [first] = own;
  if (shared === undefined || first === undefined) {
    return null;
  }
  const plateValidity = own.map(({ validity }) => validity);
  const subscription = { ...shared.part, plate: storedPlate(first.plate), plateValidity };
  return { span: first.key, stored: { kind: 'subscription', subscription } };
}

/** All versions that the caller may hold, and the present one. */
function sharedOf(row: ChangedSubscriptionRow, { facility }: ListScope): readonly Shared[] {
  const partOf = (stored: ValuesByName<number | null>, isHere: number, periods: readonly PeriodTuple[]) =>
    sharedPartOf(row.subscription_number, stored, periods, isHere === 1 ? [facility.code] : []);
  const past = parsed(row.versions).map(([recordedAt, replacedAt, ...values]) => ({
    recordedAt,
    replacedAt,
    part: partOf(...splitFieldValues(values)),
  }));
  const present = partOf(row, row.is_listed, parsed(row.periods));
  return [...past, { recordedAt: row.recorded_at, replacedAt: NOW, part: present }];
}

function spanOf(tuple: SpanTuple | PastSpanTuple): Span {
  const [recordedAt, id, plate, from, until, replacedAt = NOW] = tuple;
  return { key: [recordedAt, id], plate, validity: validityOf([from, until]), recordedAt, replacedAt };
}
