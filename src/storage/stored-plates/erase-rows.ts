import type { Instant } from '../../domain/instant.ts';
import { type Plate, spellsPlate } from '../../domain/plate.ts';
import { batch } from '../db/batch.ts';
import { bytesOfId } from '../db/changes.ts';
import { isKeyDigest, keyDigest, newPseudonym } from '../plate-digest/erased-plate.ts';
import { ERASING, FINDING, FORGETTING_LISTS, type Held, type HeldPayment } from './stored-plates-table.ts';

/** A plate that is erased from some municipalities. */
export interface ErasedPlate {
  readonly plate: Plate;
  /** Their ids. */
  readonly municipalities: readonly number[];
  /** Of `DIGEST_KEY`. */
  readonly key: string;
  readonly now: Instant;
  readonly requestId: string;
}

/** How many of each have lost the plate. */
interface ErasedRows {
  readonly sessions: number;
  readonly subscriptions: number;
  /** Versions of sessions and spans of subscriptions, present and past. */
  readonly history: number;
  readonly payments: number;
}

/**
 * Erases a plate from some hundred rows of each kind, in one transaction. Sessions and payments get a pseudonym each,
 * subscriptions lose the plate, and keys that spell it become digests.
 *
 * @returns null once no row has the plate
 */
export async function eraseSomeRows(d1: D1Database, erased: ErasedPlate): Promise<ErasedRows | null> {
  const { plate, key } = erased;
  const asked = { plate, municipalities: JSON.stringify(erased.municipalities) };
  const [present, past, titles, pastTitles, payments] = await batch(d1, FINDING, asked);
  const sessions = byId([...present, ...past]);
  const subscriptions = byId([...titles, ...pastTitles]);
  const rows = [...sessions, ...subscriptions, ...payments];
  if (rows.length === 0) return null;

  /** The digest that replaces a key; null: the key does not spell the plate. */
  const digestOf = (name: string): string | null =>
    !isKeyDigest(name) && spellsPlate(name, plate) ? keyDigest(key, name) : null;
  const spells = (text: string | null): number => (text !== null && spellsPlate(text, plate) ? 1 : 0);
  const paymentOf = (payment: HeldPayment) => [
    ...[payment.municipalityId, payment.paymentId, digestOf(payment.paymentId)],
    ...[payment.terminalCode, payment.reversalReason, payment.settledNote].map(spells),
  ];

  const [sessionsErased, pastErased, spans, pastSpans, paymentsErased] = await batch(
    d1,
    [...ERASING, ...FORGETTING_LISTS],
    {
      plate,
      sessions: JSON.stringify(
        sessions.map((held) => [held.id, held.pseudonym ?? newPseudonym(), digestOf(held.key)]),
      ),
      subscriptions: JSON.stringify(subscriptions.map(({ id, key: number }) => [id, null, digestOf(number)])),
      payments: JSON.stringify(payments.map(paymentOf)),
      changed: JSON.stringify([...new Set(rows.map(({ municipalityId }) => municipalityId))]),
      now: erased.now,
      requestId: bytesOfId(erased.requestId),
    },
  );
  return {
    sessions: sessionsErased.length,
    subscriptions: new Set(spans.map(({ subscriptionId }) => subscriptionId)).size,
    history: sessionsErased.length + pastErased.length + spans.length + pastSpans.length,
    payments: paymentsErased.length,
  };
}

const byId = (held: readonly Held[]): Held[] => [...new Map(held.map((one) => [one.id, one])).values()];
