import type { Answer } from '../../client/operation-types.ts';
import { Button, textOf } from '../components/forms.tsx';
import { DataTable, Facts } from '../components/table.tsx';
import { say } from '../language.ts';
import { Drawers } from './lists.tsx';
import { recordText, titleFacts } from './record-text.ts';
import { gatherPlate, type Held, useSession } from './session.ts';
import { Form, Loaded, Notice, useShown } from './shown.tsx';
import { byStart, TitleForm } from './title-form.tsx';
import { COLUMN, KIND, wordFor } from './words.ts';

export type Stored = Answer<'exportSubscription'>;

const VALIDITY = say('Validity', 'Validità');

/** Titles: found by number or plate, added, renewed and ended. */
export function TitlesSection() {
  const session = useSession();
  const { ask, city, times, mayChange } = session;
  const shown = useShown();
  const read = async (number: string, isSaved = false) => {
    const input = { municipality_code: city.code, subscription_number: number };
    const stored = await ask('exportSubscription', input);
    return (
      <>
        {isSaved && <Notice kind="done">{say(`${number} is saved.`, `${number} è salvato.`)}</Notice>}
        <Title stored={stored} onSaved={onSaved} />
      </>
    );
  };
  const onSaved = (number: string): Promise<void> => shown.show(() => read(number, true));
  const find = async (form: FormData) => {
    const [number, plate] = [textOf(form, 'number'), textOf(form, 'plate')];
    if (number !== '') return read(number);
    const { subscriptions } = await gatherPlate(session, plate);
    return (
      <DataTable
        title={say('Permits of this plate in this municipality', 'Abbonamenti di questa targa nel comune')}
        rows={subscriptions.filter((one) => one.municipality_code === city.code)}
        columns={[
          [
            COLUMN.subscription_number,
            ({ subscription_number: one }) => (
              <Button label={one} onClick={() => shown.show(() => read(one))} />
            ),
          ],
          [COLUMN.type, (title) => title.type],
          [VALIDITY, (title) => recordText(title, city, times)],
        ]}
      />
    );
  };
  const add = () => shown.show(() => <TitleForm stored={null} onSaved={onSaved} />);
  return (
    <>
      <Form
        submit={say('Find', 'Trova')}
        fields={[
          ['number', COLUMN.subscription_number, 'text', { maxlength: 200 }],
          ['plate', say('or plate', 'oppure targa'), 'text', { maxlength: 40 }],
        ]}
        {...{ onSent: find, shown }}
      />
      {mayChange && <Button label={say('New permit', 'Nuovo abbonamento')} onClick={add} />}
      {shown.said}
    </>
  );
}

interface TitleProps {
  readonly stored: Stored;
  readonly onSaved: (number: string) => Promise<void>;
}

/** A title with all its plates and periods, and what an office does with it. */
function Title({ stored, onSaved }: TitleProps) {
  const session = useSession();
  const { times, city, mayChange } = session;
  const { subscription: title, paid_periods: paid } = stored;
  const number = title.subscription_number;
  const periods = byStart([
    ...title.periods.map((one) => ({ ...one, by: say('the office', 'ufficio') })),
    ...paid.map((one) => ({ ...one, by: KIND.payment })),
  ]);
  /** The versions of the title and its payments, as its first plate has them. */
  const readHistory = async () => {
    const { history } = await gatherPlate(session, title.plates[0]?.plate ?? '');
    const own = history.filter((one) => one.municipality_code === city.code && isOf(one, number));
    return (
      <DataTable
        title={say('History, the newest first', 'Cronologia, la più recente prima')}
        rows={own.toSorted((a, b) => Date.parse(b.recorded_at) - Date.parse(a.recorded_at))}
        columns={[
          [say('Recorded', 'Registrato'), (one) => times.exact(one.recorded_at)],
          [say('What', 'Che cosa'), (one) => wordFor(KIND, one.kind)],
          [VALIDITY, (one) => recordText(one.record, city, times)],
          [say('Request', 'Richiesta'), (one) => one.request_id ?? '–'],
        ]}
      />
    );
  };
  const history = [say('History', 'Cronologia'), <Loaded key="history" work={readHistory} />] as const;
  const change = [
    say('Renew, change or end', 'Rinnova, modifica o termina'),
    <TitleForm key="change" stored={stored} onSaved={onSaved} />,
  ] as const;
  return (
    <>
      <h3>{say(`Permit ${number}`, `Abbonamento ${number}`)}</h3>
      <Facts facts={titleFacts(title, city, times)} />
      <DataTable
        title={COLUMN.periods}
        rows={periods}
        columns={[
          [say('From → until', 'Da → a'), (period) => times.span(period.starts_at, period.ends_at)],
          [say('By', 'Da'), ({ by }) => by],
        ]}
      />
      <Drawers drawers={mayChange ? [change, history] : [history]} />
    </>
  );
}

/** Whether a version is one of a title, or a payment for it. */
const isOf = ({ kind, key, record }: Held['history'][number], number: string): boolean =>
  kind === 'subscription' ? key === number : 'payment_id' in record && record.subscription_number === number;
