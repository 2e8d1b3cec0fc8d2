import type { Caller } from '../caller.ts';
import { backoffMs } from '../calls/backoff.ts';
import { entitlementListPages } from '../list/pages.ts';
import { instantOf, type ListChange, type ListHeader } from '../list/wire.ts';
import { type Failure, failed } from '../result.ts';
import type { GateEvent } from './events.ts';
import type { GateClock } from './gate-clock.ts';
import { HeldList } from './held-list.ts';
import type { StoreGuard } from './store-guard.ts';

/** Whose list it is. */
export interface Facility {
  readonly areaCode: string;
  readonly municipalityCode: string | null;
}

/** Until the first list sets its own interval. */
const DEFAULT_REFRESH_SECONDS = 60;

/** The longest wait that the service may ask for: a proxy's odd `Retry-After` must not leave the gate without a list. */
const MAX_ASKED_WAIT_MS = 600_000;

/**
 * Loads, refreshes and saves the list. One refresh at a time; the list changes only when a refresh is
 * complete.
 */
export class ListKeeper {
  readonly #caller: Caller;
  readonly #facility: Facility;
  readonly #keyId: string;
  readonly #store: StoreGuard;
  readonly #clock: GateClock;
  readonly #tell: (event: GateEvent) => void;
  #list: HeldList | null = null;
  #failures = 0;
  /** How long the service asked to be left alone, with the last failure. */
  #askedWaitMs = 0;
  #cursorIsGone = false;
  #refreshing: Promise<boolean> | null = null;

  constructor(
    caller: Caller,
    facility: Facility,
    keyId: string,
    store: StoreGuard,
    clock: GateClock,
    tell: (event: GateEvent) => void,
  ) {
    this.#caller = caller;
    this.#facility = facility;
    this.#keyId = keyId;
    this.#store = store;
    this.#clock = clock;
    this.#tell = tell;
  }

  get list(): HeldList | null {
    return this.#list;
  }

  /** Loads the list of an earlier run, if it can be used. It never throws. */
  async load(signal: AbortSignal): Promise<void> {
    const kept = await this.#store.load(signal);
    if (kept === null) return;
    const reason = kept === 'unreadable' ? kept : this.#unfit(kept.header);
    if (kept === 'unreadable' || reason !== null) {
      this.#tell({ type: 'stored_list_ignored', reason: reason ?? 'unreadable' });
      return;
    }
    this.#list = kept;
    this.#tell({ type: 'list_loaded', asOf: kept.header.as_of, entries: kept.size });
  }

