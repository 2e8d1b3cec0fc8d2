import type { Answer, Input } from '../../client/operation-types.ts';
import { MARK, rejectedRow } from '../../tables/rejected-table.ts';
import { Button, textOf } from '../components/forms.tsx';
import { type Column, DataTable } from '../components/table.tsx';
import { language, say } from '../language.ts';
import { type Done, WorkList } from './lists.tsx';
import { pagesOf, type Session, useSession } from './session.ts';
import { Form, keepFile, P } from './shown.tsx';
import { END, START } from './times.ts';
import { PAYMENT_STATE } from './words.ts';

type Found = Answer<'findPaymentsForOffice'>;
type Payment = Found['payments'][number];
type Totals = Found['totals'];

const STATES = ['accepted', 'unsettled', 'settled', 'reversed'] as const;
/** The service's longest window: 31 days. */
const WINDOW_MS = 31 * 86_400_000;

type Window = Pick<Input<'findPaymentsForOffice'>, 'from' | 'until' | 'state'>;

/** All payments of a window, and what they come to as the service has it. */
async function findAll({ ask, city }: Session, window: Window): Promise<Pick<Found, 'payments' | 'totals'>> {
  const payments: Payment[] = [];
  let totals = totalsOf([]);
  const read = (after: string | null) =>
    ask('findPaymentsForOffice', { municipality_code: city.code, ...window, after });
  for await (const page of pagesOf(read, ({ next }) => next)) {
    payments.push(...page.payments);
    totals = page.totals;
  }
  return { payments, totals };
}

/** Payments that wait for the office, and the closing of a day. */
export function PaymentsSection() {
  return (
    <>
      <P
        en="Money that was collected in the last 31 days and made no period waits for you."
        it="Il denaro incassato negli ultimi 31 giorni che non ha creato un periodo aspetta te."
      />
      <Form submit={say('Show what waits', 'Mostra che cosa aspetta')} onSent={() => <Unsettled />} />
      <h3>{say('Closing of a day', 'Chiusura di un giorno')}</h3>
      <Closing />
    </>
  );
}

function Unsettled() {
  const session = useSession();
  const { times } = session;
  const load = async (): Promise<Payment[]> => {
    const until = new Date().toISOString();
    const from = new Date(Date.parse(until) - WINDOW_MS).toISOString();
    return (await findAll(session, { from, until, state: 'unsettled' })).payments;
  };
  return (
    <WorkList
      title={say('Payments to settle', 'Pagamenti da definire')}
      rows={load}
      columns={[
        [say('Payment', 'Pagamento'), (one: Payment) => one.payment_id],
        [say('Collected', 'Incassato'), (one) => times.shown(one.collected_at)],
        [say('Plate', 'Targa'), (one) => one.plate],
        [say('Meter', 'Parcometro'), (one) => one.terminal_code ?? '–'],
        [say('Amount', 'Importo'), (one) => money(one.importo_eurocent), 'number'],
        [say('Why', 'Motivo'), (one) => one.message],
      ]}
      change={[say('Settle', 'Definisci'), (one, done) => <Settle id={one.payment_id} done={done} />]}
    />
  );
}

function Settle({ id, done }: { readonly id: string; readonly done: Done }) {
  const { ask, city } = useSession();
  const settle = async (form: FormData): Promise<null> => {
    const outcome = textOf(form, 'outcome') === 'refunded' ? 'refunded' : 'corrected';
    const note = textOf(form, 'note');
    await ask('settlePayment', { municipality_code: city.code, payment_id: id, outcome, note });
    done(say(`Payment ${id} is settled.`, `Il pagamento ${id} è definito.`));
    return null;
  };
  const refunded = ['refunded', say('refunded', 'rimborsato')] as const;
  const corrected = ['corrected', say('permit corrected', 'abbonamento corretto')] as const;
  return (
    <div class="card">
      <h3>{say(`Settle ${id}`, `Definisci ${id}`)}</h3>
      <P
        en="First give the money back or correct the permit. This only records it, and moves no money."
        it="Prima rimborsa o correggi l’abbonamento. Qui si registra soltanto, senza muovere denaro."
      />
      <Form
        submit={say('Record', 'Registra')}
        fields={[
          ['outcome', say('What was done', 'Che cosa è stato fatto'), [refunded, corrected]],
          ['note', say('Note', 'Nota'), 'text', { maxlength: 200 }],
        ]}
        onSent={settle}
      />
    </div>
  );
}

