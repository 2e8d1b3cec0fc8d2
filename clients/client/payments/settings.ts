import type { ListStore } from '../gate/store.ts';
import type { Answer } from '../operation-types.ts';
import type { Failure, Result } from '../result.ts';
import type { ClientSettings } from '../settings.ts';
import type { Kind, Kinds, Request } from './kept.ts';

/** A payment as `recordPayment` takes it, without the municipality. `payment_id` is the till's own key of it. */
export type Payment = Omit<Request<'payment'>, 'municipality_code'>;
/** A reversal as `reversePayment` takes it, without the municipality. */
export type Reversal = Omit<Request<'reversal'>, 'municipality_code'>;

/** What an outbox is made with. */
export interface PaymentOutboxSettings
  extends Pick<ClientSettings, 'baseUrl' | 'language' | 'allowInsecureHttp' | 'fetch'> {
  /** The access token of a credential with the scope `subscription_payments`. */
  readonly token: string;
  /** Needed where the credential has several active municipalities. What is kept already stays with the one it was kept for. */
  readonly municipalityCode?: string;
  /** Where payments are kept until they are answered, plates and all: `fileStore` in Node. It is for this outbox alone. */
  readonly store: ListStore;
  /**
   * Called with each answer. The payment is forgotten once this has resolved; if the device is killed before, it is sent again, and
   * this is called again with the same answer, `already_recorded`.
   */
  readonly onAnswered?: (answered: Answered) => void | Promise<void>;
  /** Called when the service will never take a request. It stays in `setAside()` until a person has dealt with it. */
  readonly onSetAside: (setAside: SetAside) => void | Promise<void>;
  /** Called for everything that goes wrong, without a plate or a token. */
  readonly onFailure?: (failure: Failure | { readonly message: string }) => void;
  /** How long one call may take, further tries included, in milliseconds. 10,000 by default. */
  readonly askWithinMs?: number;
  /** The most payments and reversals that are kept, set aside ones too. 5,000 by default. */
  readonly maxEntries?: number;
  /** Whether it sends again by itself, which keeps the process alive while something waits. True by default; else call `send()`. */
  readonly inBackground?: boolean;
}

/** What the service has answered. */
export type Answered = {
  [K in Kind]: { readonly kind: K; readonly request: Request<K>; readonly answer: Answer<Kinds[K]> };
}[Kind];

/** What the service will never take as it is. */
export type SetAside = {
  [K in Kind]: { readonly kind: K; readonly request: Request<K>; readonly failure: Failure };
}[Kind];

/** A till's outbox: what is in it is sent until it is answered. */
export interface PaymentOutbox {
  /**
   * Keeps a payment, and sends it at once. Call it when the money is taken, and after a crash again with the same payment: it
   * is kept and recorded once. One that was set aside is replaced.
   *
   * @returns what came of this first call. Whatever failed, the payment is kept, and sent again unless it was set aside
   * @throws what the store throws, a RangeError when the outbox is full, and an Error where another payment waits under this
   * `payment_id`: then nothing is kept
   */
  pay(payment: Payment): Promise<Result<Answer<'recordPayment'>>>;
  /** Keeps a reversal, and sends it, but never before the payment. It returns and throws as `pay` does. */
  reverse(reversal: Reversal): Promise<Result<Answer<'reversePayment'>>>;
  /** Sends all that waits, without a pause before it. @returns whether nothing waits any more */
  send(): Promise<boolean>;
  /** How many wait for an answer; 0 until what an earlier run has kept is read. */
  readonly waiting: number;
  /** What the service will never take, from earlier runs too. */
  setAside(): Promise<readonly SetAside[]>;
  /** Forgets what was set aside under a payment's id. @throws what the store throws: then nothing is forgotten */
  discard(paymentId: string): Promise<void>;
  /** Stops sending. What is not answered stays in the store. It waits for `onAnswered`, which must not wait for it. */
  close(): Promise<void>;
}
