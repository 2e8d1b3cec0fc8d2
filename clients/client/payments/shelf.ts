import type { ListStore } from '../gate/store.ts';
import { isSame, type Kept, keptIn, keyOf, textOf } from './kept.ts';
import type { SetAside } from './settings.ts';

/** What is kept, here and in the store. */
export class Shelf {
  readonly #store: ListStore;
  readonly #maxEntries: number;
  /** In the order in which they were kept. */
  #entries = new Map<string, Kept>();
  /** Those whose first save is under way: they must not be sent yet, since it may fail. */
  readonly #unsaved = new Set<string>();
  #saving: Promise<void> = Promise.resolve();
  /** Rejects where the store fails, or what it holds cannot be read. */
  readonly loaded: Promise<void>;

  constructor(store: ListStore, maxEntries: number) {
    this.#store = store;
    this.#maxEntries = maxEntries;
    this.loaded = this.#load();
  }

  /** Keeps an entry: once this has resolved, it is in the store. @returns its key */
  async keep(entry: Kept): Promise<string> {
    await this.loaded;
    const key = keyOf(entry.kind, entry.request.payment_id);
    const before = this.#entries.get(key);
    if (before?.failure === null) {
      if (!isSame(before.request, entry.request)) {
        throw new Error(`Another ${entry.kind} waits under this payment_id: nothing was kept.`);
      }
      // Its first save may still be under way, and fail.
      await this.save();
      return this.#entries.has(key) ? key : this.keep(entry);
    }
    if (before === undefined && this.#entries.size >= this.#maxEntries) {
      throw new RangeError(`The outbox is full, with ${this.#maxEntries} entries: nothing was kept.`);
    }
    this.#entries.set(key, entry);
    this.#unsaved.add(key);
    try {
      await this.save();
    } catch (error) {
      if (before === undefined) this.#entries.delete(key);
      else this.#entries.set(key, before);
      throw error;
    } finally {
      this.#unsaved.delete(key);
    }
    return key;
  }

  get(key: string): Kept | undefined {
    return this.#entries.get(key);
  }

  /** The keys of what is to be sent. */
  waiting(): string[] {
    return [...this.#entries].flatMap(([key, { failure }]) =>
      failure === null && !this.#unsaved.has(key) ? [key] : [],
    );
  }

  setAside(): SetAside[] {
    return [...this.#entries.values()].filter(isSetAside);
  }

  putAside(key: string, entry: SetAside): void {
    this.#entries.set(key, entry);
  }

  answered(key: string): void {
    this.#entries.delete(key);
  }

  /** Forgets what was set aside under a payment's id. */
  async discard(paymentId: string): Promise<void> {
    await this.loaded;
    const keys = [keyOf('payment', paymentId), keyOf('reversal', paymentId)];
    const gone = [...this.#entries].filter(([key, entry]) => keys.includes(key) && isSetAside(entry));
    for (const [key] of gone) this.#entries.delete(key);
    try {
      await this.save();
    } catch (error) {
      for (const [key, entry] of gone) if (!this.#entries.has(key)) this.#entries.set(key, entry);
      throw error;
    }
  }

  /** One after the other; each writes all that there is when its turn comes. */
  save(): Promise<void> {
    const saved = this.#saving.catch(() => {}).then(() => this.#store.save(this.#pieces()));
    this.#saving = saved;
    return saved;
  }

  /** Waits for the saves that are under way. */
  async idle(): Promise<void> {
    await this.#saving.catch(() => {});
  }

  async *#pieces(): AsyncGenerator<string, void, void> {
    yield textOf([...this.#entries.values()]);
  }

  async #load(): Promise<void> {
    let whole = '';
    for await (const piece of (await this.#store.load()) ?? []) whole += piece;
    if (whole === '') return;
    const kept = keptIn(whole);
    // It may be money: nothing is written over it.
    if (kept === null) {
      throw new Error('The kept payments cannot be read. They stay as they are, and nothing more is kept.');
    }
    this.#entries = new Map(kept.map((entry) => [keyOf(entry.kind, entry.request.payment_id), entry]));
  }
}

const isSetAside = (entry: Kept): entry is Kept & SetAside => entry.failure !== null;
