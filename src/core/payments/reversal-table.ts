import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { municipality, municipalityReader } from '../../serving/lookups/municipality-table.ts';
import { retry, TRIES_WHILE_WAITING } from '../../storage/db/retry.ts';
import {
  paymentChanges,
  payments,
  subscriptionPeriods,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { type Json, json, jsonObject, parsed, primaryKeyOf, tableAs } from '../../storage/db/sql.ts';
import { value } from '../../storage/db/statement.ts';
import { paymentJson, type StoredPayment, storedPayment } from '../recorded-payments/payment-parts.ts';

/** A municipality, with a payment and what its reversal is judged by. */
export interface ReversalMunicipality extends FoundMunicipality {
  readonly id: number;
  readonly name: string;
  readonly timeZone: string;
  readonly stored: StoredPayment | null;
  /** The subscription of the period that the payment made: when it had changed last. Null where either is gone. */
  readonly changedAt: number | null;
  readonly hasPeriod: boolean;
  readonly isNextPaid: boolean;
}

const made = alias(payments, 'made');
const own = alias(subscriptionPeriods, 'own');
const next = alias(subscriptionPeriods, 'next');
const nextPayment = alias(payments, 'next_payment');
const reversal = alias(paymentChanges, 'reversal');
const paidSubscription = alias(subscriptions, 'paid_subscription');

/** It starts where the period ends, or ended before a line corrected it. */
const isNextPaid = sql`exists (
      select 1
      from ${tableAs(subscriptionPeriods, next, primaryKeyOf(subscriptionPeriods))}
      cross join ${tableAs(payments, nextPayment, primaryKeyOf(payments))}
        on ${nextPayment.municipalityId} = ${municipality.id}
        and ${nextPayment.paymentId} = ${next.paidBy}
      where ${next.subscriptionId} = ${made.subscriptionId}
        and ${next.startsAt} in (${own.endsAt}, ${made.periodEndsAt})
        and ${next.startsAt} > ${own.startsAt}
        and not exists (
          select 1
          from ${tableAs(paymentChanges, reversal, primaryKeyOf(paymentChanges))}
          where ${reversal.municipalityId} = ${municipality.id}
            and ${reversal.paymentId} = ${nextPayment.paymentId}
            and ${reversal.change} = 'reversed'
        )
    )`;

/** The period that the payment made: null where it or its subscription is gone. */
interface MadePeriod {
  readonly changedAt: number | null;
  readonly isNextPaid: number;
}

const periodOf = (names: SQL) => sql<Json<MadePeriod> | null>`(
    select ${jsonObject({ changedAt: paidSubscription.changedAt, isNextPaid })}
    from ${tableAs(payments, made, primaryKeyOf(payments))}
    cross join ${tableAs(subscriptionPeriods, own, primaryKeyOf(subscriptionPeriods))}
      on ${own.subscriptionId} = ${made.subscriptionId}
      and ${own.startsAt} = ${made.periodStartsAt}
      and ${own.paidBy} = ${made.paymentId}
    cross join ${tableAs(subscriptions, paidSubscription)} on ${paidSubscription.id} = ${own.subscriptionId}
    where ${made.municipalityId} = ${municipality.id}
      and ${made.paymentId} in (select value from json_each(${names}))
    limit 1
  )`;

const read = municipalityReader({
  declared: { names: value<Json<readonly string[]>>() },
  selection: ({ names }) => ({
    id: municipality.id,
    name: municipality.name,
    time_zone: municipality.timeZone,
    stored: paymentJson(municipality.id, names),
    period: periodOf(names),
  }),
  factsOf: (row) => {
    const found = row.period === null ? null : parsed(row.period);
    return {
      id: row.id,
      name: row.name,
      timeZone: row.time_zone,
      stored: row.stored === null ? null : storedPayment(row.stored),
      changedAt: found?.changedAt ?? null,
      hasPeriod: found !== null,
      isNextPaid: found?.isNextPaid === 1,
    };
  },
});

/** What a reversal is judged by, in one round trip of the primary. */
export const readReversalFacts = (
  db: D1Database,
  code: string,
  names: readonly string[],
): Promise<ReversalMunicipality | null> =>
  retry(() => read(db, code, { names: json(names) }), TRIES_WHILE_WAITING);
