import type { Facility } from '../../../src/domain/facility-access.ts';
import { DAY_MS, type Instant, parseInstant, SECOND_MS } from '../../../src/domain/instant.ts';
import type { Span } from '../../../src/domain/interval.ts';
import type { ListChange, ListHeader } from '../list/wire.ts';

/** An entitlement of one plate, as the gate holds it. */
export type HeldEntry = HeldSession | HeldSubscription;

export interface HeldSession {
  readonly kind: 'session';
  readonly id: string;
  /** A hash. */
  readonly plate: string;
  readonly from: Instant;
  readonly until: Instant;
  readonly cancelledAt: Instant | null;
}

export interface HeldSubscription {
  readonly kind: 'subscription';
  readonly id: string;
  readonly plate: string;
  readonly valid: readonly Span[];
}

/** The header of a list. */
export interface ListFacts {
  readonly municipalityCode: string;
  readonly areaCode: string;
  readonly keyId: string;
  /** The instant that the entries are true for. */
  readonly asOf: Instant;
  /** From then on the list must not be used. */
  readonly validUntil: Instant;
  readonly refreshAfterMs: number;
  readonly fullAfterMs: number;
  readonly facility: Facility;
}

/** An entry to keep, or the id of one to drop, because it was removed or cannot be read. */
export type HeldChange =
  | HeldEntry
  | { readonly kind: 'removed'; readonly id: string }
  | { readonly kind: 'unreadable'; readonly id: string | null };

/** The entries of a list that the gate cannot read. */
export interface UnreadableEntries {
  readonly count: number;
  /** The ids of the first 100 that have one. */
  readonly ids: readonly string[];
}

const MAX_NAMED = 100;

/** A session stays in the list so long after its end: cars leave late. */
const KEPT_AFTER_END_MS = DAY_MS;

/** Reads a header; null when an instant in it cannot be read. */
export function factsOf(header: ListHeader): ListFacts | null {
  const asOf = parseInstant(header.as_of);
  const validUntil = parseInstant(header.valid_until);
  if (asOf === null || validUntil === null) return null;
  const { facility } = header;
  return {
    municipalityCode: header.municipality_code,
    areaCode: header.area_code,
    keyId: header.plate_hash.key_id,
    asOf,
    validUntil,
    refreshAfterMs: header.refresh_after_seconds * SECOND_MS,
    fullAfterMs: header.full_after_seconds * SECOND_MS,
    facility: {
      serviceEnabled: facility.service_enabled,
      plateControlEnabled: facility.plate_control_enabled,
      subscriptionAccess: facility.subscription_access,
      entryGraceMinutes: facility.entry_grace_minutes,
      exitGraceMinutes: facility.exit_grace_minutes,
    },
  };
}

/** Reads a line of a page. Null for an entry with an instant that cannot be read. */
export function changeOf(line: ListChange): HeldChange {
  if (line.type === 'removed') return { kind: 'removed', id: line.id };
  if (line.type === 'unreadable') return { kind: 'unreadable', id: line.id };
  const { id, plate } = line;
  const unreadable = { kind: 'unreadable', id } as const;
  if (line.kind === 'session') {
    const from = parseInstant(line.from);
    const until = parseInstant(line.until);
    const cancelledAt = parseOptional(line.cancelled_at ?? null);
    if (from === null || until === null || cancelledAt === undefined) return unreadable;
    return { kind: 'session', id, plate, from, until, cancelledAt };
  }
  const valid: Span[] = [];
  for (const span of line.valid) {
    const from = parseInstant(span.from);
    const until = parseOptional(span.until);
    if (from === null || until === undefined) return unreadable;
    valid.push({ from, until });
  }
  return { kind: 'subscription', id, plate, valid };
}

/** Null stays null; undefined is a text that is not an instant. */
function parseOptional(text: string | null): Instant | null | undefined {
  return text === null ? null : (parseInstant(text) ?? undefined);
}

