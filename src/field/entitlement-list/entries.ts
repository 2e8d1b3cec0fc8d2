import { HOUR_MS, type Instant } from '../../domain/instant.ts';
import { type ListEntry, sessionEntry, subscriptionEntry, writableEntry } from '../../domain/list-entry.ts';
import { paidPeriod } from '../../domain/paid-period.ts';
import { SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import { normalizePlate } from '../../domain/plate.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import { judgedPart } from '../../storage/db/titles.ts';
import type { ListState, Position } from './cursor.ts';
import type { ListedFacility, ListMunicipality } from './facility-table.ts';
import { readSessions, readTitles, type SessionRow, type TitleRow } from './rows-table.ts';

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

/** A line and the position behind it; without a line, how far a read has come. */
export interface Step {
  readonly change: ListedChange | null;
  /** Null: the list ends here. */
  readonly behind: Position | null;
}

const FIRST = [0, 0, 0] as const;
const LAST = Number.MAX_SAFE_INTEGER;

/** Where a full list begins: it has no session that ended earlier. */
export const startOfFull = (asOf: Instant): Position => ({
  part: 'sessions',
  after: [asOf - SESSION_WINDOW_MS, LAST, LAST],
  sent: 0,
});

/** Where a delta begins: behind the change up to which its holder has everything. */
export const startOfDelta = (since: Instant): Position => ({
  part: 'sessions',
  // The index is entered behind the rows of the change itself, of which there may be many.
  after: [since + 1, 0, 0],
  sent: 0,
});

/** The most reads of an answer, which ends early where few rows are of the facility. */
const MAX_READS = 12;

/** The lines of a list from its position on, read as they are taken. */
export async function* stepsOf(d1: D1Database, scope: ListScope, state: ListState): AsyncGenerator<Step> {
  let { position } = state;
  for (let reads = 0; position !== null && reads < MAX_READS; reads += 1) {
    for (const step of await readFrom(d1, scope, state, position)) {
      position = step.behind;
      yield step;
    }
  }
}

/** One read: its lines, and in the end the position behind it. */
function readFrom(
  d1: D1Database,
  scope: ListScope,
  state: ListState,
  position: Position,
): Promise<Iterable<Step>> {
  return position.part === 'titles'
    ? readTitleSteps(d1, scope, state, position)
    : readSessionSteps(d1, scope, state, position);
}

const valuesOf = (
  { municipality, facility }: ListScope,
  { asOf, since, upTo }: ListState,
  after: Position['after'],
) => ({
  municipalityId: municipality.id,
  areaId: facility.areaId,
  areaCode: facility.code,
  ...{ asOf, after, since, upTo: upTo ?? 0 },
});

async function readSessionSteps(
  d1: D1Database,
  scope: ListScope,
  state: ListState,
  { part, after }: Position,
): Promise<Iterable<Step>> {
  const of = state.upTo !== null ? 'changed' : part === 'open_sessions' ? part : 'sessions';
  return sessionSteps(await readSessions(d1, of, valuesOf(scope, state, after)), scope, state, part);
}

function* sessionSteps(
  { rows, last }: Awaited<ReturnType<typeof readSessions>>,
  scope: ListScope,
  state: ListState,
  part: Position['part'],
): Generator<Step> {
  const isDelta = state.upTo !== null;
  const placeOf = ({ recordedAt, runsUntil, startsAt, id }: SessionRow): Position => ({
    part,
    after: isDelta ? [recordedAt, id, 0] : [runsUntil ?? OPEN_END, startsAt, id],
    sent: 0,
  });
  for (const row of rows) {
    const change = sessionChange(row, scope, state.asOf);
    if (change.entry !== null || isDelta) yield { change, behind: placeOf(row) };
  }
  yield { change: null, behind: last === null ? behindSessions(scope, state, part) : placeOf(last) };
}

function behindSessions(
  { municipality }: ListScope,
  { asOf, upTo }: ListState,
  part: Position['part'],
): Position | null {
  if (upTo === null && part === 'sessions') {
    // No open session that started earlier counts any more, whatever its source.
    const longest = Math.max(0, ...municipality.openSessionMaxHours.values());
    return {
      part: 'open_sessions',
      after: [OPEN_END, asOf - SESSION_WINDOW_MS - longest * HOUR_MS, LAST],
      sent: 0,
    };
  }
  return municipality.subscriptionsEnabled ? { part: 'titles', after: FIRST, sent: 0 } : null;
}

function sessionChange(row: SessionRow, { municipality, facility }: ListScope, asOf: Instant): ListedChange {
  const right = ['session', municipality.id, row.sourceCode, row.sessionId];
  const openSessionMaxHours = municipality.openSessionMaxHours.get(row.sourceCode) ?? 0;
  const entry = row.areaId === facility.areaId ? sessionEntry({ ...row, openSessionMaxHours }, asOf) : null;
  return { right, entry: shown(entry, municipality) };
}

async function readTitleSteps(
  d1: D1Database,
  scope: ListScope,
  state: ListState,
  position: Position,
): Promise<Iterable<Step>> {
  const of = state.upTo !== null ? 'changed' : 'all';
  return titleSteps(await readTitles(d1, of, valuesOf(scope, state, position.after)), scope, state, position);
}

function* titleSteps(
  { titles, areAll }: Awaited<ReturnType<typeof readTitles>>,
  scope: ListScope,
  state: ListState,
  { after, sent }: Position,
): Generator<Step> {
  const isDelta = state.upTo !== null;
  let before: readonly [number, number] = [after[0], after[1]];
  for (const title of titles) {
    const lines = titleChanges(title, scope, state.asOf).filter(({ entry }) => entry !== null || isDelta);
    // Of the title at which the last page ended, some were sent already.
    const from = title.id === after[2] ? sent : 0;
    for (const [line, change] of lines.entries()) {
      if (line >= from)
        yield { change, behind: { part: 'titles', after: [...before, title.id], sent: line + 1 } };
    }
    before = [isDelta ? 0 : title.recordedAt, title.id];
    yield { change: null, behind: { part: 'titles', after: [...before, 0], sent: 0 } };
  }
  if (areAll) yield { change: null, behind: null };
}

/** The lines of a title: a plate's right bears the number of its first span, so that no other one moves when it leaves. */
function titleChanges(title: TitleRow, { municipality, facility }: ListScope, asOf: Instant): ListedChange[] {
  const part = judgedPart(
    title,
    title.paid.flatMap((payment) => paidPeriod(payment) ?? []),
  );
  const rightOf = (span: number): Right => ['subscription', municipality.id, span];
  const present = [...Map.groupBy(title.spans, ({ plate }) => plate)].map(([plate, spans]) => {
    const plateValidity = spans.map(({ validFrom, validUntil }) => ({ from: validFrom, until: validUntil }));
    const subscription = { ...part, subscriptionNumber: '', plate, plateValidity };
    return {
      right: rightOf(spans[0]?.id ?? 0),
      entry: shown(subscriptionEntry(subscription, facility.code, asOf), municipality),
    };
  });
  return [...title.left.map(({ id }) => ({ right: rightOf(id), entry: null })), ...present];
}

/** The part of an entry that can be written. No list has a pseudonym, which is what normalization never yields. */
function shown(entry: ListEntry | null, { timeZone }: ListMunicipality): ListEntry | null {
  const written = writableEntry(entry, timeZone);
  return written !== null && normalizePlate(written.plate) === written.plate ? written : null;
}
