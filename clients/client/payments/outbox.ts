import { Caller } from '../caller.ts';
import type { Answer } from '../operation-types.ts';
import { type Failure, failed, type Result } from '../result.ts';
import { isAbout, type Kept, type Kind, type Kinds, keyOf, OPERATION } from './kept.ts';
import type {
  Answered,
  Payment,
  PaymentOutbox,
  PaymentOutboxSettings,
  Reversal,
  SetAside,
} from './settings.ts';
import { Shelf } from './shelf.ts';
import { Tries } from './tries.ts';

const ASK_WITHIN_MS = 10_000;
const MAX_ENTRIES = 5_000;

type Sent = Result<Answer<Kinds[Kind]>>;

/**
 * Keeps each payment until the service has answered it, through lost networks and killed devices.
 *
 * @throws TypeError for settings that cannot be right
 */
export function createPaymentOutbox(settings: PaymentOutboxSettings): PaymentOutbox {
  return new RunningOutbox(settings);
}

class RunningOutbox implements PaymentOutbox {
  readonly #settings: PaymentOutboxSettings;
  readonly #caller: Caller;
  readonly #shelf: Shelf;
  readonly #tries = new Tries();
  readonly #closing = new AbortController();
  readonly #underWay = new Map<string, Promise<Sent>>();
  #sending: Promise<boolean> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: PaymentOutboxSettings) {
    this.#settings = settings;
    this.#caller = new Caller(settings);
    this.#shelf = new Shelf(settings.store, settings.maxEntries ?? MAX_ENTRIES);
    this.#shelf.loaded.then(
      () => this.#sendSoon(),
      (error: unknown) => this.#tell(error),
    );
  }

  get waiting(): number {
    return this.#shelf.waiting().length;
  }

  pay(payment: Payment): Promise<Result<Answer<'recordPayment'>>> {
    const request = this.#inMunicipality(payment);
    return this.#keepAndSend<'payment'>({ kind: 'payment', request, failure: null });
  }

  reverse(reversal: Reversal): Promise<Result<Answer<'reversePayment'>>> {
    const request = this.#inMunicipality(reversal);
    return this.#keepAndSend<'reversal'>({ kind: 'reversal', request, failure: null });
  }

  async send(): Promise<boolean> {
    await this.#sending;
    return this.#sendAll(() => true);
  }

  async setAside(): Promise<readonly SetAside[]> {
    await this.#shelf.loaded;
    return this.#shelf.setAside();
  }

  discard(paymentId: string): Promise<void> {
    return this.#shelf.discard(paymentId);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await Promise.all([this.#sending, ...this.#underWay.values()]);
    await this.#shelf.idle();
  }

  async #keepAndSend<Of extends Kind>(entry: Kept): Promise<Result<Answer<Kinds[Of]>>> {
    const key = await this.#shelf.keep(entry);
    // A round may have sent it, and got its answer, in between: the same answer comes again.
    const sent = await this.#sendOne(key, entry);
    this.#sendSoon();
    // An answer has the shape of the operation that was called.
    return sent as Result<Answer<Kinds[Of]>>;
  }

  #sendOne(key: string, entry: Kept): Promise<Sent> {
    const before = this.#underWay.get(key);
    if (before !== undefined) return before;
    const sent = this.#exchange(key, entry).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, sent);
    return sent;
  }

  async #exchange(key: string, entry: Kept): Promise<Sent> {
    const held = entry.kind === 'reversal' ? await this.#sendPaymentOf(entry) : null;
    if (held !== null)
      return held.isFinal ? this.#putAside(key, entry, held.failure) : this.#later(key, held.failure);
    const result = await this.#call(entry);
    if (result.ok) {
      await this.#take(key, entry, result.answer);
      return result;
    }
    if (this.#closing.signal.aborted) return result;
    this.#settings.onFailure?.(result);
    this.#later(key, result);
    return this.#tries.isFinal(key, result) ? this.#putAside(key, entry, result) : result;
  }

  /**
   * Sends what a reversal reverses, where that still waits. @returns why the reversal must not be sent: for ever where the
   * service has refused the payment, and may know its key for another one. Null: it may be sent
   */
  async #sendPaymentOf({ request }: Kept): Promise<{ failure: Failure; isFinal: boolean } | null> {
    const key = keyOf('payment', request.payment_id);
    const payment = this.#shelf.get(key);
    if (payment === undefined) return null;
    const sent = payment.failure ?? (await this.#sendOne(key, payment));
    return sent.ok ? null : { failure: sent, isFinal: (this.#shelf.get(key)?.failure ?? null) !== null };
  }

  async #call(entry: Kept): Promise<Sent> {
    const { askWithinMs: budgetMs = ASK_WITHIN_MS } = this.#settings;
    const options = { budgetMs, signal: this.#closing.signal };
    const result: Sent = await this.#caller.json(OPERATION[entry.kind], entry.request, options);
    return result.ok && !isAbout(entry, result.answer)
      ? failed('unavailable', 'NOT_OUR_ANSWER', 'The answer is about another payment.')
      : result;
  }

  /** An answer that could not be handed over is asked for again: it is the same one then. */
  async #take(key: string, { kind, request }: Kept, answer: Answer<Kinds[Kind]>): Promise<void> {
    try {
      // An answer has the shape of the operation that was called.
      await this.#settings.onAnswered?.({ kind, request, answer } as Answered);
    } catch (error) {
      this.#tries.failed(key);
      this.#tell(error);
      return;
    }
    this.#shelf.answered(key);
    this.#tries.answered(key);
    await this.#trySave();
  }

  #later(key: string, failure: Failure): Failure {
    this.#tries.failed(key, failure);
    return failure;
  }

  async #putAside(key: string, { kind, request }: Kept, failure: Failure): Promise<Failure> {
    const entry = { kind, request, failure } as SetAside;
    this.#shelf.putAside(key, entry);
    this.#tries.forget(key);
    await this.#trySave();
    try {
      await this.#settings.onSetAside(entry);
    } catch (error) {
      this.#tell(error);
    }
    return failure;
  }

  #sendAll(isDue: (key: string) => boolean): Promise<boolean> {
    this.#sending ??= this.#sendThose(isDue).finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #sendThose(isDue: (key: string) => boolean): Promise<boolean> {
    if (!(await this.#shelf.loaded.then(yes, no))) return false;
    for (const key of this.#tries.inOrder(this.#shelf.waiting().filter(isDue))) {
      if (this.#closing.signal.aborted) return false;
      const entry = this.#shelf.get(key);
      if (entry === undefined || entry.failure !== null) continue;
      const sent = await this.#sendOne(key, entry);
      // What is refused alone holds nothing up; a service that is away would fail the others too.
      if (!sent.ok && sent.failure !== 'refused') return false;
    }
    return this.waiting === 0;
  }

  /** Sends what is due, and comes back for the rest. */
  #sendSoon(): void {
    const { inBackground = true } = this.#settings;
    clearTimeout(this.#timer);
    const waiting = this.#shelf.waiting();
    if (!inBackground || this.#closing.signal.aborted || waiting.length === 0) return;
    this.#timer = setTimeout(async () => {
      await this.#sendAll((key) => this.#tries.isDue(key));
      this.#sendSoon();
    }, this.#tries.untilDueMs(waiting));
  }

  #inMunicipality<Of extends object>(request: Of): Of & { readonly municipality_code?: string } {
    const { municipalityCode } = this.#settings;
    return municipalityCode === undefined ? request : { ...request, municipality_code: municipalityCode };
  }

  /** What is not saved is sent again after a restart, and recorded once. */
  async #trySave(): Promise<void> {
    await this.#shelf.save().catch((error: unknown) => this.#tell(error));
  }

  #tell(error: unknown): void {
    this.#settings.onFailure?.({ message: error instanceof Error ? error.message : String(error) });
  }
}

const yes = () => true;
const no = () => false;
