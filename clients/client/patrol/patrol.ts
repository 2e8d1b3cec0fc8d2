import { normalizePlate } from '../../../src/domain/plate.ts';
import { Caller } from '../caller.ts';
import { GateClock } from '../gate/gate-clock.ts';
import { type ListStore, memoryStore } from '../gate/store.ts';
import type { Failure } from '../result.ts';
import { CallSize, refusedAlone } from './call-size.ts';
import { type KeptSighting, keptIn, textOf } from './kept.ts';
import type { Patrol, PatrolSettings, Seen, Settled } from './settings.ts';
import { checkOf, otherReadings, requireInstant } from './sighting.ts';
import { againAt, type PatrolAnswer, type PatrolItem, stepOf } from './verdict.ts';

const ASK_WITHIN_MS = 10_000;
const FORGET_AFTER_MS = 24 * 3_600_000;
/** The pause after a transient failure, and after one that a person has to fix. */
const RETRY_AFTER_MS = 5_000;
const FIXED_AFTER_MS = 60_000;
/** About one sighting, whatever the service says. */
const MIN_WAIT_MS = 5_000;
const MAX_SLEEP_MS = 30_000;
const MIN_SLEEP_MS = 250;

/** Keeps what an officer has seen until the service has settled it, through lost networks and killed devices. */
export function createPatrol(settings: PatrolSettings): Patrol {
  return new RunningPatrol(settings);
}

