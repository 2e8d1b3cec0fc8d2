import { and, asc, count, gte, lt, sql, sum } from 'drizzle-orm';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { BY_CODE, FOUND, OF_TENANT } from '../../serving/lookups/municipality-table.ts';
import { db, query, read } from '../../storage/db/batch.ts';
import { changes, erasedPlates, municipalities, payments, tenants } from '../../storage/db/schema/index.ts';
import { atMost, namedIn } from '../../storage/db/sql.ts';
import { ofMunicipality } from '../held-subscriptions/held-table.ts';
import {
  type PaymentState,
  STATE,
  type StoredPayment,
  selectPayments,
} from '../recorded-payments/payment-table.ts';
import { MAX_FOUND } from './contract.ts';

/** A municipality of payments. */
interface PaymentPlaceFacts extends FoundMunicipality {
  readonly id: number;
  readonly name: string;
  readonly timeZone: string;
  /** Its newest change: whatever bears a later instant was stored since this was read. */
  readonly readAt: number;
  /** Whether it keeps any plate erased. */
  readonly hasErased: boolean;
}

/** The municipality of the placeholder `code`: {@link PaymentPlaceFacts}. */
export const PLACE = query(() =>
  db
    .select({
      ...FOUND,
      id: municipalities.id,
      name: municipalities.name,
      timeZone: municipalities.timeZone,
      readAt: sql<number>`coalesce((
        select max(${changes.recordedAt}) from ${changes} where ${changes.municipalityId} = ${municipalities.id}), 0)`.as(
        'read_at',
      ),
      hasErased: sql<boolean>`exists (
        select 1 from ${erasedPlates} where ${erasedPlates.municipalityId} = ${municipalities.id})`
        .mapWith(Boolean)
        .as('has_erased'),
    })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .where(BY_CODE),
);

/** The payment of the municipality `code` under one of the `names`. */
export const OF_KEY = query(() =>
  selectPayments()
    .where(and(ofMunicipality(payments.municipalityId), namedIn(payments.paymentId, 'names')))
    .limit(atMost(1)),
);

/** A municipality, and one of its payments. */
export interface PaymentFacts extends PaymentPlaceFacts {
  readonly payment: StoredPayment | null;
}

/** Finds a payment by what it may be stored under. Returns null for an unknown municipality. */
export async function readPayment(
  d1: D1Database,
  code: string,
  names: readonly string[],
): Promise<PaymentFacts | null> {
  const [[place], [payment]] = await read(d1, [PLACE, OF_KEY], { code, names: JSON.stringify(names) });
  return place === undefined ? null : { ...place, payment: payment ?? null };
}

const inWindow = () =>
  and(
    ofMunicipality(payments.municipalityId),
    gte(payments.collectedAt, sql.placeholder('from')),
    lt(payments.collectedAt, sql.placeholder('until')),
    sql`(${sql.placeholder('terminalCode')} is null or ${payments.terminalCode} = ${sql.placeholder('terminalCode')})`,
  );

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

/** The payments of a window, from the first after a position on: one more than is answered says whether there is more. */
export interface PaymentWindow {
  readonly from: number;
  readonly until: number;
  readonly terminalCode: string | null;
  readonly state: PaymentState | null;
  readonly afterAt: number;
  readonly afterId: string;
}

/** How many payments there are of a state, and their sum. */
interface Total {
  readonly state: PaymentState;
  readonly count: number;
  readonly eurocent: number;
}

/** Payments that were found, and their municipality. */
export interface FoundPayments extends PaymentPlaceFacts {
  readonly payments: readonly StoredPayment[];
  /** Of the whole window, whatever their state. A state without payments has none. */
  readonly totals: readonly Total[];
}

/** Finds the payments of a window. Returns null for an unknown municipality. */
export async function readWindow(
  d1: D1Database,
  code: string,
  window: PaymentWindow,
): Promise<FoundPayments | null> {
  const [[place], found, totals] = await read(d1, [PLACE, OF_WINDOW, TOTALS], { code, ...window });
  return place === undefined ? null : { ...place, payments: found, totals };
}