  /** Milliseconds until the next refresh is due, counted from the end of the last one. */
  pauseMs(random: number): number {
    const everyMs = Math.max(
      1_000,
      (this.#list?.header.refresh_after_seconds ?? DEFAULT_REFRESH_SECONDS) * 1_000,
    );
    // Jitter: gates that were switched on together must not keep asking at the same instant.
    if (this.#failures === 0) return everyMs * (0.9 + random / 10);
    const ownMs = Math.min(everyMs, 500 + backoffMs(this.#failures, 0, random));
    return Math.max(ownMs, this.#askedWaitMs * (1 + random / 10));
  }

  /** Refreshes the list, or waits for the refresh that is under way. @returns whether the list is fresh now */
  refresh(signal?: AbortSignal): Promise<boolean> {
    this.#refreshing ??= this.#refresh(signal).finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** Resolves when no refresh is under way. */
  async ended(): Promise<void> {
    await this.#refreshing;
  }

  async #refresh(signal: AbortSignal | undefined): Promise<boolean> {
    const startedAt = performance.now();
    const failure = this.#isFullDue()
      ? await this.#renew(startedAt, signal)
      : await this.#update(startedAt, signal);
    this.#failures = failure === null ? 0 : this.#failures + 1;
    this.#askedWaitMs = Math.min(MAX_ASKED_WAIT_MS, (failure?.retryAfterSeconds ?? 0) * 1_000);
    // Closing the gate aborts a refresh: that is not reported.
    if (failure !== null && !signal?.aborted) this.#tell({ type: 'list_failed', failure });
    return failure === null;
  }

  /**
   * Fetches the full list. If that fails, a delta keeps the current list true and valid, and the full one is tried again next
   * time.
   */
  async #renew(startedAt: number, signal: AbortSignal | undefined): Promise<Failure | null> {
    const failure = await this.#take('full', startedAt, signal);
    const mayHelp = failure?.failure === 'unavailable' && this.#list !== null && !this.#cursorIsGone;
    if (!mayHelp || signal?.aborted) return failure;
    const ofDelta = await this.#take('delta', startedAt, signal);
    if (ofDelta?.code === 'CURSOR_GONE') this.#cursorIsGone = true;
    if (ofDelta !== null) return failure;
    this.#tell({ type: 'list_failed', failure });
    return null;
  }

  /** A delta; the full list when there is none from here. */
  async #update(startedAt: number, signal: AbortSignal | undefined): Promise<Failure | null> {
    const failure = await this.#take('delta', startedAt, signal);
    if (failure?.code !== 'CURSOR_GONE') return failure;
    // Remembered: if the full list fails now, the next refresh takes it.
    this.#cursorIsGone = true;
    return this.#take('full', startedAt, signal);
  }

  async #take(
    mode: 'full' | 'delta',
    startedAt: number,
    signal: AbortSignal | undefined,
  ): Promise<Failure | null> {
    const before = this.#list;
    const { areaCode, municipalityCode } = this.#facility;
    const input = {
      area_code: areaCode,
      ...(municipalityCode !== null && { municipality_code: municipalityCode }),
      ...(mode === 'delta' && before !== null && { cursor: before.cursor }),
    };
    let first: ListHeader | null = null;
    const changes: ListChange[] = [];
    for await (const page of entitlementListPages(this.#caller, input, { ...(signal && { signal }) })) {
      if (!page.ok) return page;
      const { header, cursor, more } = page.answer;
      const misfit = this.#misfit(header, mode, first);
      if (misfit !== null) return misfit;
      first = header;
      for (const change of page.answer.changes) changes.push(change);
      if (more) continue;
      const isDelta = mode === 'delta' && before !== null;
      const list = isDelta ? before.changed(header, changes, cursor) : HeldList.full(header, changes, cursor);
      await this.#hold(list, mode, changes, startedAt);
    }
    return null;
  }

  /** Why a page cannot belong to the list that was asked for; null where it does. */
  #misfit(header: ListHeader, mode: 'full' | 'delta', first: ListHeader | null): Failure | null {
    const unfit = this.#unfit(header);
    if (unfit === 'another_key') {
      // No delta leads from here to a list of this token.
      this.#cursorIsGone = true;
      return failed('misconfigured', 'NOT_OUR_ANSWER', 'The list is not made for this token.');
    }
    // All pages of one list have the instant of the first.
    const isOther = unfit !== null || header.mode !== mode || header.as_of !== (first ?? header).as_of;
    return isOther ? failed('unavailable', 'NOT_OUR_ANSWER', 'The page is of another list.') : null;
  }

  async #hold(
    list: HeldList,
    mode: 'full' | 'delta',
    changes: readonly ListChange[],
    startedAt: number,
  ): Promise<void> {
    this.#list = list;
    if (mode === 'full') this.#cursorIsGone = false;
    this.#tell({
      type: 'list_refreshed',
      mode,
      asOf: list.header.as_of,
      validUntil: list.header.valid_until,
      entries: list.size,
      changes: changes.length,
      unreadable: changes.filter(({ type }) => type === 'unreadable').length,
      tookMs: Math.round(performance.now() - startedAt),
    });
    if (changes.length > 0 || mode === 'full' || this.#store.isDue) await this.#store.save(list);
  }

  #isFullDue(): boolean {
    const list = this.#list;
    if (list === null || this.#cursorIsGone) return true;
    return instantOf(list.fullAsOf) + list.header.full_after_seconds * 1_000 <= this.#clock.now();
  }

  /** Why a list is not this gate's; null where it is. */
  #unfit(header: ListHeader): 'another_list' | 'another_key' | null {
    if (header.plate_hash.key_id !== this.#keyId) return 'another_key';
    const { areaCode, municipalityCode } = this.#facility;
    const isOurs =
      header.area_code === areaCode &&
      (municipalityCode ?? header.municipality_code) === header.municipality_code;
    return isOurs ? null : 'another_list';
  }
}