class RunningPatrol implements Patrol {
  readonly #settings: PatrolSettings;
  readonly #store: ListStore;
  readonly #wall: () => number;
  readonly #caller: Caller;
  readonly #clock: GateClock;
  readonly #size = new CallSize();
  readonly #closing = new AbortController();
  readonly #loaded: Promise<void>;
  readonly #isInBackground: boolean;
  #sightings = new Map<string, KeptSighting>();
  #isClockKnown = false;
  /** When a failure lets it ask by itself again: by the steady clock, which is never set. */
  #notBefore = 0;
  #saving: Promise<void> = Promise.resolve();
  #asking: Promise<boolean> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: PatrolSettings) {
    const { store = memoryStore(), wallClock = Date.now, inBackground = true } = settings;
    this.#settings = settings;
    this.#store = store;
    this.#wall = wallClock;
    this.#isInBackground = inBackground;
    this.#clock = new GateClock(
      () => ({ wall: wallClock(), steady: performance.now() }),
      () => {},
    );
    this.#caller = new Caller(settings, (heard) => {
      this.#clock.heard(heard);
      this.#isClockKnown ||= heard.serviceDate !== null;
    });
    this.#loaded = this.#load();
    this.#loaded.then(
      () => this.#askIn(0),
      (error: unknown) => this.#tell(error),
    );
  }

  get waiting(): number {
    return this.#sightings.size;
  }

  async see({ plate, areaCode, alternatives = [], seenAt }: Seen): Promise<string> {
    // Dated before any await.
    const dated = this.#isClockKnown;
    const wall = seenAt?.getTime() ?? this.#wall();
    requireInstant(wall);
    const at = dated ? wall - this.#clock.aheadMs() : wall;
    await this.#loaded;
    const id = crypto.randomUUID();
    // A lone surrogate would prevent the whole call. Without it, the service judges this sighting alone.
    const texts = { plate: plate.toWellFormed(), areaCode: areaCode.trim().toWellFormed() };
    const others = otherReadings(plate, alternatives);
    this.#sightings.set(id, { id, ...texts, alternatives: others, seenAt: at, dated, askAt: 0 });
    try {
      await this.#save();
    } catch (error) {
      this.#sightings.delete(id);
      throw error;
    }
    this.#askIn(0);
    return id;
  }

  ask(): Promise<boolean> {
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#asking;
    await this.#saving.catch(() => {});
  }

  async #askAll(): Promise<boolean> {
    if (!(await this.#loaded.then(yes, no))) return false;
    await this.#giveUpOld();
    if (this.#sightings.size === 0) return true;
    // A sighting with a date of a wrong clock would be judged at a wrong instant.
    if (!this.#isClockKnown && !(await this.#hearClock())) return false;
    this.#dateAll();
    const now = this.#clock.now();
    return this.#askAbout([...this.#sightings.values()].filter(({ askAt }) => askAt <= now));
  }

  async #askAbout(sightings: readonly KeptSighting[]): Promise<boolean> {
    let due = sightings;
    while (due.length > 0) {
      if (this.#closing.signal.aborted) return false;
      const some = this.#size.firstOf(due);
      const result = await this.#call(some);
      if (result.ok) {
        this.#size.answered();
        await this.#take(some, result.answer.results);
        due = due.slice(some.length);
      } else if (!this.#size.halve(result, some)) {
        const refused = refusedAlone(result, some);
        if (refused.length === 0) return this.#failed(result);
        await this.#settleAll(refused);
        due = due.filter((sighting) => !refused.includes(sighting));
      }
    }
    return true;
  }

  #failed(failure: Failure): false {
    const { failure: kind, retryAfterSeconds: seconds } = failure;
    const afterMs = kind === 'unavailable' ? RETRY_AFTER_MS : FIXED_AFTER_MS;
    this.#notBefore = performance.now() + (seconds === undefined ? afterMs : seconds * 1_000);
    if (!this.#closing.signal.aborted) this.#settings.onFailure?.(failure);
    return false;
  }

  #call(some: readonly KeptSighting[]): Promise<PatrolAnswer> {
    const { municipalityCode } = this.#settings;
    const input = {
      checks: some.map(checkOf),
      ...(municipalityCode !== undefined && { municipality_code: municipalityCode }),
    };
    return this.#caller.json('checkPatrol', input, this.#options);
  }

  /** Only sightings of the request count, each with the plate, area and instant of the request. */
  async #take(asked: readonly KeptSighting[], items: readonly PatrolItem[]): Promise<void> {
    for (const sighting of asked) {
      const answers = items.filter(({ id }) => id === sighting.id);
      const [item] = answers;
      if (item === undefined || answers.length > 1 || isAnothers(item, sighting)) {
        this.#askAgain(sighting, 0);
        continue;
      }
      const now = this.#clock.now();
      const failedSince = 'refused' in item ? (sighting.failedSince ?? now) : undefined;
      const again = againAt(item, sighting.seenAt, failedSince ?? now, now);
      const step = stepOf(item);
      if (again !== null || step === 'look_again') this.#askAgain({ ...sighting, failedSince }, again ?? 0);
      else await this.#settle(sighting, step, item);
    }
    await this.#trySave();
  }

  #askAgain(sighting: KeptSighting, at: number): void {
    const soonest = this.#clock.now() + MIN_WAIT_MS;
    this.#sightings.set(sighting.id, { ...sighting, askAt: at > soonest ? at : soonest });
  }

  async #settle(sighting: KeptSighting, step: Settled['step'], item: PatrolItem | null): Promise<void> {
    const { id, plate, areaCode, seenAt } = sighting;
    try {
      await this.#settings.onSettled({ id, plate, areaCode, seenAt: new Date(seenAt), step, item });
      this.#sightings.delete(id);
    } catch (error) {
      this.#askAgain(sighting, 0);
      this.#tell(error);
    }
  }

  async #giveUpOld(): Promise<void> {
    const before = this.#clock.now() - FORGET_AFTER_MS;
    await this.#settleAll([...this.#sightings.values()].filter(({ seenAt }) => seenAt <= before));
  }

  /**
   * Hands sightings that the service will not settle to the officer, so that one unreadable sighting cannot
   * hold the others up for ever.
   */
  async #settleAll(sightings: readonly KeptSighting[]): Promise<void> {
    for (const sighting of sightings) await this.#settle(sighting, 'officer_decides', null);
    if (sightings.length > 0) await this.#trySave();
  }

  async #hearClock(): Promise<boolean> {
    const result = await this.#caller.json('getHealth', {}, this.#options);
    // If the runtime hides the service's date, the machine's clock has to do.
    this.#isClockKnown ||= result.ok;
    return result.ok || this.#failed(result);
  }

  get #options() {
    const { askWithinMs: budgetMs = ASK_WITHIN_MS, officerReference } = this.#settings;
    return {
      ...{ budgetMs, signal: this.#closing.signal },
      ...(officerReference !== undefined && { officerReference }),
    };
  }

  #dateAll(): void {
    const aheadMs = this.#clock.aheadMs();
    for (const sighting of this.#sightings.values()) {
      if (!sighting.dated) {
        const seenAt = sighting.seenAt - aheadMs;
        this.#sightings.set(sighting.id, { ...sighting, seenAt, dated: true });
      }
    }
  }

  async #load(): Promise<void> {
    const text = await this.#store.load();
    if (text === null) return;
    let whole = '';
    for await (const piece of text) whole += piece;
    const kept = keptIn(whole);
    if (kept === null) {
      this.#tell('The stored sightings of an earlier patrol cannot be read.');
      return;
    }
    this.#clock.restore(kept.serviceAheadMs);
    this.#sightings = new Map(
      kept.sightings.map((sighting) => {
        // An earlier version may have kept readings that the service refuses.
        const alternatives = otherReadings(sighting.plate, sighting.alternatives);
        return [sighting.id, { ...sighting, alternatives }];
      }),
    );
  }

  /** One after the other; each save writes all present sightings. */
  #save(): Promise<void> {
    const saved = this.#saving.catch(() => {}).then(() => this.#store.save(this.#pieces()));
    this.#saving = saved;
    return saved;
  }

  async *#pieces(): AsyncGenerator<string, void, void> {
    yield textOf({ serviceAheadMs: this.#clock.toKeepMs(), sightings: [...this.#sightings.values()] });
  }

  /** After a lost save a sighting is asked again at the next start: it is reported twice, but not lost. */
  async #trySave(): Promise<void> {
    await this.#save().catch((error: unknown) => this.#tell(error));
  }

  #tell(error: unknown): void {
    this.#settings.onFailure?.({ message: error instanceof Error ? error.message : String(error) });
  }

  #askIn(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isInBackground || this.#closing.signal.aborted) return;
    this.#timer = setTimeout(async () => {
      if (performance.now() >= this.#notBefore) await this.ask();
      this.#askIn(this.#untilNext());
    }, ms);
  }

  #untilNext(): number {
    const next = Math.min(...[...this.#sightings.values()].map(({ askAt }) => askAt));
    const ms = Math.max(next - this.#clock.now(), this.#notBefore - performance.now());
    return Math.min(Math.max(ms, MIN_SLEEP_MS), MAX_SLEEP_MS);
  }
}

const yes = () => true;
const no = () => false;

/** An answer about anything else belongs to another request. */
const isAnothers = (item: PatrolItem, { plate, areaCode, seenAt }: KeptSighting): boolean =>
  !('refused' in item) &&
  (item.area.code !== areaCode ||
    item.plate !== normalizePlate(plate) ||
    Date.parse(item.seen_at) !== seenAt);
