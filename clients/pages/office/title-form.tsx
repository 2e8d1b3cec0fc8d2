import { textOf } from '../components/forms.tsx';
import { say } from '../language.ts';
import { type Changed, Review } from './lists.tsx';
import { SUSPENDED, type Title, titleFacts } from './record-text.ts';
import { barePlate, CallFailed, type City, choicesOf, useSession } from './session.ts';
import { Form } from './shown.tsx';
import { END, START, type Times } from './times.ts';
import type { Stored } from './titles.tsx';
import { APPROVAL, COLUMN } from './words.ts';

type Period = Title['periods'][number];

/** Periods in the order in which they begin. */
export const byStart = <Some extends Period>(periods: readonly Some[]): Some[] =>
  periods.toSorted((one, other) => Date.parse(one.starts_at) - Date.parse(other.starts_at));

interface TitleFormProps {
  /** Null for a title under a new number. */
  readonly stored: Stored | null;
  readonly onSaved: (number: string) => Promise<void>;
}

/** One form for a new title, and for one that is renewed, changed or ended: it becomes a line of an import. */
export function TitleForm({ stored, onSaved }: TitleFormProps) {
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
        warnings={period === null ? [] : obstacles(line, period, times)}
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
    approval: APPROVALS.find((one) => one === textOf(form, 'approval')) ?? 'approved',
    authorized_until: kept('authorized', END, before.authorized_until, lastDay(before.authorized_until)),
    revoked_at: kept('revoked', START, before.revoked_at),
    areas: areas.length === 0 ? 'all' : areas,
    // Paid periods stay without the line.
    periods: byStart([...before.periods, ...(period === null ? [] : [period])]),
  };
}

const APPROVALS = ['approved', 'pending', 'rejected'] as const;

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

/** What ends before the new period does, or interrupts it. */
function obstacles(title: Title, period: Period, times: Times): string[] {
  const { authorized_until, revoked_at, suspended_from: from, suspended_until: until, approval } = title;
  const isBefore = (at: string | null, end: string): at is string =>
    at !== null && Date.parse(at) < Date.parse(end);
  const ends = [
    [COLUMN.authorized_until, authorized_until],
    [COLUMN.revoked_at, revoked_at],
    ...title.plates.map((one) => [`${one.plate}: ${COLUMN.plate_valid_until}`, one.valid_until] as const),
  ] as const;
  const told = ends
    .filter(([, at]) => isBefore(at, period.ends_at))
    .map(([name, at]) => `${name} ${times.shown(at)}`);
  if (isBefore(from, period.ends_at) && (until === null || isBefore(period.starts_at, until))) {
    told.push(`${SUSPENDED} ${times.span(from, until)}`);
  }
  if (approval !== 'approved') told.push(`${COLUMN.approval}: ${APPROVAL[approval]}`);
  const words = say('It will not hold in all of the new period:', 'Non varrà per tutto il nuovo periodo:');
  return told.length === 0 ? [] : [`${words} ${told.join('; ')}.`];
}
