import { and, asc, count, gte, lt, sql, sum } from 'drizzle-orm';
import { pick } from '../../base/platform/pick.ts';
import type { Instant } from '../../domain/instant.ts';
import { PLAN_COUNTS_MS } from '../../domain/payment.ts';
import type { Plate } from '../../domain/plate.ts';
import { selectMunicipality } from '../../serving/lookups/municipality-table.ts';
import { PLAN_VERSIONS } from '../../storage/configuration/versions-table.ts';
import { db, query, read } from '../../storage/db/batch.ts';
import { changes, erasedPlates, municipalities, payments } from '../../storage/db/schema/index.ts';
import { atMost, namedIn } from '../../storage/db/sql.ts';
import { HELD, heldOf, ofMunicipality } from '../held-subscriptions/held-table.ts';
import { STATE, selectPayments } from '../recorded-payments/payment-table.ts';
import { MAX_FOUND } from './contract.ts';

/*
 * How payments are read. The queries' values: `code`, of the municipality; `names`, a JSON list of what a payment may be stored under;
 * `plate`; and those of a window.
 */

const PLACE = query(() =>
  selectMunicipality({
    ...pick(municipalities, 'id', 'name', 'timeZone'),
    /** Its newest change: whatever bears a later instant was stored since this was read. */
    readAt: sql<number>`coalesce((
        select max(${changes.recordedAt}) from ${changes} where ${changes.municipalityId} = ${municipalities.id}), 0)`.as(
      'read_at',
    ),
    /** Whether it keeps any plate erased. */
    hasErased: sql<boolean>`exists (
        select 1 from ${erasedPlates} where ${erasedPlates.municipalityId} = ${municipalities.id})`
      .mapWith(Boolean)
      .as('has_erased'),
  }),
);

/** The payment of the municipality under one of the `names`. */
export const OF_KEY = query(() =>
  selectPayments().where(and(ofMunicipality(payments.municipalityId), namedIn(payments.paymentId, 'names'))),
);

/** Reads a municipality, and its payment under one of the names. Returns null for an unknown municipality. */
export async function readPayment(d1: D1Database, code: string, names: readonly string[]) {
  const [[place], [payment]] = await read(d1, [PLACE, OF_KEY], { code, names: JSON.stringify(names) });
  return place ? { ...place, names, payment: payment ?? null } : null;
}

/** A municipality, and the payment that a call is about, with the names it may have; null if there is none. */
export type PlaceAndPayment = NonNullable<Awaited<ReturnType<typeof readPayment>>>;

/**
 * Everything that a payment is judged by, in one round trip: rows of the plate and the municipality, and the payment that is stored
 * under its key. Returns null for an unknown municipality.
 *
 * @throws UnreadError for a plate that has more subscriptions than are read
 */
export async function readPaymentFacts(
  d1: D1Database,
  code: string,
  { plate, names }: { readonly plate: Plate; readonly names: readonly string[] },
) {
  const values = { code, plate, names: JSON.stringify(names) };
  const [[place], [payment], ...held] = await read(d1, [PLACE, OF_KEY, ...HELD], values);
  return place ? { ...place, names, payment: payment ?? null, held: heldOf(code, held) } : null;
}

export type PaymentFacts = NonNullable<Awaited<ReturnType<typeof readPaymentFacts>>>;

/** The plan as meters sold it at any time of the hour before the collection, with the type it then had; the newest first. */
export async function readSoldBefore(
  d1: D1Database,
  municipalityId: number,
  planCode: string,
  collectedAt: Instant,
) {
  const at = collectedAt - PLAN_COUNTS_MS;
  const [versions] = await read(d1, [PLAN_VERSIONS], { municipalityId, at, until: collectedAt, planCode });
  return versions
    .filter(({ plan }) => plan.active && plan.on_parking_meter)
    .map(({ plan }) => ({
      typeCode: plan.subscription_type,
      code: planCode,
      amountCents: plan.importo_eurocent,
      duration: plan.duration,
      description: plan.descrizione,
      operations: plan.operations,
    }));
}

const inWindow = () =>
  and(
    ofMunicipality(payments.municipalityId),
    gte(payments.collectedAt, sql.placeholder('from')),
    lt(payments.collectedAt, sql.placeholder('until')),
    sql`(${sql.placeholder('terminalCode')} is null or ${payments.terminalCode} = ${sql.placeholder('terminalCode')})`,
  );

/** From the first after a position on: one more than is answered says whether there is more. */
const OF_WINDOW = query(() =>
  selectPayments()
    .where(
      and(
        inWindow(),
        sql`(${payments.collectedAt}, ${payments.paymentId}) > (${sql.placeholder('afterAt')}, ${sql.placeholder('afterId')})`,
        sql`(${sql.placeholder('state')} is null or ${STATE} = ${sql.placeholder('state')})`,
      ),
    )
    .orderBy(asc(payments.collectedAt), asc(payments.paymentId))
    .limit(atMost(MAX_FOUND + 1)),
);

/** Of the whole window, whatever the state. A state without payments has none. */
const TOTALS = query(() =>
  db
    .select({
      state: STATE.as('state'),
      count: count().as('how_many'),
      eurocent: sum(payments.amountCents).mapWith(Number).as('eurocent'),
    })
    .from(payments)
    .where(inWindow())
    .groupBy(STATE),
);

/** A page of the payments of a window, and the totals. */
export const FOUND_IN_WINDOW = [OF_WINDOW, TOTALS] as const;