/** A day from midnight to midnight, terminal by terminal, and their sum as the service has it. */
function Closing() {
  const session = useSession();
  const { times } = session;
  const close = async (form: FormData) => {
    const date = textOf(form, 'date');
    const [from, until] = [times.instantOf(date, '', START), times.instantOf(date, '', END)];
    const { payments, totals } = await findAll(session, { from, until });
    const read = totalsOf(payments);
    if (STATES.some((state) => read[state].count !== totals[state].count)) throw new Error(stillArriving());
    const rows = [...Map.groupBy(payments, ({ terminal_code: code }) => code ?? '–')]
      .map(([terminal, own]): TerminalRow => [terminal, totalsOf(own)])
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    return <Closed date={date} rows={[...rows, [say('All', 'Tutti'), totals]]} />;
  };
  return (
    <Form
      submit={say('Add up', 'Somma')}
      fields={[
        ['date', say('Day', 'Giorno'), 'date', { value: times.fields(Date.now()).date, required: true }],
      ]}
      onSent={close}
    />
  );
}

const stillArriving = () =>
  say(
    'Payments of this day kept arriving while they were read. Add up again.',
    'Durante la lettura continuavano ad arrivare pagamenti di questo giorno. Somma di nuovo.',
  );

type TerminalRow = readonly [terminal: string, totals: Totals];

function Closed({ date, rows }: { readonly date: string; readonly rows: readonly TerminalRow[] }) {
  const terminal = say('Meter', 'Parcometro');
  const keep = (): void => {
    const titles = [terminal, ...STATES.flatMap((state) => [PAYMENT_STATE[state], '€'])];
    const lines = rows.map(([code, totals]) => [
      code,
      ...STATES.flatMap((state) => [String(totals[state].count), amountText(totals[state].eurocent)]),
    ]);
    const csv = [titles, ...lines].map((cells) => rejectedRow(cells, say(',', ';'))).join('\r\n');
    keepFile(`${date}.csv`, 'text/csv', `${MARK}${csv}\r\n`);
  };
  const columnOf = (state: (typeof STATES)[number]): Column<TerminalRow> => [
    PAYMENT_STATE[state],
    ([, totals]) => `${totals[state].count} · ${money(totals[state].eurocent)}`,
    'number',
  ];
  return (
    <>
      <DataTable
        title={say(`Payments of ${date}`, `Pagamenti del ${date}`)}
        rows={rows}
        columns={[[terminal, ([code]) => code], ...STATES.map(columnOf)]}
      />
      <Button label={say('Keep as a file', 'Conserva in un file')} onClick={keep} />
    </>
  );
}

function totalsOf(payments: readonly Payment[]): Totals {
  const none = () => ({ count: 0, eurocent: 0 });
  const totals = { accepted: none(), unsettled: none(), settled: none(), reversed: none() };
  for (const { state, importo_eurocent: amount } of payments) {
    totals[state].count += 1;
    totals[state].eurocent += amount;
  }
  return totals;
}

const EUROS = new Intl.NumberFormat(say('en-GB', 'it-IT'), { style: 'currency', currency: 'EUR' });
const money = (cents: number): string => EUROS.format(cents / 100);

/** As a spreadsheet of the language reads it. */
const amountText = (cents: number): string =>
  (cents / 100).toFixed(2).replace('.', language === 'it' ? ',' : '.');
