import { and, eq, isNull, sql } from 'drizzle-orm';
import { clockNow } from '../../base/platform/clock.ts';
import { batch, db, type Query, query } from '../../storage/db/batch.ts';
import { bytesOfId, NEXT_CHANGE } from '../../storage/db/changes.ts';
import {
  changes,
  erasedPlates,
  pastSubscriptionPlates,
  payments,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { namedIn } from '../../storage/db/sql.ts';
import { STATE } from '../recorded-payments/payment-table.ts';
import { OF_KEY, type PlaceAndPayment } from './payments-table.ts';

const p = sql.placeholder;

/** The payment of the municipality `municipalityId` under one of the `names`. */
const ofKey = () =>
  and(eq(payments.municipalityId, p('municipalityId')), namedIn(payments.paymentId, 'names'));

/** Whether the subscription that is meant has changed since it was read. None is meant: no. */
const hasChanged = () => sql`exists (
    select 1 from ${payments}
    where ${payments.subscriptionId} = ${p('subscriptionId')} and ${payments.startsAt} is not null
      and (${payments.recordedAt} > ${p('readAt')} or ${payments.reversalRecordedAt} > ${p('readAt')})
  ) or exists (
    select 1 from ${subscriptions}
    where ${subscriptions.id} = ${p('subscriptionId')} and ${subscriptions.recordedAt} > ${p('readAt')}
  ) or exists (
    select 1 from ${subscriptionPlates}
    where ${subscriptionPlates.subscriptionId} = ${p('subscriptionId')} and ${subscriptionPlates.recordedAt} > ${p('readAt')}
  ) or exists (
    select 1 from ${pastSubscriptionPlates}
    where ${pastSubscriptionPlates.subscriptionId} = ${p('subscriptionId')} and ${pastSubscriptionPlates.replacedAt} > ${p('readAt')}
  )`;

/** Whether the plate was erased after the collection: then the payment is stored without it. */
const isErased = () => sql`exists (
    select 1 from ${erasedPlates}
    where ${erasedPlates.municipalityId} = ${p('municipalityId')}
      and ${namedIn(erasedPlates.digest, 'digests')}
      and ${erasedPlates.erasedAt} > ${p('collectedAt')}
  )`;

/** Stores a payment unless its key is taken, or what it was judged by has changed. The values are in the order of the table. */
export const RECORD = query(() =>
  db
    .insert(payments)
    .select(
      sql`
  select ${p('municipalityId')},
    iif(erased.is_so, ${p('idWithoutPlate')}, ${p('paymentId')}),
    iif(erased.is_so, ${p('pseudonym')}, ${p('plate')}),
    iif(erased.is_so, ${p('terminalWithoutPlate')}, ${p('terminalCode')}),
    ${p('planCode')}, ${p('amountCents')}, ${p('expectedCents')}, ${p('collectedAt')}, ${p('sentCollectedAt')},
    ${NEXT_CHANGE},
    ${p('resultCode')}, ${p('operation')}, ${p('subscriptionId')}, ${p('startsAt')}, ${p('endsAt')},
    null, null, null, null, null, null
  from (select ${isErased()} as is_so) as erased
  where not exists (select 1 from ${payments} where ${ofKey()}) and not (${hasChanged()})`,
    )
    .returning({ paymentId: payments.paymentId }),
);

/** Stores the reversal of a payment that is not reversed. Values: `at`, `reason`. */
export const REVERSE = query(() =>
  db
    .update(payments)
    .set({
      reversedAt: sql`${p('at')}`,
      reversalReason: sql`${p('reason')}`,
      reversalRecordedAt: NEXT_CHANGE,
    })
    .where(and(ofKey(), isNull(payments.reversedAt)))
    .returning({ paymentId: payments.paymentId }),
);

/** Stores that the office has settled an unsettled payment. Values: `outcome`, `note`. */
export const SETTLE = query(() =>
  db
    .update(payments)
    .set({
      settledOutcome: sql`${p('outcome')}`,
      settledNote: sql`${p('note')}`,
      settledAt: NEXT_CHANGE,
    })
    .where(and(ofKey(), eq(STATE, 'unsettled')))
    .returning({ paymentId: payments.paymentId }),
);

/** Records the change if the statement before it has stored something: then the payment bears its instant. */
const RECORD_CHANGE = query(() =>
  db.insert(changes).select(sql`
    select ${p('municipalityId')}, ${NEXT_CHANGE}, ${p('requestId')}
    where exists (
      select 1 from ${payments} where ${ofKey()}
        and ${NEXT_CHANGE} in (${payments.recordedAt}, ${payments.reversalRecordedAt}, ${payments.settledAt})
    )`),
);

/**
 * Runs one of these statements on the payment that a call is about, and reads that payment, in one transaction.
 *
 * @returns whether the statement stored something, and the payment; null if there is none
 */
export async function store(
  d1: D1Database,
  statement: Query<{ paymentId: string }[]>,
  { id: municipalityId, code, names }: PlaceAndPayment,
  requestId: string,
  values: Readonly<Record<string, unknown>>,
) {
  const [stored, , [payment]] = await batch(d1, [statement, RECORD_CHANGE, OF_KEY], {
    ...values,
    ...{ code, municipalityId, names: JSON.stringify(names) },
    ...{ now: clockNow(), requestId: bytesOfId(requestId) },
  });
  return { isStored: stored.length > 0, payment: payment ?? null };
}
