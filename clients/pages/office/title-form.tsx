import type { Child } from 'hono/jsx';
import { useState } from 'hono/jsx/dom';
import { Choice, Field, Form, Tick, textOf } from '../components/forms.tsx';
import { type Title, titleFacts } from './record-text.ts';
import { type Changed, FailureNotice, NotDone, Review, wrongTime } from './said.tsx';
import { barePlate, type City, choicesOf, named, type Session, useSession } from './session.ts';
import { END, START, type Times } from './times.ts';
import type { Stored } from './titles.tsx';
import { APPROVAL, say } from './words.ts';

type Period = Title['periods'][number];

/** A title as it will be stored, and the line that makes it so. */
interface Change {
  readonly after: Title;
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
  const { city, times } = session;
  const [change, setChange] = useState<Change | 'wrong' | null>(null);
  const before = stored?.subscription ?? null;
  const plates = [...new Set(before?.plates.map(({ plate }) => plate))].join(', ');
  const date = (at: string | null | undefined): string => (at ? times.fields(at).date : '');
  return (
    <>
      <Form
        submit={say('Review', 'Rivedi')}
        onSent={(form) => setChange(changeOf(form, stored, times) ?? 'wrong')}
      >
        {before === null && <Field label={say('Number', 'Numero')} name="number" required maxlength={200} />}
        <Field label={say('New period from', 'Nuovo periodo dal')} name="from" type="date" />
        <Field
          label={say('until', 'al')}
          {...{ name: 'until', type: 'date', note: say('This day counts.', 'Giorno compreso.') }}
        />
        <Field
          label={say('Plates', 'Targhe')}
          {...{ name: 'plates', value: plates, required: true }}
          note={say('Several with commas.', 'Più targhe con la virgola.')}
        />
        <Choice
          label={say('Type', 'Tipo')}
          name="type"
          value={before?.type}
          options={choicesOf(city.subscription_types)}
        />
        <Choice
          label={say('Application', 'Domanda')}
          {...{ name: 'approval', value: before?.approval, options: Object.entries(APPROVAL) }}
        />
        <Field
          label={say('Authorized until', 'Autorizzato fino al')}
          {...{ name: 'authorized', type: 'date', value: date(lastDay(before?.authorized_until)) }}
          note={say('Empty: without an end.', 'Vuoto: senza fine.')}
        />
        {before !== null && (
          <Field
            label={say('Ends early on', 'Termina prima, il')}
            {...{ name: 'revoked', type: 'date', value: date(before.revoked_at) }}
            note={say('Empty: it does not.', 'Vuoto: no.')}
          />
        )}
        <fieldset>
          <legend>{say('Areas (none ticked: all)', 'Aree (nessuna scelta: tutte)')}</legend>
          {city.areas.map(({ code, name }) => (
            <Tick
              key={code}
              label={named(name, code)}
              {...{ name: 'areas', value: code, checked: isIn(before, code) }}
            />
          ))}
        </fieldset>
      </Form>
      {change === 'wrong' && <NotDone>{wrongTime()}</NotDone>}
      {change !== null && change !== 'wrong' && (
        <Review
          key={JSON.stringify(change.line)}
          changes={changedFacts(before, change.after, city, times)}
          warnings={obstacles(change, times)}
          save={() => save(session, stored, change, onSaved)}
        />
      )}
    </>
  );
}

const isIn = (title: Title | null, area: string): boolean =>
  title !== null && title.areas !== 'all' && title.areas.includes(area);

/** An end at midnight is the end of the day before, as the form has it. */
const lastDay = (end: string | null | undefined): string | null =>
  end ? new Date(Date.parse(end) - 1).toISOString() : null;

/** Null: one of the dates is none, or a period has one end only. */
function changeOf(form: FormData, stored: Stored | null, times: Times): Change | null {
  const before = stored?.subscription ?? null;
  const dateOf = (name: string, field: typeof START): string | null =>
    times.instantOf(textOf(form, name), '', field);
  // A date that was not touched keeps its exact instant.
  const kept = (
    name: string,
    field: typeof START,
    old: string | null,
    shown: string | null,
  ): string | null =>
    old !== null && shown !== null && textOf(form, name) === times.fields(shown).date
      ? old
      : dateOf(name, field);
  const [starts_at, ends_at] = [dateOf('from', START), dateOf('until', END)];
  if ((starts_at === null) !== (ends_at === null)) return null;
  const period = starts_at !== null && ends_at !== null ? { starts_at, ends_at } : null;
  const areas = form.getAll('areas').map(String);
  const authorized = before?.authorized_until ?? null;
  const revoked = before?.revoked_at ?? null;
  const title: Title = {
    ...(before ?? BLANK),
    subscription_number: before?.subscription_number ?? textOf(form, 'number'),
    type: textOf(form, 'type'),
    plates: platesOf(textOf(form, 'plates'), before),
    approval: approvalOf(textOf(form, 'approval')),
    authorized_until: kept('authorized', END, authorized, lastDay(authorized)),
    revoked_at: kept('revoked', START, revoked, revoked),
    areas: areas.length === 0 ? 'all' : areas,
  };
  const added = period === null ? [] : [period];
  // Paid periods stay without the line, and may overlap with others in it.
  const paid = stored?.paid_periods ?? [];
  const own = title.periods.filter((one) => !paid.some(({ starts_at: at }) => at === one.starts_at));
  const all = [...title.periods, ...added].toSorted(
    (a, b) => Date.parse(a.starts_at) - Date.parse(b.starts_at),
  );
  return { after: { ...title, periods: all }, line: { ...title, periods: [...own, ...added] }, period };
}

