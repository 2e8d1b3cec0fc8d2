import { useEffect, useState } from 'hono/jsx/dom';
import type { Answer } from '../../client/operation-types.ts';
import { Button, Field, Form, textOf } from '../components/forms.tsx';
import { Notice } from '../components/notice.tsx';
import { DataTable, Facts } from '../components/table.tsx';
import { recordText, titleFacts } from './record-text.ts';
import { Outcome } from './said.tsx';
import { gatherPlate, type Held, useCall, useSession } from './session.ts';
import { TitleForm } from './title-form.tsx';
import { KIND, say, wordFor } from './words.ts';

export type Stored = Answer<'exportSubscription'>;

/** Titles: found by number or plate, added, renewed and ended. */
export function TitlesSection() {
  const session = useSession();
  const { client, call, city, times, mayChange } = session;
  const one = useCall<Stored>();
  const ofPlate = useCall<Held>();
  const [isNew, setNew] = useState(false);
  const [saved, setSaved] = useState<string | null>(null);
  const clear = (adding: boolean): void => {
    one.forget();
    ofPlate.forget();
    setSaved(null);
    setNew(adding);
  };
  const byNumber = (number: string): Promise<unknown> => {
    const input = { municipality_code: city.code, subscription_number: number };
    return one.make(() => client.exportSubscription(input, call));
  };
  const find = (form: FormData): Promise<unknown> => {
    const [number, plate] = [textOf(form, 'number'), textOf(form, 'plate')];
    clear(false);
    return number !== '' ? byNumber(number) : ofPlate.make(() => gatherPlate(session, plate));
  };
  const onSaved = async (number: string): Promise<void> => {
    clear(false);
    setSaved(number);
    await byNumber(number);
  };
  const number = say('Number', 'Numero');
  return (
    <>
      <Form submit={say('Find', 'Trova')} onSent={find}>
        <Field label={number} name="number" maxlength={200} />
        <Field label={say('or plate', 'oppure targa')} name="plate" maxlength={40} />
      </Form>
      {mayChange && (
        <Button label={say('New permit', 'Nuovo abbonamento')} isOpen={isNew} onClick={() => clear(true)} />
      )}
      {isNew && <TitleForm stored={null} onSaved={onSaved} />}
      <Outcome called={ofPlate.called}>
        {({ subscriptions }) => (
          <DataTable
            title={say(
              'Permits of this plate in this municipality',
              'Abbonamenti di questa targa nel comune',
            )}
            rows={subscriptions.filter(({ municipality_code: code }) => code === city.code)}
            columns={[
              [
                number,
                (title) => (
                  <Button
                    label={title.subscription_number}
                    onClick={() => byNumber(title.subscription_number)}
                  />
                ),
              ],
              [say('Type', 'Tipo'), (title) => title.type],
              [say('Validity', 'Validità'), (title) => recordText(title, city, times)],
            ]}
          />
        )}
      </Outcome>
      {saved !== null && <Notice kind="done">{say(`${saved} is saved.`, `${saved} è salvato.`)}</Notice>}
      <Outcome called={one.called}>
        {(stored) => <Title key={stored.request_id} stored={stored} onSaved={onSaved} />}
      </Outcome>
    </>
  );
}

/** A title with all its plates and periods, and what an office does with it. */
function Title({ stored, onSaved }: { stored: Stored; onSaved: (number: string) => Promise<void> }) {
  const { times, city, mayChange } = useSession();
  const [deed, setDeed] = useState<'change' | 'history' | null>(null);
  const { subscription: title, paid_periods: paid } = stored;
  const number = title.subscription_number;
  const isPaid = (starts: string): boolean => paid.some((one) => one.starts_at === starts);
  return (
    <>
      <h3>{say(`Permit ${number}`, `Abbonamento ${number}`)}</h3>
      <Facts facts={titleFacts(title, city, times)} />
      <DataTable
        title={say('Periods', 'Periodi')}
        rows={title.periods}
        columns={[
          [say('From → until', 'Da → a'), (period) => times.span(period.starts_at, period.ends_at)],
          [
            say('By', 'Da'),
            ({ starts_at: at }) => (isPaid(at) ? say('payment', 'pagamento') : say('the office', 'ufficio')),
          ],
        ]}
      />
      <div class="controls">
        {mayChange && (
          <Button
            isMain
            label={say('Renew, change or end', 'Rinnova, modifica o termina')}
            isOpen={deed === 'change'}
            onClick={() => setDeed('change')}
          />
        )}
        <Button
          label={say('History', 'Cronologia')}
          isOpen={deed === 'history'}
          onClick={() => setDeed('history')}
        />
      </div>
      {deed === 'change' && <TitleForm stored={stored} onSaved={onSaved} />}
      {deed === 'history' && <History plate={title.plates[0]?.plate ?? ''} number={number} />}
    </>
  );
}

/** Whether a version is one of a title, or a payment for it. */
const isOf = ({ kind, key, record }: Held['history'][number], number: string): boolean =>
  kind === 'subscription' ? key === number : 'payment_id' in record && record.subscription_number === number;

/** The versions of a title and its payments, as its first plate has them. */
function History({ plate, number }: { readonly plate: string; readonly number: string }) {
  const session = useSession();
  const { times, city } = session;
  const { called, make } = useCall<Held>();
  useEffect(() => void make(() => gatherPlate(session, plate)), []);
  return (
    <Outcome called={called}>
      {({ history }) => (
        <DataTable
          title={say('History, the newest first', 'Cronologia, la più recente prima')}
          rows={history
            .filter((one) => one.municipality_code === city.code && isOf(one, number))
            .toSorted((a, b) => Date.parse(b.recorded_at) - Date.parse(a.recorded_at))}
          columns={[
            [say('Recorded', 'Registrato'), (one) => times.exact(one.recorded_at)],
            [say('What', 'Che cosa'), (one) => wordFor(KIND, one.kind)],
            [say('Validity', 'Validità'), (one) => recordText(one.record, city, times)],
            [say('Request', 'Richiesta'), (one) => one.request_id ?? '–'],
          ]}
        />
      )}
    </Outcome>
  );
}
