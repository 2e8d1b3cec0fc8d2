import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Instant } from '../../domain/instant.ts';
import { batch, db, type Query, query } from '../../storage/db/batch.ts';
import { bytesOfId, NEWEST_CHANGE, recordChange } from '../../storage/db/changes.ts';
import {
  changes,
  erasedPlates,
  pastSubscriptionPlates,
  payments,
  type SETTLED_OUTCOMES,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { namedIn } from '../../storage/db/sql.ts';

export type PaymentRow = typeof payments.$inferSelect;

const p = sql.placeholder;
const ofSubscription = (column: SQL | typeof payments.subscriptionId | typeof subscriptions.id) =>
  sql`${column} = ${p('subscriptionId')}`;

/** Whether the subscription that is meant has changed since it was read. None is meant: no. */
const hasChanged = () => sql`exists (
    select 1 from ${payments}
    where ${ofSubscription(payments.subscriptionId)} and ${payments.startsAt} is not null
      and (${payments.recordedAt} > ${p('readAt')} or ${payments.reversalRecordedAt} > ${p('readAt')})
  ) or exists (
    select 1 from ${subscriptions}
    where ${ofSubscription(subscriptions.id)} and ${subscriptions.recordedAt} > ${p('readAt')}
  ) or exists (
    select 1 from ${subscriptionPlates}
    where ${ofSubscription(sql`${subscriptionPlates.subscriptionId}`)} and ${subscriptionPlates.recordedAt} > ${p('readAt')}
  ) or exists (
    select 1 from ${pastSubscriptionPlates}
    where ${ofSubscription(sql`${pastSubscriptionPlates.subscriptionId}`)} and ${pastSubscriptionPlates.replacedAt} > ${p('readAt')}
  )`;

/** Whether the plate was erased after the collection: then the payment is stored without it. */
const isErased = () => sql`exists (
    select 1 from ${erasedPlates}
    where ${erasedPlates.municipalityId} = ${p('municipalityId')}
      and ${namedIn(erasedPlates.digest, 'digests')}
      and ${erasedPlates.erasedAt} > ${p('collectedAt')}
  )`;

/** Stores a payment unless its key is taken, or what it was judged by has changed. The values are in the order of the table. */
const RECORD = query(() =>
  db
    .insert(payments)
    .select(
      sql`
  select ${p('municipalityId')},
    iif(erased.is_so, ${p('idWithoutPlate')}, ${p('paymentId')}),
    iif(erased.is_so, ${p('pseudonym')}, ${p('plate')}),
    iif(erased.is_so, ${p('terminalWithoutPlate')}, ${p('terminalCode')}),
    ${p('planCode')}, ${p('amountCents')}, ${p('expectedCents')}, ${p('collectedAt')}, ${p('sentCollectedAt')},
    ${NEWEST_CHANGE},
    ${p('resultCode')}, ${p('operation')}, ${p('subscriptionId')}, ${p('startsAt')}, ${p('endsAt')},
    null, null, null, null, null, null
  from (select ${isErased()} as is_so) as erased
  where not exists (
    select 1 from ${payments}
    where ${payments.municipalityId} = ${p('municipalityId')} and ${namedIn(payments.paymentId, 'names')}
  ) and not (${hasChanged()})`,
    )
    .returning(),
);

const ofPayment = () =>
  and(eq(payments.municipalityId, p('municipalityId')), eq(payments.paymentId, p('paymentId')));

const REVERSE = query(() =>
  db
    .update(payments)
    .set({
      reversedAt: sql`${p('at')}`,
      reversalReason: sql`${p('reason')}`,
      reversalRecordedAt: NEWEST_CHANGE,
    })
    .where(and(ofPayment(), isNull(payments.reversedAt)))
    .returning(),
);

const SETTLE = query(() =>
  db
    .update(payments)
    .set({
      settledOutcome: sql`${p('outcome')}`,
      settledNote: sql`${p('note')}`,
      settledAt: NEWEST_CHANGE,
    })
    .where(
      and(ofPayment(), isNull(payments.startsAt), isNull(payments.settledAt), isNull(payments.reversedAt)),
    )
    .returning(),
);

/** Deletes the change again if no payment under one of the `names` bears its instant. */
const FORGET = query(() =>
  db.delete(changes).where(
    and(
      eq(changes.municipalityId, p('municipalityId')),
      eq(changes.recordedAt, NEWEST_CHANGE),
      sql`not exists (
        select 1 from ${payments}
        where ${payments.municipalityId} = ${p('municipalityId')} and ${namedIn(payments.paymentId, 'names')}
          and ${NEWEST_CHANGE} in (${payments.recordedAt}, ${payments.reversalRecordedAt}, ${payments.settledAt})
      )`,
    ),
  ),
);

/** The call that stores something. */
interface StoredBy {
  readonly municipalityId: number;
  readonly requestId: string;
  readonly now: Instant;
}

/** What is stored of a payment. */
interface NewPayment
  extends Pick<
    PaymentRow,
    | 'paymentId'
    | 'plate'
    | 'terminalCode'
    | 'planCode'
    | 'amountCents'
    | 'expectedCents'
    | 'collectedAt'
    | 'sentCollectedAt'
    | 'resultCode'
    | 'operation'
    | 'subscriptionId'
    | 'startsAt'
    | 'endsAt'
  > {
  /** What the payment may be stored under already. */
  readonly names: readonly string[];
  /** The newest change when it was judged. */
  readonly readAt: number;
  /** The plate's digests, and what replaces it where one of them was erased. */
  readonly digests: readonly string[];
  readonly pseudonym: string;
  readonly idWithoutPlate: string;
  readonly terminalWithoutPlate: string | null;
}

/** Stores a payment. Returns null if its key is taken, or what it was judged by has changed. */
export const storePayment = (
  d1: D1Database,
  by: StoredBy,
  { names, digests, ...payment }: NewPayment,
): Promise<PaymentRow | null> =>
  store(d1, by, RECORD, names, { ...payment, digests: JSON.stringify(digests) });

/** Stores a reversal. Returns null if the payment is reversed already. */
export const storeReversal = (
  d1: D1Database,
  by: StoredBy,
  reversal: { readonly paymentId: string; readonly at: Instant; readonly reason: string | null },
): Promise<PaymentRow | null> => store(d1, by, REVERSE, [reversal.paymentId], reversal);

/** Stores that the office has settled a payment. Returns null if it is not unsettled. */
export const storeSettlement = (
  d1: D1Database,
  by: StoredBy,
  settlement: {
    readonly paymentId: string;
    readonly outcome: (typeof SETTLED_OUTCOMES)[number];
    readonly note: string | null;
  },
): Promise<PaymentRow | null> => store(d1, by, SETTLE, [settlement.paymentId], settlement);

async function store(
  d1: D1Database,
  { municipalityId, requestId, now }: StoredBy,
  statement: Query<PaymentRow[]>,
  names: readonly string[],
  values: object,
): Promise<PaymentRow | null> {
  const [, [row]] = await batch(d1, [recordChange, statement, FORGET], {
    ...{ municipalityId, now, requestId: bytesOfId(requestId), names: JSON.stringify(names) },
    ...values,
  });
  return row ?? null;
}
