import { textOf } from '../components/forms.tsx';
import { say } from '../language.ts';
import { type Changed, ReviewLine } from './lists.tsx';
import { type Title, titleFacts } from './record-text.ts';
import { barePlate, CallFailed, type City, choicesOf, useSession } from './session.ts';
import { Form } from './shown.tsx';
import { END, START, type Times } from './times.ts';
import type { Stored } from './titles.tsx';
import { APPROVAL } from './words.ts';

type Period = Title['periods'][number];

/** Periods in the order in which they begin. */
export const byStart = <Some extends Period>(periods: readonly Some[]): Some[] =>
  periods.toSorted((one, other) => Date.parse(one.starts_at) - Date.parse(other.starts_at));

/** The line that makes a title as it will be, and the period that it adds. */
interface Change {
  readonly line: Title;
  readonly period: Period | null;
}

interface TitleFormProps {
  /** Null for a title under a new number. */
  readonly stored: Stored | null;
  readonly onSaved: (number: string) => Promise<void>;
}

/** One form for a new title, and for one that is renewed, changed or ended: it becomes a line of an import. */
export function TitleForm({ stored, onSaved }: TitleFormProps) {
  const session = useSession();
  const { ask, city, times } = session;
  const before = stored?.subscription ?? null;
  const plates = [...new Set(before?.plates.map(({ plate }) => plate))].join(', ');
  const ticked = before === null || before.areas === 'all' ? [] : before.areas;
  const date = (at: string | null | undefined): string => (at ? times.fields(at).date : '');
  const isStill = async (number: string): Promise<boolean> => {
    const input = { municipality_code: city.code, subscription_number: number };
    const now = await ask('exportSubscription', input).catch((error: unknown) => {
      if (error instanceof CallFailed && error.failure.code === 'NOT_FOUND') return null;
      throw error;
    });
    return JSON.stringify(now?.subscription) === JSON.stringify(stored?.subscription);
  };
  const review = (form: FormData) => {
    const { line, period } = changeOf(form, stored, times);
    const number = line.subscription_number;
    return (
      <ReviewLine
        changes={changedFacts(before, line, city, times)}
        warnings={period === null ? [] : obstacles(line, period, times)}
        {...{ line, isStill: () => isStill(number), onSaved: () => onSaved(number) }}
      />
    );
  };
  const untilWhen = {
    value: date(lastDay(before?.authorized_until)),
    note: say('Empty: without an end.', 'Vuoto: senza fine.'),
  };
  const early = { value: date(before?.revoked_at), note: say('Empty: it does not.', 'Vuoto: no.') };
  const areas = say('Areas (none ticked: all)', 'Aree (nessuna scelta: tutte)');
  const several = say('Several with commas.', 'Più targhe con la virgola.');
  return (
    <Form
      submit={say('Review', 'Rivedi')}
      onSent={review}
      fields={[
        before === null && ['number', say('Number', 'Numero'), 'text', { required: true, maxlength: 200 }],
        ['from', say('New period from', 'Nuovo periodo dal'), 'date'],
        ['until', say('until', 'al'), 'date', { note: say('This day counts.', 'Giorno compreso.') }],
        ['plates', say('Plates', 'Targhe'), 'text', { value: plates, required: true, note: several }],
        ['type', say('Type', 'Tipo'), choicesOf(city.subscription_types), { value: before?.type }],
        ['approval', say('Application', 'Domanda'), Object.entries(APPROVAL), { value: before?.approval }],
        ['authorized', say('Authorized until', 'Autorizzato fino al'), 'date', untilWhen],
        before !== null && ['revoked', say('Ends early on', 'Termina prima, il'), 'date', early],
        ['areas', areas, { ticks: choicesOf(city.areas) }, { ticked }],
      ]}
    />
  );
}

/** An end at midnight is the end of the day before, as the form has it. */
const lastDay = (end: string | null | undefined): string | null =>
  end ? new Date(Date.parse(end) - 1).toISOString() : null;

