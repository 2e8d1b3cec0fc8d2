import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
} from '../lookups/municipality-choice.ts';
import { municipalityParameters, municipalityReader } from '../lookups/municipality-table.ts';
import {
  PAYMENT_STATES,
  type PaymentRow,
  paymentOf,
  type StoredPayment,
  storedPayment,
} from '../recorded-payments/payment-parts.ts';
import type { PaymentPlace } from '../recorded-payments/present.ts';
import { type FoundRow, OF_KEY, OF_WINDOW, type TotalsTuple } from './found-parts.ts';
import { FIND_KEY, FIND_WINDOW } from './found-statements.ts';

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

const parametersOf = ({ from, until, terminalCode, state, after, max }: SelectedWindow) =>
  [from, until, terminalCode, state, after?.at ?? -1, after?.id ?? '', max] as const;

/** The statement that finds payments of a municipality in the database where it lives: a row of {@link FoundRow}. */
export function prepareFind(db: D1Database, code: string, selected: Selected): D1PreparedStatement {
  const parameters = municipalityParameters({ by: 'code', code });
  return 'names' in selected
    ? db.prepare(FIND_KEY()).bind(...parameters, JSON.stringify(selected.names))
    : db.prepare(FIND_WINDOW()).bind(...parameters, ...parametersOf(selected));
}

/** A municipality with the payments that were asked for. */
export interface FindMunicipality extends FoundMunicipality {
  readonly found: FoundPayments;
}

const readKey = municipalityReader(OF_KEY, (row, _names: string) => ({ found: foundPayments(row) }));
const readWindow = municipalityReader(
  OF_WINDOW,
  (row, ..._parameters: readonly [number, number, string | null, string | null, number, string, number]) => ({
    found: foundPayments(row),
  }),
);

/** The same for a collector, whose municipality is still to be chosen. */
export const findInMunicipality = (
  db: D1DatabaseSession,
  search: MunicipalitySearch,
  selected: Selected,
): Promise<MunicipalityFinding<FindMunicipality>> =>
  'names' in selected
    ? readKey(db, search, JSON.stringify(selected.names))
    : readWindow(db, search, ...parametersOf(selected));

/** What a row says. */
export function foundPayments(row: FoundRow): FoundPayments {
  // Not null where the row has a municipality.
  const place = {
    id: row.id ?? 0,
    code: row.code ?? '',
    name: row.name ?? '',
    timeZone: row.time_zone ?? '',
  };
  if ('totals' in row) {
    // The shapes are those of the statement.
    const payments = (JSON.parse(row.found) as PaymentRow[]).map(paymentOf);
    return { place, payments, totals: JSON.parse(row.totals) as TotalsTuple };
  }
  const payments = row.found === null ? [] : [storedPayment(row.found)];
  return { place, payments, totals: totalsOf(payments) };
}

function totalsOf(payments: readonly StoredPayment[]): TotalsTuple {
  return PAYMENT_STATES.map((state) => {
    const amounts = payments.filter((one) => one.state === state).map(({ amountCents }) => amountCents);
    return [amounts.length, amounts.reduce((sum, cents) => sum + cents, 0)];
  });
}
