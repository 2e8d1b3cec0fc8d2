import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
} from '../../serving/lookups/municipality-choice.ts';
import {
  fromMunicipalities,
  municipalityReader,
  SEARCH,
  searchValues,
} from '../../serving/lookups/municipality-table.ts';
import { json, parsed } from '../../storage/db/json.ts';
import type { Prepared } from '../../storage/db/sql.ts';
import { select, statement } from '../../storage/db/statement.ts';
import {
  PAYMENT_STATES,
  paymentOf,
  type StoredPayment,
  storedPayment,
} from '../recorded-payments/payment-parts.ts';
import type { PaymentPlace } from '../recorded-payments/present.ts';
import { type FoundRow, KEY, ofKey, ofWindow, type TotalsTuple, WINDOW } from './found-parts.ts';

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

/** The statement that finds payments of a municipality in the database where it lives. */
export function prepareFind(db: D1Database, code: string, selected: Selected): Prepared<FoundRow> {
  const search = searchValues({ by: 'code', code });
  return 'names' in selected
    ? FIND_KEY.prepare(db, { ...search, names: json(selected.names) })
    : FIND_WINDOW.prepare(db, { ...search, ...valuesOf(selected) });
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
  db: D1DatabaseSession,
  search: MunicipalitySearch,
  selected: Selected,
): Promise<MunicipalityFinding<FindMunicipality>> =>
  'names' in selected
    ? readKey(db, search, { names: json(selected.names) })
    : readWindow(db, search, valuesOf(selected));

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
    return { place, payments: parsed(row.found).map(paymentOf), totals: parsed(row.totals) };
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
