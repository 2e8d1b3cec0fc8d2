import { TimeLimit } from '../calls/time-limit.ts';
import type { GateEvent } from './events.ts';
import type { HeldList } from './held-list.ts';
import type { ListStore } from './store.ts';
import { readStoredForm, storedForm } from './stored-form.ts';

/** How often an unchanged list is saved: its `as_of` and `valid_until` have moved. */
const SAVE_AT_LEAST_EVERY_MS = 600_000;

/**
 * Guards a gate against its store: a store that fails, or never ends, is reported, and delays the gate no
 * longer than its time limit.
 *
 * One save at a time: while a save that timed out is still running, later lists are not saved, which is
 * reported each time. The first refresh after it has ended saves again.
 */
export class StoreGuard {
  readonly #store: ListStore;
  readonly #withinMs: number;
  readonly #tell: (event: GateEvent) => void;
  #isSaving = false;
  #isBehind = false;
  #savedAt = -Infinity;

  constructor(store: ListStore, withinMs: number, tell: (event: GateEvent) => void) {
    this.#store = store;
    this.#withinMs = withinMs;
    this.#tell = tell;
  }

  /** Whether to save an unchanged list. */
  get isDue(): boolean {
    return this.#isBehind || performance.now() - this.#savedAt > SAVE_AT_LEAST_EVERY_MS;
  }

  /** Null: there is none, or it could not be loaded. `unreadable`: the stored text is incomplete. */
  async load(signal: AbortSignal): Promise<HeldList | 'unreadable' | null> {
    const limit = new TimeLimit(this.#withinMs, signal);
    try {
      return await limit.within(this.#read());
    } catch (error) {
      if (!signal.aborted) this.#failed(error, limit);
      return null;
    } finally {
      limit.end();
    }
  }

  /** A list that is not saved is lost only if the process ends. */
  async save(list: HeldList): Promise<void> {
    if (this.#isSaving) {
      this.#tell({ type: 'store_failed', message: 'The store has not finished the previous save.' });
      return;
    }
    const limit = new TimeLimit(this.#withinMs);
    try {
      await limit.within(this.#write(list));
      this.#isBehind = false;
      this.#savedAt = performance.now();
    } catch (error) {
      this.#isBehind = true;
      this.#failed(error, limit);
    } finally {
      limit.end();
    }
  }

  async #read(): Promise<HeldList | 'unreadable' | null> {
    const text = await this.#store.load();
    return text === null ? null : ((await readStoredForm(text)) ?? 'unreadable');
  }

  async #write(list: HeldList): Promise<void> {
    this.#isSaving = true;
    try {
      await this.#store.save(storedForm(list));
    } finally {
      this.#isSaving = false;
    }
  }

  #failed(error: unknown, { signal }: TimeLimit): void {
    const message = error instanceof Error ? error.message : String(error);
    const late = `The store has not answered within ${this.#withinMs} ms.`;
    this.#tell({ type: 'store_failed', message: signal.aborted ? late : message });
  }
}
