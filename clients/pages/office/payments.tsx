import { useState } from 'hono/jsx/dom';
import type { Answer, Input } from '../../client/operation-types.ts';
import type { Result } from '../../client/result.ts';
import { MARK, rejectedRow } from '../../tables/rejected-table.ts';
import { Button, Choice, Field, textOf } from '../components/forms.tsx';
import { Notice } from '../components/notice.tsx';
import { type Column, DataTable } from '../components/table.tsx';
import { Ask, keepFile, Outcome, P } from './said.tsx';
import { type Session, useCall, useSession } from './session.ts';
import { END, START } from './times.ts';
import { language, PAYMENT_STATE, say } from './words.ts';

type Found = Answer<'findPaymentsForOffice'>;
type Payment = Found['payments'][number];
type Totals = Found['totals'];

const STATES = ['accepted', 'unsettled', 'settled', 'reversed'] as const;
/** The service's longest window: 31 days. */
const WINDOW_MS = 31 * 86_400_000;

/** All payments of a window, page after page. */
async function findAll(
  { client, call, city }: Session,
  window: Pick<Input<'findPaymentsForOffice'>, 'from' | 'until' | 'state'>,
): Promise<Result<Found>> {
  const payments: Payment[] = [];
  let after: string | null = null;
  for (;;) {
    const input = { municipality_code: city.code, ...window, after };
    const page: Result<Found> = await client.findPaymentsForOffice(input, call);
    if (!page.ok) return page;
    payments.push(...page.answer.payments);
    after = page.answer.next;
    if (after === null) return { ...page, answer: { ...page.answer, payments } };
  }
}

/** Payments that wait for the office, and the closing of a day. */
export const PaymentsSection = () => (
  <>
    <Unsettled />
    <Closing />
  </>
);

function Unsettled() {
  const session = useSession();
  const { times, mayChange } = session;
  const { called, make } = useCall<Found>();
  const [chosen, setChosen] = useState('');
  const [settled, setSettled] = useState('');
  const find = async (): Promise<void> => {
    setChosen('');
    const until = new Date().toISOString();
    const from = new Date(Date.parse(until) - WINDOW_MS).toISOString();
    await make(() => findAll(session, { from, until, state: 'unsettled' }));
  };
  const settle = say('Settle', 'Definisci');
  const columns: Column<Payment>[] = [
    [say('Payment', 'Pagamento'), (one) => one.payment_id],
    [say('Collected', 'Incassato'), (one) => times.shown(one.collected_at)],
    [say('Plate', 'Targa'), (one) => one.plate],
    [say('Meter', 'Parcometro'), (one) => one.terminal_code ?? '–'],
    [say('Amount', 'Importo'), (one) => money(one.importo_eurocent), 'number'],
    [say('Why', 'Motivo'), (one) => one.message],
  ];
  if (mayChange) {
    columns.push([settle, (one) => <Button label={settle} onClick={() => setChosen(one.payment_id)} />]);
  }
  const onSettled = (id: string): Promise<void> => {
    setSettled(id);
    return find();
  };
  return (
    <>
      <P
        en="Money that was collected in the last 31 days and made no period waits for you."
        it="Il denaro incassato negli ultimi 31 giorni che non ha creato un periodo aspetta te."
      />
      <Button label={say('Show what waits', 'Mostra che cosa aspetta')} onClick={find} />
      {settled !== '' && (
        <Notice kind="done">
          {say(`Payment ${settled} is settled.`, `Il pagamento ${settled} è definito.`)}
        </Notice>
      )}
      <Outcome called={called}>
        {({ payments }) => (
          <DataTable
            title={say('Payments to settle', 'Pagamenti da definire')}
            rows={payments}
            columns={columns}
          />
        )}
      </Outcome>
      {chosen !== '' && <Settle key={chosen} id={chosen} onSettled={onSettled} />}
    </>
  );
}

function Settle({ id, onSettled }: { id: string; onSettled: (id: string) => Promise<void> }) {
  const { client, call, city } = useSession();
  const ask = (form: FormData) => {
    const outcome = textOf(form, 'outcome') === 'refunded' ? 'refunded' : 'corrected';
    const input = {
      municipality_code: city.code,
      payment_id: id,
      outcome,
      note: textOf(form, 'note'),
    } as const;
    return client.settlePayment(input, call);
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
      <Ask submit={say('Record', 'Registra')} ask={ask} onAnswered={() => onSettled(id)}>
        <Choice
          label={say('What was done', 'Che cosa è stato fatto')}
          name="outcome"
          options={[refunded, corrected]}
        />
        <Field label={say('Note', 'Nota')} name="note" maxlength={200} />
      </Ask>
    </div>
  );
}