function changeOf(form: FormData, stored: Stored | null, times: Times): Change {
  const before = stored?.subscription ?? BLANK;
  const dateOf = (name: string, field: typeof START) => times.dateOf(textOf(form, name), field);
  // A date that was not touched keeps its exact instant.
  const kept = (name: string, field: typeof START, old: string | null, shown = old): string | null =>
    shown !== null && textOf(form, name) === times.fields(shown).date ? old : dateOf(name, field);
  const [starts_at, ends_at] = [dateOf('from', START), dateOf('until', END)];
  if ((starts_at === null) !== (ends_at === null)) {
    throw new Error(
      say('A period has a first and a last day.', 'Un periodo ha un primo e un ultimo giorno.'),
    );
  }
  const period = starts_at !== null && ends_at !== null ? { starts_at, ends_at } : null;
  const areas = form.getAll('areas').map(String);
  const title: Title = {
    ...before,
    subscription_number: before.subscription_number || textOf(form, 'number'),
    type: textOf(form, 'type'),
    plates: platesOf(textOf(form, 'plates'), before),
    approval: APPROVALS.find((one) => one === textOf(form, 'approval')) ?? 'approved',
    authorized_until: kept('authorized', END, before.authorized_until, lastDay(before.authorized_until)),
    revoked_at: kept('revoked', START, before.revoked_at),
    areas: areas.length === 0 ? 'all' : areas,
  };
  // Paid periods stay without the line.
  const periods = byStart([...title.periods, ...(period === null ? [] : [period])]);
  return { line: { ...title, periods }, period };
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
    return [...titleFacts(title, city, times), [say('Periods', 'Periodi'), periods || '–']];
  };
  const old = new Map(before === null ? [] : factsOf(before));
  return factsOf(after)
    .map(([name, value]): Changed => [name, old.get(name) ?? '–', value])
    .filter(([, was, is]) => was !== is);
}

/** Why a title would not be valid in all of its new period. */
function obstacles(title: Title, period: Period, times: Times): string[] {
  const isBefore = (at: string | null): at is string =>
    at !== null && Date.parse(at) < Date.parse(period.ends_at);
  const { revoked_at: revoked, authorized_until: authorized } = title;
  const { suspended_from: from, suspended_until: until } = title;
  const isOver = until !== null && Date.parse(until) <= Date.parse(period.starts_at);
  const leaving = title.plates.filter((one) => isBefore(one.valid_until)).map(({ plate }) => plate);
  const [end, last, span] = [times.shown(revoked), times.shown(authorized), times.span(from, until)];
  const told: readonly (readonly [isSo: boolean, english: string, italian: string])[] = [
    [
      Date.parse(period.ends_at) <= Date.parse(period.starts_at),
      'The period ends before it begins.',
      'Il periodo finisce prima di iniziare.',
    ],
    [
      isBefore(revoked),
      `It ends early on ${end}: after that it counts for nothing.`,
      `Termina prima, il ${end}: da allora non vale.`,
    ],
    [
      isBefore(from) && !isOver,
      `It is suspended ${span}: then it counts for nothing.`,
      `È sospeso ${span}: allora non vale.`,
    ],
    [
      title.approval !== 'approved',
      'Its application is not approved: it counts for nothing.',
      'La domanda non è approvata: non vale.',
    ],
    [
      isBefore(authorized),
      `It is authorized only until ${last}: after that it counts for nothing.`,
      `È autorizzato solo fino al ${last}: dopo non vale.`,
    ],
    [
      leaving.length > 0,
      `Before the new period ends, it no longer holds for ${leaving.join(', ')}.`,
      `Prima della fine del nuovo periodo non vale più per ${leaving.join(', ')}.`,
    ],
  ];
  return told.filter(([isSo]) => isSo).map(([, english, italian]) => say(english, italian));
}
