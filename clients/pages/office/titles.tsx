import type { Answer } from '../../client/operation-types.ts';
import { Button, textOf } from '../components/forms.tsx';
import { DataTable, Facts } from '../components/table.tsx';
import { say } from '../language.ts';
import { type Changed, Drawers, Review } from './lists.tsx';
import { recordText, type Title, titleFacts } from './record-text.ts';
import { allPages, barePlate, CallFailed, type City, choicesOf, useSession } from './session.ts';
import { Form, Loaded, Notice, useShown } from './shown.tsx';
import { END, START, type Times } from './times.ts';
import { APPROVAL, COLUMN, KIND, wordFor } from './words.ts';

type Stored = Answer<'exportSubscription'>;
type Period = Title['periods'][number];

const VALIDITY = say('Validity', 'Validità');

/** Titles: found by number or plate, added, renewed and ended. */
export function TitlesSection() {
  const { ask, city, times, mayChange } = useSession();
  const shown = useShown();
  const read = async (number: string, isSaved = false) => {
    const input = { municipality_code: city.code, subscription_number: number };
    const stored = await ask('exportSubscription', input);
    return (
      <>
        {isSaved && <Notice kind="done">{say(`${number} is saved.`, `${number} è salvato.`)}</Notice>}
        <StoredTitle stored={stored} onSaved={onSaved} />
      </>
    );
  };
  const onSaved = (number: string): Promise<void> => shown.show(() => read(number, true));
  const find = async (form: FormData) => {
    const [number, plate] = [textOf(form, 'number'), textOf(form, 'plate')];
    if (number !== '') return read(number);
    const subscriptions = (await allPages(ask, 'exportPlate', { plate })).flatMap(
      (page) => page.subscriptions,
    );
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

interface StoredTitleProps {
  readonly stored: Stored;
  readonly onSaved: (number: string) => Promise<void>;
}

/** A title with all its plates and periods, and what an office does with it. */
function StoredTitle({ stored, onSaved }: StoredTitleProps) {
  const { ask, times, city, mayChange } = useSession();
  const { subscription: title, paid_periods: paid } = stored;
  const number = title.subscription_number;
  const periods = byStart([
    ...title.periods.map((one) => ({ ...one, by: say('the office', 'ufficio') })),
    ...paid.map((one) => ({ ...one, by: KIND.payment })),
  ]);
  /** The versions of the title and its payments, as its first plate has them. */
  const readHistory = async () => {
    const pages = await allPages(ask, 'exportPlate', { plate: title.plates[0]?.plate ?? '' });
    const own = pages
      .flatMap(({ history }) => history)
      .filter((one) => one.municipality_code === city.code && isOf(one, number));
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
const isOf = ({ kind, key, record }: Answer<'exportPlate'>['history'][number], number: string): boolean =>
  kind === 'subscription' ? key === number : 'payment_id' in record && record.subscription_number === number;

/** Periods in the order in which they begin. */
const byStart = <Some extends Period>(periods: readonly Some[]): Some[] =>
  periods.toSorted((one, other) => Date.parse(one.starts_at) - Date.parse(other.starts_at));

interface TitleFormProps {
  /** Null for a title under a new number. */
  readonly stored: Stored | null;
  readonly onSaved: (number: string) => Promise<void>;
}

/** One form for a new title, and for one that is renewed, changed or ended: it becomes a line of an import. */
function TitleForm({ stored, onSaved }: TitleFormProps) {
  const { ask, call, city, client, times } = useSession();
  const before = stored?.subscription ?? null;
  const plates = [...new Set(before?.plates.map(({ plate }) => plate))].join(', ');
  const ticked = before === null || before.areas === 'all' ? [] : before.areas;
  const inCity = { municipality_code: city.code };
  /** Stores a line, unless the title is no longer what was shown: an import has no version to name. */
  const save = async (line: Title): Promise<null> => {
    const { subscription_number } = line;
    const now = await ask('exportSubscription', { ...inCity, subscription_number }).catch(
      (error: unknown) => {
        if (error instanceof CallFailed && error.failure.code === 'NOT_FOUND') return null;
        throw error;
      },
    );
    if (JSON.stringify(now?.subscription ?? null) !== JSON.stringify(before)) throw new Error(OVERTAKEN);
    const sent = await client.importSubscriptions({ lines: [JSON.stringify(line)] }, inCity, call);
    if (!sent.ok) throw new CallFailed(sent);
    const [error] = sent.answer.errors;
    if (error !== undefined) throw new Error(error.message);
    await onSaved(subscription_number);
    return null;
  };
  const review = (form: FormData) => {
    const period = periodOf(form, times);
    const line = titleOf(form, before ?? BLANK, period, times);
    return (
      <Review
        changes={changedFacts(before, line, city, times)}
        obstacles={period === null ? '' : obstacles(line, period, times)}
        save={() => save(line)}
      />
    );
  };
  const untilWhen = {
    value: times.date(lastDay(before?.authorized_until)),
    note: say('Empty: without an end.', 'Vuoto: senza fine.'),
  };
  const early = { value: times.date(before?.revoked_at), note: say('Empty: it does not.', 'Vuoto: no.') };
  const areas = say('Areas (none ticked: all)', 'Aree (nessuna scelta: tutte)');
  const several = say('Several with commas.', 'Più targhe con la virgola.');
  return (
    <Form
      submit={say('Review', 'Rivedi')}
      onSent={review}
      fields={[
        before === null && ['number', COLUMN.subscription_number, 'text', { required: true, maxlength: 200 }],
        ['from', say('New period from', 'Nuovo periodo dal'), 'date'],
        ['until', say('until', 'al'), 'date', { note: say('This day counts.', 'Giorno compreso.') }],
        ['plates', COLUMN.plates, 'text', { value: plates, required: true, note: several }],
        ['type', COLUMN.type, choicesOf(city.subscription_types), { value: before?.type }],
        ['approval', COLUMN.approval, Object.entries(APPROVAL), { value: before?.approval }],
        ['authorized', COLUMN.authorized_until, 'date', untilWhen],
        before !== null && ['revoked', say('Ends early on', 'Termina prima, il'), 'date', early],
        ['areas', areas, { ticks: choicesOf(city.areas) }, { ticked }],
      ]}
    />
  );
}

const OVERTAKEN = say(
  'Somebody has changed it since it was shown. Look it up again.',
  'Qualcuno l’ha modificato da quando è stato mostrato. Cercalo di nuovo.',
);

/** An end at midnight is the end of the day before, as the form has it. */
const lastDay = (end: string | null | undefined): string | null =>
  end ? new Date(Date.parse(end) - 1).toISOString() : null;

/** The period that the form adds. */
function periodOf(form: FormData, times: Times): Period | null {
  const starts_at = times.dateOf(textOf(form, 'from'), START);
  const ends_at = times.dateOf(textOf(form, 'until'), END);
  if (starts_at !== null && ends_at !== null) return { starts_at, ends_at };
  if (starts_at === ends_at) return null;
  throw new Error(say('A period has a first and a last day.', 'Un periodo ha un primo e un ultimo giorno.'));
}

/** The title as it will be. */
function titleOf(form: FormData, before: Title, period: Period | null, times: Times): Title {
  // A date that was not touched keeps its exact instant.
  const kept = (name: string, field: typeof START, old: string | null, shown = old): string | null =>
    shown !== null && textOf(form, name) === times.date(shown)
      ? old
      : times.dateOf(textOf(form, name), field);
  const areas = form.getAll('areas').map(String);
  return {
    ...before,
    subscription_number: before.subscription_number || textOf(form, 'number'),
    type: textOf(form, 'type'),
    plates: platesOf(textOf(form, 'plates'), before),
    approval: textOf(form, 'approval') as Title['approval'],
    authorized_until: kept('authorized', END, before.authorized_until, lastDay(before.authorized_until)),
    revoked_at: kept('revoked', START, before.revoked_at),
    areas: areas.length === 0 ? 'all' : areas,
    // Paid periods stay without the line.
    periods: byStart([...before.periods, ...(period === null ? [] : [period])]),
  };
}

/** The plates that were typed. One that was on the title keeps its validity, also where it has been on it several times. */
const platesOf = (typed: string, before: Title): Title['plates'] =>
  [...new Set(typed.split(/[,;/]/).map(barePlate))]
    .filter((plate) => plate !== '')
    .flatMap((plate) => {
      const kept = before.plates.filter((one) => one.plate === plate);
      return kept.length > 0 ? kept : [{ plate, valid_from: null, valid_until: null }];
    });

const BLANK: Title = {
  ...{ subscription_number: '', revision: null, type: '', plates: [], approval: 'approved', areas: 'all' },
  ...{ authorized_from: null, authorized_until: null, suspended_from: null, suspended_until: null },
  ...{ revoked_at: null, periods: [] },
};

function changedFacts(before: Title | null, after: Title, city: City, times: Times): Changed[] {
  const factsOf = (title: Title): [name: string, value: string][] => {
    const periods = title.periods.map((one) => times.span(one.starts_at, one.ends_at)).join('; ');
    return [...titleFacts(title, city, times), [COLUMN.periods, periods || '–']];
  };
  const old = new Map(before === null ? [] : factsOf(before));
  return factsOf(after)
    .map(([name, value]): Changed => [name, old.get(name) ?? '–', value])
    .filter(([, was, is]) => was !== is);
}

/** What ends or is suspended before the new period ends. Empty: nothing. */
function obstacles(title: Title, period: Period, times: Times): string {
  const { authorized_until, revoked_at, suspended_from, suspended_until: until } = title;
  const isBefore = (at: string | null, other: string): boolean =>
    at !== null && Date.parse(at) < Date.parse(other);
  const ends = [
    [COLUMN.authorized_until, authorized_until],
    [COLUMN.revoked_at, revoked_at],
    [COLUMN.suspended_from, until === null || isBefore(period.starts_at, until) ? suspended_from : null],
    ...title.plates.map((one) => [`${one.plate}: ${COLUMN.plate_valid_until}`, one.valid_until] as const),
  ] as const;
  return ends
    .filter(([, at]) => isBefore(at, period.ends_at))
    .map(([name, at]) => `${name} ${times.shown(at)}`)
    .join('; ');
}
