import { type SQL, sql } from 'drizzle-orm';
import { municipality } from '../../serving/lookups/municipality-table.ts';
import type { Json } from '../../storage/db/json.ts';
import { payments } from '../../storage/db/schema/index.ts';
import { list, type RowOf, tableAs } from '../../storage/db/sql.ts';
import { type Parameters, type ValuesOf, value } from '../../storage/db/statement.ts';
import {
  CHANGED,
  PAYMENT_JSON,
  PAYMENT_STATES,
  type PaymentRow,
  payment,
  paymentJson,
  STATE,
} from '../recorded-payments/payment-parts.ts';

/** Names that a payment may be stored under. */
export const KEY = { names: value<Json<readonly string[]>>() };

/** A window, and the payment to go on behind. */
export const WINDOW = {
  from: value<number>(),
  until: value<number>(),
  terminalCode: value<string | null>(),
  state: value<string | null>(),
  afterAt: value<number>(),
  afterId: value<string>(),
  max: value<number>(),
};
type Window = Parameters<ValuesOf<typeof WINDOW>>;

const PLACE = {
  id: sql<number | null>`${municipality.id}`,
  code: sql<string | null>`${municipality.code}`,
  name: sql<string | null>`${municipality.name}`,
  time_zone: sql<string | null>`${municipality.timeZone}`,
} as const;

/** By the index that closes a day. */
const inWindow = ({ from, until, terminalCode }: Window, and: SQL): SQL => sql`
    from ${tableAs(payments, payment, 'payments_by_collection')}
    ${CHANGED}
    where ${payment.municipalityId} = ${municipality.id}
      and ${payment.collectedAt} >= ${from}
      and ${payment.collectedAt} < ${until}
      and (${terminalCode} is null or ${payment.terminalCode} = ${terminalCode})
      ${and}`;

const found = (window: Window) => {
  const { state, afterAt, afterId, max } = window;
  return sql<Json<PaymentRow[]>>`(
    select json_group_array(json(one))
    from (
      select ${PAYMENT_JSON} as one
      ${inWindow(
        window,
        sql`and (${payment.collectedAt}, ${payment.paymentId}) > (${afterAt}, ${afterId})
        and (${state} is null or ${STATE} = ${state})`,
      )}
      order by ${payment.collectedAt}, ${payment.paymentId}
      limit ${max}
    )
  )`;
};

const totalOf = (state: string): SQL => {
  const isOf = sql`filter (where state = ${sql.raw(`'${state}'`)})`;
  return sql`json_array(count(*) ${isOf}, coalesce(sum(amount) ${isOf}, 0))`;
};
const totals = (window: Window) => sql<Json<TotalsTuple>>`(
    select json_array(${list(PAYMENT_STATES.map(totalOf))})
    from (select ${STATE} as state, ${payment.amountCents} as amount ${inWindow(window, sql``)})
  )`;
/** In the order of the states. */
export type TotalsTuple = [count: number, cents: number][];

/** The payments of a window, and its totals. */
export const ofWindow = (window: Window) =>
  ({ ...PLACE, found: found(window), totals: totals(window) }) as const;
/** The payment of a key. */
export const ofKey = ({ names }: Parameters<ValuesOf<typeof KEY>>) =>
  ({ ...PLACE, found: paymentJson(municipality.id, names) }) as const;
export type FoundRow = RowOf<ReturnType<typeof ofWindow>> | RowOf<ReturnType<typeof ofKey>>;
