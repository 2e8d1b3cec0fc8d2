import type { Answer, Input } from '../operation-types.ts';
import type { Failure } from '../result.ts';
import { isObject } from '../shape.ts';

/** What an outbox sends, by its kind: the operation, and so what it takes and answers. */
export interface Kinds {
  readonly payment: 'recordPayment';
  readonly reversal: 'reversePayment';
}
export type Kind = keyof Kinds;
export type Request<Of extends Kind = Kind> = { [K in Of]: Input<Kinds[K]> }[Of];

export const OPERATION: Kinds = { payment: 'recordPayment', reversal: 'reversePayment' };

/** A payment or a reversal, as it is kept until it is answered. */
export type Kept<Of extends Kind = Kind> = {
  [K in Of]: {
    readonly kind: K;
    readonly request: Input<Kinds[K]>;
    /** Why it is not sent any more; null while it waits. */
    readonly failure: Failure | null;
  };
}[Of];

const VERSION = 1;

export const keyOf = (kind: Kind, paymentId: string): string => `${kind} ${paymentId.trim()}`;

export const textOf = (entries: readonly Kept[]): string => JSON.stringify({ version: VERSION, entries });

/** Null for a text that is not whole, or of another version. */
export function keptIn(text: string): readonly Kept[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value) || value.version !== VERSION || !Array.isArray(value.entries)) return null;
  return value.entries.every(isKept) ? value.entries : null;
}

/** What is sent was kept by this client: its fields are judged by the service. */
function isKept(value: unknown): value is Kept {
  return (
    isObject(value) &&
    (value.kind === 'payment' || value.kind === 'reversal') &&
    isObject(value.request) &&
    typeof value.request.payment_id === 'string' &&
    (value.failure === null || isObject(value.failure))
  );
}

/** Whether two requests say the same, whatever the order of their fields. */
export function isSame(one: Request, other: Request): boolean {
  return sorted(one) === sorted(other);
}

const sorted = (request: Request): string =>
  JSON.stringify(Object.entries(request).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Whether an answer is about what was sent. A payment's plan and amount never change; its key may have given way to a digest
 * since it was recorded, where it was made from a plate that was erased.
 */
export function isAbout({ kind, request }: Kept, answer: Answer<Kinds[Kind]>): boolean {
  const hasKey = answer.payment_id === request.payment_id.trim();
  if (kind === 'payment' && 'already_recorded' in answer) {
    return (
      (hasKey || answer.already_recorded) &&
      answer.codice_tariffa === request.codice_tariffa.trim() &&
      answer.importo_eurocent === request.importo_eurocent
    );
  }
  return hasKey || ('payment' in answer && answer.payment !== null);
}
