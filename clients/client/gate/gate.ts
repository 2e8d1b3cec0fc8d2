import type { AccessEvent, AccessReasonCode } from '../../../src/domain/facility-access.ts';
import { normalizePlate, type Plate } from '../../../src/domain/plate.ts';
import { Caller } from '../caller.ts';
import { entitlementListPage } from '../list/pages.ts';
import { instantOf } from '../list/wire.ts';
import { failed } from '../result.ts';
import { tokenOf } from '../settings.ts';
import {
  afterAnswer,
  afterFailure,
  afterProbe,
  asksFirst,
  type Circuit,
  CLOSED,
  isProbeDue,
  probing,
} from './circuit.ts';
import { type Conclusion, conclude } from './conclude.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { type GateEvent, tell } from './events.ts';
import { GateClock } from './gate-clock.ts';
import type { Gate, GateSettings, GateStatus } from './gate-contract.ts';
import { ListKeeper } from './list-keeper.ts';
import { type PlateHash, plateHashOf } from './plate-hash.ts';
import { Readiness } from './readiness.ts';
import { decisionIn } from './service-answer.ts';
import { memoryStore } from './store.ts';
import { StoreGuard } from './store-guard.ts';

const ASK_WITHIN_MS = 1_000;
const STORE_WITHIN_MS = 30_000;
const READY_WITHIN_MS = 30_000;
const FAILURES_TO_OPEN = 3;
const PROBE_EVERY_MS = 5_000;
/** A probe that takes longer is not a reason to let drivers wait again. */
const PROBE_WITHIN_MS = 2_000;

type Asked =
  | { readonly verdict: boolean; readonly reasonCode: AccessReasonCode; readonly requestId: string | null }
  | { readonly verdict: null; readonly requestId: string | null };

/**
 * Makes a gate: it asks the service, uses its list when the service fails, and follows the car park's policy
 * if the list does not know either.
 *
 * @throws TypeError for invalid settings, and without WebCrypto: the gate could not read a list, and the
 * operator should not learn that in an outage
 */
export function createGate(settings: GateSettings): Gate {
  return new RunningGate(settings);
}

