import { type SQL, sql } from 'drizzle-orm';
import { sum } from '../../domain/sum.ts';
import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
} from '../../serving/lookups/municipality.ts';
import {
  fromMunicipalities,
  municipality,
  municipalityReader,
  SEARCH,
  searchValues,
} from '../../serving/lookups/municipality-table.ts';
import { payments } from '../../storage/db/schema/index.ts';
import { type Json, json, list, parsed, type RowOf, tableAs } from '../../storage/db/sql.ts';
import {
  first,
  type Parameters,
  select,
  statement,
  type ValuesOf,
  value,
} from '../../storage/db/statement.ts';
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
type TotalsTuple = [count: number, cents: number][];

/** The payments of a window, and its totals. */
const ofWindow = (window: Window) => ({ ...PLACE, found: found(window), totals: totals(window) }) as const;
/** The payment of a key. */
const ofKey = ({ names }: Parameters<ValuesOf<typeof KEY>>) =>
  ({ ...PLACE, found: paymentJson(municipality.id, names) }) as const;
export type FoundRow = RowOf<ReturnType<typeof ofWindow>> | RowOf<ReturnType<typeof ofKey>>;

/** Of a municipality that lives here. */
const FIND_WINDOW = statement({ ...SEARCH, ...WINDOW }, (parameters) =>
  select(ofWindow(parameters), fromMunicipalities('code', parameters)),
);
const FIND_KEY = statement({ ...SEARCH, ...KEY }, (parameters) =>
  select(ofKey(parameters), fromMunicipalities('code', parameters)),
);

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

/** Finds payments of a municipality. Returns null for an unknown one. */
export async function findOf(
  db: D1Database,
  code: string,
  selected: Selected,
): Promise<FoundPayments | null> {
  const search = searchValues({ by: 'code', code });
  const row = await first<FoundRow>(
    'names' in selected
      ? FIND_KEY.prepare(db, { ...search, names: json(selected.names) })
      : FIND_WINDOW.prepare(db, { ...search, ...valuesOf(selected) }),
  );
  return row && foundPayments(row);
}

/** A municipality with the payments that were asked for. */
export interface FindMunicipality extends FoundMunicipality {
  readonly found: FoundPayments;
}

const factsOf = (row: FoundRow) => ({ found: foundPayments(row) });
const readKey = municipalityReader({ declared: KEY, selection: ofKey, factsOf });
const readWindow = municipalityReader({ declared: WINDOW, selection: ofWindow, factsOf });

/** The same for a collector, whose municipality is still to be chosen. */
export const findInMunicipality = (
  db: D1Database,
  search: MunicipalitySearch,
  selected: Selected,
): Promise<MunicipalityFinding<FindMunicipality>> =>
  'names' in selected
    ? readKey(db, search, { names: json(selected.names) })
    : readWindow(db, search, valuesOf(selected));

/** What a row says. */
function foundPayments(row: FoundRow): FoundPayments {
  // Not null where the row has a municipality.
  const place = {
    id: row.id ?? 0,
    code: row.code ?? '',
    name: row.name ?? '',
    timeZone: row.time_zone ?? '',
  };
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
