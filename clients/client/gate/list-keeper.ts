import type { Caller } from '../caller.ts';
import { backoffMs } from '../calls/backoff.ts';
import { entitlementListPages } from '../list/pages.ts';
import { type Failure, failed } from '../result.ts';
import type { GateEvent } from './events.ts';
import { type GateClock, iso } from './gate-clock.ts';
import { completeList, type Gathering, gather, type Misfit } from './gathering.ts';
import type { HeldList } from './held-list.ts';
import type { StoreGuard } from './store-guard.ts';

/** Whose list it is. */
export interface Facility {
  readonly areaCode: string;
  readonly municipalityCode: string | null;
}

/** Until the first list sets its own interval. */
const DEFAULT_REFRESH_MS = 60_000;

/** The longest wait that the service may ask for: a proxy's odd `Retry-After` must not leave the gate without a list. */
const MAX_ASKED_WAIT_MS = 600_000;

const MISFIT_TEXT: Readonly<Record<Misfit, string>> = {
  wrong_form: 'The header of the list holds an instant that cannot be read.',
  another_list: 'The page is of another list.',
  another_key: 'The list is not made for this token.',
};

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
    const reason = kept === 'unreadable' ? kept : this.#unfit(kept.list);
    if (kept === 'unreadable' || reason !== null) {
      this.#tell({ type: 'stored_list_ignored', reason: reason ?? 'unreadable' });
      return;
    }
    this.#list = kept.list;
    this.#clock.restore(kept.serviceAheadMs);
    this.#tell({ type: 'list_loaded', asOf: iso(kept.list.facts.asOf), entries: kept.list.size });
  }

  /** Milliseconds until the next refresh is due, counted from the end of the last one. */
  pauseMs(random: number): number {
    const everyMs = Math.max(1_000, this.#list?.facts.refreshAfterMs ?? DEFAULT_REFRESH_MS);
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
    const wanted = { mode, ...this.#facility, keyId: this.#keyId };
    let gathering: Gathering | null = null;
    for await (const page of entitlementListPages(this.#caller, input, { ...(signal && { signal }) })) {
      if (!page.ok) return page;
      const gathered: Gathering | Misfit = gather(gathering, page.answer, wanted);
      if (typeof gathered === 'string') return misfit(gathered);
      gathering = gathered;
      if (!page.answer.more)
        await this.#hold(completeList(before, gathered, page.answer.cursor), gathered, startedAt);
    }
    return null;
  }

  async #hold(list: HeldList, { mode, changes }: Gathering, startedAt: number): Promise<void> {
    list.dropEnded(list.facts.asOf);
    this.#list = list;
    if (mode === 'full') this.#cursorIsGone = false;
    this.#tell({
      type: 'list_refreshed',
      mode,
      asOf: iso(list.facts.asOf),
      validUntil: iso(list.facts.validUntil),
      entries: list.size,
      changes: changes.length,
      unreadable: list.unreadable.count,
      tookMs: Math.round(performance.now() - startedAt),
    });
    if (changes.length > 0 || mode === 'full' || this.#store.isDue) {
      await this.#store.save({ list, serviceAheadMs: this.#clock.toKeepMs() });
    }
  }

  #isFullDue(): boolean {
    const list = this.#list;
    return list === null || this.#cursorIsGone || list.fullAsOf + list.facts.fullAfterMs <= this.#clock.now();
  }

  #unfit({ facts }: HeldList): 'another_list' | 'another_key' | null {
    if (facts.keyId !== this.#keyId) return 'another_key';
    const { areaCode, municipalityCode } = this.#facility;
    const isOurs =
      facts.areaCode === areaCode && (municipalityCode ?? facts.municipalityCode) === facts.municipalityCode;
    return isOurs ? null : 'another_list';
  }
}

function misfit(why: Misfit): Failure {
  return failed(why === 'another_key' ? 'misconfigured' : 'unavailable', 'NOT_OUR_ANSWER', MISFIT_TEXT[why]);
}