class RunningGate implements Gate {
  readonly loaded: Promise<void>;
  readonly #settings: GateSettings;
  readonly #caller: Caller;
  readonly #clock: GateClock;
  readonly #askWithinMs: number;
  readonly #circuitSettings: { readonly failuresToOpen: number; readonly probeEveryMs: number };
  readonly #hash: Promise<PlateHash>;
  readonly #closing = new AbortController();
  readonly #readiness = new Readiness(() => {
    const list = this.#keeper?.list ?? null;
    return list !== null && instantOf(list.header.valid_until) > this.#clock.now();
  });
  #circuit: Circuit = CLOSED;
  #keeper: ListKeeper | null = null;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #probeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: GateSettings) {
    const { whenUnknown, askWithinMs = ASK_WITHIN_MS, wallClock = Date.now } = settings;
    if (!['open', 'stay_shut', 'ask_attendant'].includes(whenUnknown)) {
      throw new TypeError('whenUnknown has to be open, stay_shut or ask_attendant');
    }
    if (typeof crypto === 'undefined' || crypto.subtle === undefined) {
      throw new TypeError('a gate needs WebCrypto, which a page has only over HTTPS or on localhost');
    }
    this.#settings = settings;
    this.#askWithinMs = askWithinMs;
    this.#circuitSettings = {
      failuresToOpen: settings.failuresToOpen ?? FAILURES_TO_OPEN,
      probeEveryMs: settings.probeEveryMs ?? PROBE_EVERY_MS,
    };
    this.#clock = new GateClock(wallClock, this.#tell);
    this.#caller = new Caller(settings, (aheadMs) => this.#clock.heard(aheadMs));
    this.#hash = plateHashOf(tokenOf(settings.token, 'token') ?? '');
    this.loaded = this.#load();
    if (settings.inBackground ?? true) void this.loaded.then(() => this.#keepRefreshing());
  }

  async decide(rawPlate: string, event: AccessEvent): Promise<Decision> {
    const startedAt = performance.now();
    const plate = normalizePlate(rawPlate);
    // In parallel with the question: the runtime's cryptography waits behind the disk now and then.
    const hashed = plate === null ? null : this.#hashOf(plate);
    // When the service decides, the driver does not wait for it.
    hashed?.catch(() => {});
    const asked = plate === null ? null : await this.#askIfWorthIt(plate, event);
    const context = (): DecisionContext => ({
      requestId: asked?.requestId ?? null,
      listAsOf: this.#listAsOf(),
      tookMs: Math.round(performance.now() - startedAt),
    });
    if (asked !== null && asked.verdict !== null) {
      const { verdict, reasonCode } = asked;
      return { action: verdict ? 'open' : 'stay_shut', basis: 'service', reasonCode, ...context() };
    }
    const concluded: Conclusion =
      hashed === null
        ? { granted: false, reasonCode: 'UNKNOWN_INVALID_PLATE' }
        : await this.#conclude(hashed, event, startedAt + this.#askWithinMs);
    if (concluded.granted) {
      return { action: 'open', basis: 'list', reasonCode: concluded.reasonCode, ...context() };
    }
    const { whenUnknown } = this.#settings;
    return { action: whenUnknown, basis: 'policy', reasonCode: concluded.reasonCode, ...context() };
  }

  async refresh(): Promise<boolean> {
    await this.loaded;
    return (await this.#keeper?.refresh(this.#closing.signal)) ?? false;
  }

  status(): GateStatus {
    const list = this.#keeper?.list ?? null;
    return {
      circuit: this.#circuit.state,
      list: list && {
        asOf: list.header.as_of,
        validUntil: list.header.valid_until,
        entries: list.size,
      },
      listFailure: this.#readiness.listFailure,
      clockAheadMs: this.#clock.aheadMs(),
    };
  }

  async ready({ withinMs = READY_WITHIN_MS } = {}): Promise<boolean> {
    await this.loaded;
    if (!(this.#settings.inBackground ?? true) && !this.#readiness.isReady) await this.refresh();
    return this.#readiness.wait(withinMs);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#readiness.close();
    clearTimeout(this.#refreshTimer);
    clearTimeout(this.#probeTimer);
    await this.loaded;
    await this.#keeper?.ended();
  }

  async #load(): Promise<void> {
    const { areaCode, municipalityCode = null } = this.#settings;
    const { store = memoryStore(), storeWithinMs = STORE_WITHIN_MS } = this.#settings;
    const keyId = await this.#keyId();
    if (keyId === null) return;
    const facility = { areaCode, municipalityCode };
    const guard = new StoreGuard(store, storeWithinMs, this.#tell);
    const keeper = new ListKeeper(this.#caller, facility, keyId, guard, this.#clock, this.#tell);
    await keeper.load(this.#closing.signal);
    this.#keeper = keeper;
    this.#readiness.look();
  }

  /** Null, and reported, if the runtime's cryptography fails: the gate then works without a list. */
  async #keyId(): Promise<string | null> {
    try {
      return (await this.#hash).keyId;
    } catch (error) {
      const message = `The key of the list cannot be made: ${String(error)}`;
      this.#tell({ type: 'list_failed', failure: failed('misconfigured', 'NO_CRYPTOGRAPHY', message) });
      return null;
    }
  }

  async #askIfWorthIt(plate: Plate, event: AccessEvent): Promise<Asked | null> {
    if (asksFirst(this.#circuit)) return this.#ask(plate, event);
    void this.#probeIfDue();
    return null;
  }

  async #ask(plate: Plate, event: AccessEvent): Promise<Asked> {
    const { areaCode, municipalityCode } = this.#settings;
    const result = await this.#caller.json(
      'checkPlate',
      { plate, area_code: areaCode, municipality_code: municipalityCode, event },
      { budgetMs: this.#askWithinMs },
    );
    const asked = decisionIn(result, plate, areaCode, event);
    this.#readiness.served(asked.ok);
    if (!asked.ok) tell(this.#settings.onFailure, asked, 'check');
    if (asked.ok || asked.failure !== 'unavailable') this.#turn(afterAnswer(), null);
    else this.#turn(afterFailure(this.#circuit, performance.now(), this.#circuitSettings), asked.code);
    return asked.ok
      ? { ...asked.answer, requestId: asked.requestId }
      : { verdict: null, requestId: asked.requestId ?? null };
  }

  async #conclude(hashed: Promise<string>, event: AccessEvent, until: number): Promise<Conclusion> {
    // Just after the start the stored list may still be loading.
    if (this.#keeper === null) await Promise.race([this.loaded, wait(until - performance.now())]);
    const keeper = this.#keeper;
    if (keeper === null || keeper.list === null) return { granted: false, reasonCode: 'UNKNOWN_NO_LIST' };
    const plate = await hashed.catch(() => null);
    if (plate === null) return { granted: false, reasonCode: 'UNKNOWN_NO_LIST' };
    // Read after the wait: a refresh may have replaced the list meanwhile.
    const { list } = keeper;
    return conclude(list.header, list.entriesOf(plate), event, this.#clock.now());
  }

  async #hashOf(plate: Plate): Promise<string> {
    const hash = await this.#hash;
    return hash.of(plate);
  }

  /** Asks for the first line of a delta, which tests the token, its object and the database without a car. */
  async #probeIfDue(): Promise<void> {
    const now = performance.now();
    if (!isProbeDue(this.#circuit, now)) return;
    // A store that never answers costs the gate its list, but not the service.
    const keeper = this.#keeper;
    const list = keeper?.list ?? null;
    this.#circuit = probing(this.#circuit, now, this.#circuitSettings);
    const { areaCode, municipalityCode } = this.#settings;
    const input = {
      area_code: areaCode,
      ...(municipalityCode !== undefined && { municipality_code: municipalityCode }),
      ...(list !== null && { cursor: list.cursor }),
      limit: 1,
    };
    const budgetMs = Math.min(PROBE_WITHIN_MS, this.#circuitSettings.probeEveryMs);
    const { signal } = this.#closing;
    const result = await entitlementListPage(this.#caller, input, { budgetMs, signal });
    if (!result.ok) tell(this.#settings.onFailure, result, 'probe');
    if (!result.ok && result.failure === 'unavailable') return;
    this.#readiness.served(result.ok);
    this.#turn(afterProbe(this.#circuit), null);
    if (keeper !== null && (this.#settings.inBackground ?? true)) this.#refreshSoon(0);
  }

  #turn(circuit: Circuit, code: string | null): void {
    const before = this.#circuit.state;
    this.#circuit = circuit;
    if (circuit.state === before) return;
    this.#tell({ type: 'circuit', state: circuit.state, code });
    if (circuit.state === 'open' && (this.#settings.inBackground ?? true)) this.#keepProbing();
  }

  #keepProbing(): void {
    clearTimeout(this.#probeTimer);
    if (this.#circuit.state !== 'open' || this.#closing.signal.aborted) return;
    const dueIn = this.#circuit.probeAt - performance.now();
    this.#probeTimer = setTimeout(async () => {
      await this.#probeIfDue();
      this.#keepProbing();
    }, Math.max(0, dueIn) + 1);
  }

  async #keepRefreshing(): Promise<void> {
    const keeper = this.#keeper;
    if (this.#closing.signal.aborted || keeper === null) return;
    await keeper.refresh(this.#closing.signal);
    this.#refreshSoon(keeper.pauseMs(Math.random()));
  }

  #refreshSoon(inMs: number): void {
    clearTimeout(this.#refreshTimer);
    if (this.#closing.signal.aborted) return;
    this.#refreshTimer = setTimeout(() => this.#keepRefreshing(), inMs);
  }

  #listAsOf(): string | null {
    return this.#keeper?.list?.header.as_of ?? null;
  }

  readonly #tell = (event: GateEvent): void => {
    const { onEvent, onFailure } = this.#settings;
    tell(onEvent, event);
    if (event.type === 'list_refreshed') this.#readiness.listCame();
    if (event.type !== 'list_failed') return;
    tell(onFailure, event.failure, 'list');
    const message = this.#readiness.listFailed(event.failure);
    if (message === null) return;
    // The operator must learn this before an outage.
    if (onEvent === undefined && onFailure === undefined) console.warn(message);
    tell(onEvent, { type: 'no_list', code: event.failure.code, message });
  };
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, milliseconds));
  });
}