/** The list that a gate holds: the entitlements of a facility, found by plate. It changes only as a whole. */
export class HeldList {
  readonly facts: ListFacts;
  /** For the next delta. */
  readonly cursor: string;
  /** The instant of the full list that this one goes back to. */
  readonly fullAsOf: Instant;
  readonly #byId: Map<string, HeldEntry>;
  /** Most plates have one entry: an array for each would take more memory than the rest. */
  readonly #byPlate: Map<string, HeldEntry | readonly HeldEntry[]>;
  /** Ids of unreadable entries, and the number of lines without an id. */
  readonly #unreadable: Set<string>;
  #nameless: number;

  private constructor(facts: ListFacts, cursor: string, fullAsOf: Instant, before: HeldList | null) {
    this.facts = facts;
    this.cursor = cursor;
    this.fullAsOf = fullAsOf;
    this.#byId = before === null ? new Map() : before.#byId;
    this.#byPlate = before === null ? new Map() : before.#byPlate;
    this.#unreadable = before === null ? new Set() : before.#unreadable;
    this.#nameless = before === null ? 0 : before.#nameless;
  }

  /** A list from all pages of a full one. */
  static full(
    facts: ListFacts,
    changes: readonly HeldChange[],
    cursor: string,
    fullAsOf = facts.asOf,
  ): HeldList {
    const list = new HeldList(facts, cursor, fullAsOf, null);
    for (const change of changes) list.#apply(change);
    return list;
  }

  /** This list after all pages of a delta. The old one must not be used any more: the entries have moved into the new one. */
  changed(facts: ListFacts, changes: readonly HeldChange[], cursor: string): HeldList {
    const list = new HeldList(facts, cursor, this.fullAsOf, this);
    for (const change of changes) list.#apply(change);
    return list;
  }

  get size(): number {
    return this.#byId.size;
  }

  get unreadable(): UnreadableEntries {
    return {
      count: this.#unreadable.size + this.#nameless,
      ids: [...this.#unreadable].slice(0, MAX_NAMED),
    };
  }

  /** Of all unreadable entries; null for each without an id. */
  *unreadableIds(): Generator<string | null, void, void> {
    yield* this.#unreadable;
    for (let number = 0; number < this.#nameless; number++) yield null;
  }

  entries(): IterableIterator<HeldEntry> {
    return this.#byId.values();
  }

  /** @param plate its hash */
  entriesOf(plate: string): readonly HeldEntry[] {
    const found = this.#byPlate.get(plate);
    if (found === undefined) return [];
    return isOne(found) ? [found] : found;
  }

  /** Drops entries that have ended: no delta removes them. */
  dropEnded(at: Instant): void {
    for (const entry of this.#byId.values()) {
      if (hasEnded(entry, at)) this.#remove(entry.id);
    }
  }

  #apply(change: HeldChange): void {
    if (change.id === null) {
      this.#nameless += 1;
      return;
    }
    this.#remove(change.id);
    this.#unreadable.delete(change.id);
    if (change.kind === 'removed') return;
    if (change.kind === 'unreadable') {
      this.#unreadable.add(change.id);
      return;
    }
    this.#byId.set(change.id, change);
    const others = this.entriesOf(change.plate);
    this.#byPlate.set(change.plate, others.length === 0 ? change : [...others, change]);
  }

  #remove(id: string): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#byId.delete(id);
    const left = this.entriesOf(entry.plate).filter((other) => other !== entry);
    const [only] = left;
    if (only === undefined) this.#byPlate.delete(entry.plate);
    else this.#byPlate.set(entry.plate, left.length === 1 ? only : left);
  }
}

/** Whether an entry can no longer open anything, within any tolerance. */
export function hasEnded(entry: HeldEntry, at: Instant): boolean {
  if (entry.kind === 'subscription') {
    return entry.valid.every((span) => span.until !== null && span.until <= at);
  }
  const isCancelled = entry.cancelledAt !== null && entry.cancelledAt <= at;
  return isCancelled || entry.until <= at - KEPT_AFTER_END_MS;
}

function isOne(found: HeldEntry | readonly HeldEntry[]): found is HeldEntry {
  return !Array.isArray(found);
}