/** A day from midnight to midnight, terminal by terminal, and their sum as the service has it. */
interface Day {
  readonly date: string;
  readonly rows: readonly { readonly terminal: string; readonly totals: Totals }[];
  /** False where payments kept arriving while they were read. */
  readonly isWhole: boolean;
}

function Closing() {
  const session = useSession();
  const { times } = session;
  const ask = async (form: FormData): Promise<Result<Day>> => {
    const date = textOf(form, 'date');
    const [from, until] = [times.instantOf(date, '', START), times.instantOf(date, '', END)];
    const found = await findAll(session, { from, until });
    return found.ok ? { ...found, answer: dayOf(date, found.answer) } : found;
  };
  const today = times.fields(Date.now()).date;
  return (
    <>
      <h3>{say('Closing of a day', 'Chiusura di un giorno')}</h3>
      <Ask submit={say('Add up', 'Somma')} ask={ask} answer={(day: Day) => <Closed day={day} />}>
        <Field label={say('Day', 'Giorno')} name="date" type="date" value={today} required />
      </Ask>
    </>
  );
}

function Closed({ day: { date, rows, isWhole } }: { readonly day: Day }) {
  const terminal = say('Meter', 'Parcometro');
  const keep = (): void => {
    const titles = [terminal, ...STATES.flatMap((state) => [PAYMENT_STATE[state], '€'])];
    const lines = rows.map(({ terminal: code, totals }) => [
      code,
      ...STATES.flatMap((state) => [String(totals[state].count), amountText(totals[state].eurocent)]),
    ]);
    const csv = [titles, ...lines].map((cells) => rejectedRow(cells, say(',', ';'))).join('\r\n');
    keepFile(`${date}.csv`, 'text/csv', `${MARK}${csv}\r\n`);
  };
  return (
    <>
      {!isWhole && (
        <Notice kind="failure">
          {say(
            'Payments of this day kept arriving while they were read. Add up again.',
            'Durante la lettura continuavano ad arrivare pagamenti di questo giorno. Somma di nuovo.',
          )}
        </Notice>
      )}
      <DataTable
        title={say(`Payments of ${date}`, `Pagamenti del ${date}`)}
        rows={rows}
        columns={[
          [terminal, (row) => row.terminal],
          ...STATES.map(
            (state): Column<Day['rows'][number]> => [
              PAYMENT_STATE[state],
              ({ totals }) => `${totals[state].count} · ${money(totals[state].eurocent)}`,
              'number',
            ],
          ),
        ]}
      />
      <Button label={say('Keep as a file', 'Conserva in un file')} onClick={keep} />
    </>
  );
}

function dayOf(date: string, { payments, totals }: Found): Day {
  const groups = [...Map.groupBy(payments, ({ terminal_code: code }) => code ?? '–')];
  const rows = groups.map(([terminal, own]) => ({ terminal, totals: totalsOf(own) }));
  const read = totalsOf(payments);
  const isWhole = STATES.every((state) => read[state].count === totals[state].count);
  const inOrder = rows.toSorted((a, b) => (a.terminal < b.terminal ? -1 : 1));
  return { date, rows: [...inOrder, { terminal: say('All', 'Tutti'), totals }], isWhole };
}

function totalsOf(payments: readonly Payment[]): Totals {
  const of = (state: Payment['state']) => {
    const own = payments.filter((one) => one.state === state);
    return { count: own.length, eurocent: own.reduce((sum, one) => sum + one.importo_eurocent, 0) };
  };
  return {
    accepted: of('accepted'),
    unsettled: of('unsettled'),
    settled: of('settled'),
    reversed: of('reversed'),
  };
}

const EUROS = new Intl.NumberFormat(say('en-GB', 'it-IT'), { style: 'currency', currency: 'EUR' });
const money = (cents: number): string => EUROS.format(cents / 100);

/** As a spreadsheet of the language reads it. */
const amountText = (cents: number): string =>
  (cents / 100).toFixed(2).replace('.', language === 'it' ? ',' : '.');
