import type { Answer, Input } from '../../client/operation-types.ts';
import { textOf } from '../components/forms.tsx';
import { type Column, DataTable } from '../components/table.tsx';
import { locale, say } from '../language.ts';
import { type Done, WorkList } from './lists.tsx';
import { allPages, type Session, useSession } from './session.ts';
import { Form, P } from './shown.tsx';
import { END, START } from './times.ts';
import { COLUMN, KIND, PAYMENT_STATE } from './words.ts';

type Payment = Answer<'findPaymentsForOffice'>['payments'][number];

/** The service's longest window: 31 days. */
const WINDOW_MS = 31 * 86_400_000;
const METER = say('Meter', 'Parcometro');

/** All payments of a window. */
async function findAll(
  { ask, city }: Session,
  window: Pick<Input<'findPaymentsForOffice'>, 'from' | 'until' | 'state'>,
): Promise<Payment[]> {
  const pages = await allPages(ask, 'findPaymentsForOffice', { municipality_code: city.code, ...window });
  return pages.flatMap(({ payments }) => payments);
}

/** Payments that wait for the office, and the closing of a day. */
export function PaymentsSection() {
  const session = useSession();
  const { ask, city, times } = session;
  const load = (): Promise<Payment[]> => {
    const until = new Date().toISOString();
    const from = new Date(Date.parse(until) - WINDOW_MS).toISOString();
    return findAll(session, { from, until, state: 'unsettled' });
  };
  const settle = (id: string, done: Done) => {
    const record = async (form: FormData): Promise<null> => {
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
          onSent={record}
        />
      </div>
    );
  };
  /** A day from midnight to midnight, meter by meter. */
  const close = async (form: FormData) => {
    const date = textOf(form, 'date');
    const window = { from: times.instantOf(date, START), until: times.instantOf(date, END) };
    const payments = await findAll(session, window);
    const meters = [...Map.groupBy(payments, ({ terminal_code: code }) => code ?? '–')];
    const rows: MeterRow[] = meters.toSorted(([a], [b]) => (a < b ? -1 : 1));
    const columns = Object.entries(PAYMENT_STATE).flatMap(([state, word]): Column<MeterRow>[] => {
      const own = ([, all]: MeterRow) => all.filter((one) => one.state === state);
      const sum = (row: MeterRow) => own(row).reduce((cents, one) => cents + one.importo_eurocent, 0);
      return [
        [say('No.', 'N.'), (row) => own(row).length, 'number group', word],
        [say('Amount', 'Importo'), (row) => money(sum(row)), 'number', word],
      ];
    });
    return (
      <DataTable
        title={say(`Payments of ${date}`, `Pagamenti del ${date}`)}
        rows={[...rows, [say('All', 'Tutti'), payments]]}
        columns={[[METER, ([meter]) => meter], ...columns]}
      />
    );
  };
  return (
    <>
      <P
        en="Money that was collected in the last 31 days and made no period waits for you."
        it="Il denaro incassato negli ultimi 31 giorni che non ha creato un periodo aspetta te."
      />
      <WorkList
        title={say('Payments to settle', 'Pagamenti da definire')}
        rows={load}
        columns={[
          [KIND.payment, (one: Payment) => one.payment_id],
          [say('Collected', 'Incassato'), (one) => times.shown(one.collected_at)],
          [COLUMN.plate, (one) => one.plate],
          [METER, (one) => one.terminal_code ?? '–'],
          [say('Amount', 'Importo'), (one) => money(one.importo_eurocent), 'number'],
          [say('Why', 'Motivo'), (one) => one.message],
        ]}
        change={[say('Settle', 'Definisci'), (one, done) => settle(one.payment_id, done)]}
      />
      <h3>{say('Closing of a day', 'Chiusura di un giorno')}</h3>
      <Form
        submit={say('Add up', 'Somma')}
        fields={[['date', say('Day', 'Giorno'), 'date', { value: times.date(Date.now()), required: true }]]}
        onSent={close}
      />
    </>
  );
}

const EUROS = new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' });
const money = (cents: number): string => EUROS.format(cents / 100);

/** A meter with its payments. */
type MeterRow = readonly [meter: string, payments: readonly Payment[]];