/** The plates that were typed. One that was on the title keeps its validity, also where it has been on it several times. */
const platesOf = (typed: string, before: Title | null): Title['plates'] =>
  [...new Set(typed.split(/[,;/]/).map(barePlate))]
    .filter((plate) => plate !== '')
    .flatMap((plate) => {
      const kept = before?.plates.filter((one) => one.plate === plate) ?? [];
      return kept.length > 0 ? kept : [{ plate, valid_from: null, valid_until: null }];
    });

const BLANK: Title = {
  ...{ subscription_number: '', revision: null, type: '', plates: [], approval: 'approved', areas: 'all' },
  ...{ authorized_from: null, authorized_until: null, suspended_from: null, suspended_until: null },
  ...{ revoked_at: null, periods: [] },
};

const approvalOf = (text: string): Title['approval'] =>
  text === 'pending' || text === 'rejected' ? text : 'approved';

function changedFacts(before: Title | null, after: Title, city: City, times: Times): Changed[] {
  const factsOf = (title: Title | null): ReadonlyMap<string, string> => {
    if (title === null) return new Map();
    const periods = title.periods.map((one) => times.span(one.starts_at, one.ends_at)).join('; ');
    return new Map([...titleFacts(title, city, times), [say('Periods', 'Periodi'), periods || '–']]);
  };
  const [old, now] = [factsOf(before), factsOf(after)];
  return [...now]
    .map(([name, value]): Changed => [name, old.get(name) ?? '–', value])
    .filter(([, was, is]) => was !== is);
}

/** Saves a change as one line of an import, if nobody changed the title meanwhile. */
async function save(
  { client, call, city }: Session,
  stored: Stored | null,
  { line }: Change,
  onSaved: (number: string) => Promise<void>,
): Promise<Child> {
  const { subscription_number } = line;
  const now = await client.exportSubscription({ municipality_code: city.code, subscription_number }, call);
  if (!now.ok && now.code !== 'NOT_FOUND') return <FailureNotice failure={now} />;
  const present = now.ok ? JSON.stringify(now.answer.subscription) : undefined;
  if (present !== (stored ? JSON.stringify(stored.subscription) : undefined)) {
    return <NotDone>{stored === null ? taken() : overtaken()}</NotDone>;
  }
  const input = { municipality_code: city.code };
  const sent = await client.importSubscriptions({ lines: [JSON.stringify(line)] }, input, call);
  if (!sent.ok) return <FailureNotice failure={sent} />;
  const [error] = sent.answer.errors;
  if (error !== undefined) return <NotDone>{error.message}</NotDone>;
  if (sent.answer.created + sent.answer.updated === 0) return <NotDone>{nothingNew()}</NotDone>;
  await onSaved(subscription_number);
  return null;
}

const taken = () =>
  say('A permit with this number exists already.', 'Esiste già un abbonamento con questo numero.');
const overtaken = () =>
  say(
    'Somebody has changed this permit since it was shown. Find it again.',
    'Qualcuno ha modificato questo abbonamento da quando è stato mostrato. Cercalo di nuovo.',
  );
const nothingNew = () =>
  say(
    'The same, or something newer, is stored already.',
    'Lo stesso, o qualcosa di più recente, è già salvato.',
  );

/** Why a title would not be valid in all of its new period. */
function obstacles({ after: title, period }: Change, times: Times): string[] {
  if (period === null) return [];
  const isBefore = (at: string | null): at is string =>
    at !== null && Date.parse(at) < Date.parse(period.ends_at);
  const {
    revoked_at: revoked,
    authorized_until: authorized,
    suspended_from: from,
    suspended_until: until,
  } = title;
  const isOver = until !== null && Date.parse(until) <= Date.parse(period.starts_at);
  const leaving = title.plates.filter((one) => isBefore(one.valid_until)).map(({ plate }) => plate);
  const [end, last, span] = [times.shown(revoked), times.shown(authorized), times.span(from, until)];
  return [
    Date.parse(period.ends_at) <= Date.parse(period.starts_at) &&
      say('The period ends before it begins.', 'Il periodo finisce prima di iniziare.'),
    isBefore(revoked) &&
      say(
        `It ends early on ${end}: after that it counts for nothing.`,
        `Termina prima, il ${end}: da allora non vale.`,
      ),
    isBefore(from) &&
      !isOver &&
      say(`It is suspended ${span}: then it counts for nothing.`, `È sospeso ${span}: allora non vale.`),
    title.approval !== 'approved' &&
      say('Its application is not approved: it counts for nothing.', 'La domanda non è approvata: non vale.'),
    isBefore(authorized) &&
      say(
        `It is authorized only until ${last}: after that it counts for nothing.`,
        `È autorizzato solo fino al ${last}: dopo non vale.`,
      ),
    leaving.length > 0 &&
      say(
        `Before the new period ends, it no longer holds for ${leaving.join(', ')}.`,
        `Prima della fine del nuovo periodo non vale più per ${leaving.join(', ')}.`,
      ),
  ].filter((warning) => warning !== false);
}
