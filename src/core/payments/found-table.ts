import { type SQL, sql } from 'drizzle-orm';
import { sum } from '../../domain/sum.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import {
  type MUNICIPALITY,
  municipality,
  municipalityReader,
} from '../../serving/lookups/municipality-table.ts';
import { retry, TRIES_WHILE_WAITING } from '../../storage/db/retry.ts';
import { payments } from '../../storage/db/schema/index.ts';
import { type Json, json, list, parsed, type RowOf, tableAs } from '../../storage/db/sql.ts';
import { type Parameters, type ValuesOf, value } from '../../storage/db/statement.ts';
import {
  CHANGED,
  PAYMENT_JSON,
  PAYMENT_STATES,
  type PaymentRow,
  payment,
  paymentJson,
  paymentOf,
  STATE,
  type StoredPayment,
  storedPayment,
} from '../recorded-payments/payment-parts.ts';
import type { PaymentPlace } from '../recorded-payments/present.ts';

/** Names that a payment may be stored under. */
const KEY = { names: value<Json<readonly string[]>>() };

/** A window, and the payment to go on behind. */
const WINDOW = {
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
  id: municipality.id,
  name: municipality.name,
  time_zone: municipality.timeZone,
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
type TotalsTuple = [count: number, cents: number][];

/** The payments of a window, and its totals. */
const ofWindow = (window: Window) => ({ ...PLACE, found: found(window), totals: totals(window) }) as const;
/** The payment of a key. */
const ofKey = ({ names }: Parameters<ValuesOf<typeof KEY>>) =>
  ({ ...PLACE, found: paymentJson(municipality.id, names) }) as const;
type FoundRow = RowOf<typeof MUNICIPALITY & (ReturnType<typeof ofWindow> | ReturnType<typeof ofKey>)>;

/** Which payments: that of a key, by what it may be stored under, or those of a window. */
export type Selected = { readonly names: readonly string[] } | SelectedWindow;

interface SelectedWindow {
  readonly from: number;
  readonly until: number;
  readonly terminalCode: string | null;
  readonly state: string | null;
  readonly after: { readonly at: number; readonly id: string } | null;
  /** How many, at most. */
  readonly max: number;
}

/** Payments that were found, and their municipality. */
export interface FoundPayments {
  readonly place: PaymentPlace & { readonly id: number };
  readonly payments: readonly StoredPayment[];
  /** Of the states, in their order. */
  readonly totals: TotalsTuple;
}

const valuesOf = ({ after, ...window }: SelectedWindow) => ({
  ...window,
  afterAt: after?.at ?? -1,
  afterId: after?.id ?? '',
});

/** A municipality with the payments that were asked for. */
export interface FindMunicipality extends FoundMunicipality {
  readonly found: FoundPayments;
}

const factsOf = (row: FoundRow) => ({ found: foundPayments(row) });
const readKey = municipalityReader({ declared: KEY, selection: ofKey, factsOf });
const readWindow = municipalityReader({ declared: WINDOW, selection: ofWindow, factsOf });

/** Finds payments of a municipality. Returns null for an unknown one. */
export const readPayments = (
  db: D1Database,
  code: string,
  selected: Selected,
): Promise<FindMunicipality | null> =>
  retry(
    () =>
      'names' in selected
        ? readKey(db, code, { names: json(selected.names) })
        : readWindow(db, code, valuesOf(selected)),
    TRIES_WHILE_WAITING,
  );

/** What a row says. */
function foundPayments(row: FoundRow): FoundPayments {
  const place = { id: row.id, code: row.code, name: row.name, timeZone: row.time_zone };
  if ('totals' in row) {
    return { place, payments: parsed(row.found).map(paymentOf), totals: parsed(row.totals) };
  }
  const payments = row.found === null ? [] : [storedPayment(row.found)];
  return { place, payments, totals: totalsOf(payments) };
}

function totalsOf(payments: readonly StoredPayment[]): TotalsTuple {
  return PAYMENT_STATES.map((state) => {
    const amounts = payments.filter((one) => one.state === state).map(({ amountCents }) => amountCents);
    return [amounts.length, sum(amounts)];
  });
}
