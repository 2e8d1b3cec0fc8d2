import { parseInstant } from '../../../src/domain/instant.ts';
import { parseObject } from '../calls/judge.ts';
import { isEnd, isHeader, type ListChange, type ListEnd, type ListHeader, readChange } from '../list/wire.ts';
import { hasShape } from '../shape.ts';
import { iso } from './gate-clock.ts';
import { changeOf, factsOf, type HeldChange, type HeldEntry, HeldList } from './held-list.ts';

/** A gate's stored state: its list, and how far the service's clock was ahead of the machine's. */
export interface Kept {
  readonly list: HeldList;
  readonly serviceAheadMs: number;
}

/** The first line of the stored text; then come the lines of a full list, as the service writes them. */
interface GateLine {
  readonly type: 'gate';
  readonly version: 1;
  readonly service_ahead_ms: number;
  readonly full_as_of: string;
}

const GATE_LINE = {
  type: 'object',
  required: ['type', 'version', 'service_ahead_ms', 'full_as_of'],
  properties: {
    type: { const: 'gate' },
    version: { const: 1 },
    service_ahead_ms: { type: 'number' },
    full_as_of: { type: 'string' },
  },
};

/** How many lines are written at once: a decision must not wait for a long list. */
const LINES_AT_ONCE = 500;

/** Writes a list in the service's own format. The list must not change meanwhile. */
export async function* storedForm({ list, serviceAheadMs }: Kept): AsyncGenerator<string, void, void> {
  const gate: GateLine = {
    type: 'gate',
    version: 1,
    service_ahead_ms: serviceAheadMs,
    full_as_of: iso(list.fullAsOf),
  };
  yield lineOf(gate) + lineOf(headerOf(list));
  let text = '';
  let lines = 0;
  for (const line of linesOf(list)) {
    text += lineOf(line);
    lines += 1;
    if (lines % LINES_AT_ONCE === 0) {
      yield text;
      text = '';
      await aTurn();
    }
  }
  const end: ListEnd = { type: 'end', cursor: list.cursor, more: false, lines };
  yield text + lineOf(end);
}

/** Reads the stored text; null when it is incomplete. */
export async function readStoredForm(text: AsyncIterable<string> | Iterable<string>): Promise<Kept | null> {
  const reader = new StoredReader();
  let lines = 0;
  for await (const line of linesIn(text)) {
    if (!reader.take(parseObject(line))) return null;
    lines += 1;
    if (lines % LINES_AT_ONCE === 0) await aTurn();
  }
  return reader.kept();
}

/** Takes line after line. */
class StoredReader {
  #gate: GateLine | null = null;
  #header: ListHeader | null = null;
  #end: ListEnd | null = null;
  readonly #changes: HeldChange[] = [];

  /** @returns false for a line in the wrong position */
  take(line: unknown): boolean {
    if (this.#end !== null) return false;
    if (this.#gate === null) {
      this.#gate = isGateLine(line) ? line : null;
      return this.#gate !== null;
    }
    if (this.#header === null) {
      this.#header = isHeader(line) ? line : null;
      return this.#header !== null;
    }
    if (isEnd(line)) {
      this.#end = line;
      return true;
    }
    const change = readChange(line);
    if (change === null) return false;
    this.#changes.push(changeOf(change));
    return true;
  }

  kept(): Kept | null {
    if (this.#gate === null || this.#header === null || this.#end?.lines !== this.#changes.length)
      return null;
    const facts = factsOf(this.#header);
    const fullAsOf = parseInstant(this.#gate.full_as_of);
    if (facts === null || fullAsOf === null) return null;
    return {
      list: HeldList.full(facts, this.#changes, this.#end.cursor, fullAsOf),
      serviceAheadMs: this.#gate.service_ahead_ms,
    };
  }
}

function headerOf({ facts }: HeldList): ListHeader {
  const { facility } = facts;
  return {
    type: 'list',
    version: 1,
    mode: 'full',
    municipality_code: facts.municipalityCode,
    area_code: facts.areaCode,
    as_of: iso(facts.asOf),
    valid_until: iso(facts.validUntil),
    refresh_after_seconds: facts.refreshAfterMs / 1_000,
    full_after_seconds: facts.fullAfterMs / 1_000,
    plate_hash: { algorithm: 'HMAC-SHA-256', bits: 96, key_id: facts.keyId },
    facility: {
      service_enabled: facility.serviceEnabled,
      plate_control_enabled: facility.plateControlEnabled,
      subscription_access: facility.subscriptionAccess,
      entry_grace_minutes: facility.entryGraceMinutes,
      exit_grace_minutes: facility.exitGraceMinutes,
    },
  };
}

/** Unreadable entries are still named after a restart. */
function* linesOf(list: HeldList): Generator<ListChange, void, void> {
  for (const entry of list.entries()) yield entryLine(entry);
  for (const id of list.unreadableIds()) yield { type: 'unreadable', id };
}

function entryLine(entry: HeldEntry): ListChange {
  const { id, plate } = entry;
  if (entry.kind === 'subscription') {
    const valid = entry.valid.map(({ from, until }) => ({
      // The service gives each span its start.
      from: iso(from ?? 0),
      until: until === null ? null : iso(until),
    }));
    return { type: 'entry', id, plate, kind: 'subscription', valid };
  }
  return {
    ...{ type: 'entry', id, plate, kind: 'session', from: iso(entry.from), until: iso(entry.until) },
    ...(entry.cancelledAt !== null && { cancelled_at: iso(entry.cancelledAt) }),
  };
}

function isGateLine(value: unknown): value is GateLine {
  return hasShape(value, GATE_LINE);
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/**
 * Joins pieces and cuts them at line ends. A last line without an end counts as a line, which cannot be read.
 */
async function* linesIn(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Yields to other tasks. */
function aTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
