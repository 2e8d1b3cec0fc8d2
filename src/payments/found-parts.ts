import { type SQL, sql } from 'drizzle-orm';
import { payments } from '../db/schema/index.ts';
import { list, parameter, type RowOf, tableAs } from '../db/sql.ts';
import { municipality } from '../lookups/municipality-table.ts';
import {
  CHANGED,
  PAYMENT_JSON,
  PAYMENT_STATES,
  payment,
  paymentJson,
  STATE,
} from '../recorded-payments/payment-parts.ts';

/** Parameters 1 and 2 are the municipality's. 3 and 4: the window; 5: a terminal, or null. */
const WINDOW = sql`${payment.collectedAt} >= ${parameter(3)} and ${payment.collectedAt} < ${parameter(4)}
  and (${parameter(5)} is null or ${payment.terminalCode} = ${parameter(5)})`;
/** 6: a state, or null; 7 and 8: the payment to go on behind; 9: how many. */
const [OF_STATE, AFTER_AT, AFTER_ID, LIMIT] = [parameter(6), parameter(7), parameter(8), parameter(9)];

const PLACE = {
  id: sql<number | null>`${municipality.id}`,
  code: sql<string | null>`${municipality.code}`,
  name: sql<string | null>`${municipality.name}`,
  time_zone: sql<string | null>`${municipality.timeZone}`,
} as const;

/** By the index that closes a day. */
const inWindow = (
  and: SQL,
): SQL => sql`from ${tableAs(payments, payment, 'payments_by_collection')} ${CHANGED}
  where ${payment.municipalityId} = ${municipality.id} and ${WINDOW} ${and}`;

const FOUND = sql<string>`(select json_group_array(json(one)) from (select ${PAYMENT_JSON} as one
  ${inWindow(sql`and (${payment.collectedAt}, ${payment.paymentId}) > (${AFTER_AT}, ${AFTER_ID}) and (${OF_STATE} is null or ${STATE} = ${OF_STATE})`)}
  order by ${payment.collectedAt}, ${payment.paymentId} limit ${LIMIT}))`;

const totalOf = (state: string): SQL => {
  const isOf = sql`filter (where state = ${sql.raw(`'${state}'`)})`;
  return sql`json_array(count(*) ${isOf}, coalesce(sum(amount) ${isOf}, 0))`;
};
const TOTALS = sql<string>`(select json_array(${list(PAYMENT_STATES.map(totalOf))})
  from (select ${STATE} as state, ${payment.amountCents} as amount ${inWindow(sql``)}))`;
/** In the order of the states. */
export type TotalsTuple = [count: number, cents: number][];

/** The payments of a window, and its totals. */
export const OF_WINDOW = { ...PLACE, found: FOUND, totals: TOTALS } as const;
/** The payment of a key. 3: a JSON list of what it may be stored under. */
export const OF_KEY = { ...PLACE, found: paymentJson(municipality.id, parameter(3)) } as const;
export type FoundRow = RowOf<typeof OF_WINDOW> | RowOf<typeof OF_KEY>;
