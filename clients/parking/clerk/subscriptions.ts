import type { Text } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';
import { stopOf } from '../failure.ts';
import type { Office } from '../office.ts';
import { shownTime } from '../print.ts';
import { askedInstant, END } from '../times.ts';
import { changeRecord, requireEarlier } from './change-record.ts';
import { asLocalTime, heldSubscriptions, type RecordMunicipality, recordMunicipality } from './held.ts';
import { refusal, say } from './say.ts';

type Exported = Answer<'exportSubscription'>;
type Stored = Exported['subscription'];

export interface ShowOptions {
  readonly plate?: string | undefined;
  readonly municipality?: string | undefined;
}

/** Prints a stored subscription with all its plates, or the stored subscriptions of a plate. */
export async function showSubscriptions(
  office: Office,
  number: string | undefined,
  { plate, municipality }: ShowOptions,
): Promise<void> {
  const city = await recordMunicipality(office, municipality);
  if (number !== undefined) {
    office.show((await requireStored(office, city, number)).subscription);
    return;
  }
  if (plate === undefined) throw refusal(office, NUMBER_OR_PLATE);
  const held = await heldSubscriptions(office, city, plate);
  if (office.json) office.terminal.json(held);
  else if (held.length === 0) office.note(say(office, noneOfPlate(plate, city.code)));
  else {
    for (const one of held) {
      office.show(one);
      office.terminal.data('');
    }
  }
}

interface ChangeOptions {
  readonly municipality?: string | undefined;
  readonly yes: boolean;
}

interface PeriodOptions extends ChangeOptions {
  readonly from: string;
  readonly until: string;
}

export interface AddOptions extends PeriodOptions {
  readonly plate: readonly string[];
  readonly type: string;
  readonly area?: readonly string[] | undefined;
}

/** Adds a subscription whose number is new. */
export async function addSubscription(office: Office, number: string, options: AddOptions): Promise<void> {
  const city = await recordMunicipality(office, options.municipality);
  const lookAgain = () => storedRecord(office, city, number);
  if ((await lookAgain()) !== null) {
    throw refusal(office, {
      en: `There is a subscription ${number} already. \`parking subscription show\` shows it.`,
      it: `C’è già un abbonamento ${number}. \`parking subscription show\` lo mostra.`,
    });
  }
  const after = {
    subscription_number: number,
    // The lowest revision, so that an existing subscription of this number with revisions is not replaced.
    revision: 0,
    type: options.type,
    plates: options.plate.map((plate) => ({ plate })),
    approval: 'approved',
    areas: options.area ?? 'all',
    periods: [await askedPeriod(office, city, options)],
  };
  await changeRecord(
    office,
    { kind: 'subscriptions', city, before: null, after, line: after, warning: '', name: number, lookAgain },
    options.yes,
  );
}

/** Renews a stored subscription: its line once more, with a further paid period and no other change. */
export async function renewSubscription(
  office: Office,
  number: string,
  options: PeriodOptions,
): Promise<void> {
  const city = await recordMunicipality(office, options.municipality);
  const stored = await requireStored(office, city, number);
  const before = stored.subscription;
  const period = await askedPeriod(office, city, options);
  const own = withoutPaid(stored);
  const line = { ...own, periods: [...own.periods, period] };
  const after = { ...before, periods: periodsWith(line, stored) };
  const warning = [...corrections(stored, period), ...obstacles(before, period)]
    .map((text) => say(office, text))
    .join(' ');
  await changeRecord(
    office,
    {
      ...{ kind: 'subscriptions', city, before, after, line, warning, name: null },
      lookAgain: () => storedRecord(office, city, number),
    },
    options.yes,
  );
}

type Period = Stored['periods'][number];

/**
 * A line of the office for a stored subscription: paid periods stay without it. Sent as the line's own, they could overlap
 * with other periods of the line, and then it is rejected.
 */
const withoutPaid = ({ subscription, paid_periods: paid }: Exported): Stored => ({
  ...subscription,
  periods: subscription.periods.filter((period) => !paid.some((one) => isSameStart(one, period))),
});

/** All periods after such a line. A line's period with the start of a paid one corrects its end. */
const periodsWith = (line: Stored, { paid_periods: paid }: Exported): Period[] =>
  [...line.periods, ...paid.filter((one) => !line.periods.some((period) => isSameStart(one, period)))].sort(
    (one, other) => Date.parse(one.starts_at) - Date.parse(other.starts_at),
  );

const isSameStart = (one: Period, other: Period): boolean =>
  Date.parse(one.starts_at) === Date.parse(other.starts_at);

const corrections = ({ paid_periods: paid }: Exported, period: Period): Text[] =>
  paid
    .filter((one) => isSameStart(one, period))
    .map(({ ends_at }) => ({
      en: `A payment made the period that begins then: its end moves from ${shownTime(ends_at)}.`,
      it: `Il periodo che inizia allora è stato pagato: la sua fine cambia, era ${shownTime(ends_at)}.`,
    }));

/** Why a renewed subscription would not be valid in all of its new period. */
function obstacles(stored: Stored, period: Period): Text[] {
  const { revoked_at: revoked, authorized_until: authorized, approval } = stored;
  const isBefore = (at: string | null): at is string =>
    at !== null && Date.parse(at) < Date.parse(period.ends_at);
  const leaving = stored.plates.filter((one) => isBefore(one.valid_until)).map(({ plate }) => plate);
  return [
    ...(isBefore(revoked)
      ? [
          {
            en: `It is revoked from ${shownTime(revoked)} on: renewed, it still counts for nothing after that.`,
            it: `È revocato dal ${shownTime(revoked)}: anche rinnovato, da allora non vale.`,
          },
        ]
      : []),
    ...suspensions(stored, period),
    ...(approval === 'approved'
      ? []
      : [{ en: 'It is not approved: it counts for nothing.', it: 'Non è approvato: non vale.' }]),
    ...(isBefore(authorized)
      ? [
          {
            en: `It is authorized until ${shownTime(authorized)} only.`,
            it: `È autorizzato solo fino al ${shownTime(authorized)}.`,
          },
        ]
      : []),
    ...(leaving.length > 0
      ? [
          {
            en: `Before the new period ends, it no longer holds for ${leaving.join(', ')}.`,
            it: `Prima della fine del nuovo periodo non vale più per ${leaving.join(', ')}.`,
          },
        ]
      : []),
  ];
}

function suspensions({ suspended_from: from, suspended_until: until }: Stored, period: Period): Text[] {
  if (from === null || Date.parse(from) >= Date.parse(period.ends_at)) return [];
  if (until === null) {
    return [
      {
        en: `It is suspended from ${shownTime(from)} on: until that ends, it counts for nothing.`,
        it: `È sospeso dal ${shownTime(from)}: finché lo è, non vale.`,
      },
    ];
  }
  if (Date.parse(until) <= Date.parse(period.starts_at)) return [];
  return [
    {
      en: `It is suspended from ${shownTime(from)} until ${shownTime(until)}: in that time it counts for nothing.`,
      it: `È sospeso dal ${shownTime(from)} al ${shownTime(until)}: in quel tempo non vale.`,
    },
  ];
}

export interface EndOptions extends ChangeOptions {
  readonly at?: string | undefined;
}

/** Ends a stored subscription: its line once more, revoked. */
export async function endSubscription(office: Office, number: string, options: EndOptions): Promise<void> {
  const city = await recordMunicipality(office, options.municipality);
  const stored = await requireStored(office, city, number);
  const before = stored.subscription;
  const asked =
    options.at === undefined
      ? new Date().toISOString()
      : await askedInstant(office, options.at, city.code, END);
  const revoked_at = asLocalTime(asked, city);
  requireEarlier(office, revoked_at, before.revoked_at);
  await changeRecord(
    office,
    {
      ...{ kind: 'subscriptions', city, before, after: { ...before, revoked_at } },
      ...{ line: { ...withoutPaid(stored), revoked_at }, warning: '', name: number },
      lookAgain: () => storedRecord(office, city, number),
    },
    options.yes,
  );
}

async function askedPeriod(office: Office, city: RecordMunicipality, { from, until }: PeriodOptions) {
  return {
    starts_at: asLocalTime(await askedInstant(office, from, city.code), city),
    ends_at: asLocalTime(await askedInstant(office, until, city.code, END), city),
  };
}

/** A stored subscription with all its plates; null: there is none of this number. */
async function storedSubscription(
  office: Office,
  city: RecordMunicipality,
  number: string,
): Promise<Exported | null> {
  const input = { municipality_code: city.code, subscription_number: number };
  const found = await office.client.exportSubscription(input, office.call);
  if (found.ok) return found.answer;
  if (found.code === 'NOT_FOUND') return null;
  throw stopOf(found);
}

async function storedRecord(
  office: Office,
  city: RecordMunicipality,
  number: string,
): Promise<Stored | null> {
  return (await storedSubscription(office, city, number))?.subscription ?? null;
}

/** @throws Stop if there is none */
async function requireStored(office: Office, city: RecordMunicipality, number: string): Promise<Exported> {
  const found = await storedSubscription(office, city, number);
  if (found !== null) return found;
  throw refusal(office, {
    en: `There is no subscription ${number}. \`parking subscription show --plate PLATE\` shows those of a plate.`,
    it: `Non c’è un abbonamento ${number}. \`parking subscription show --plate TARGA\` mostra quelli di una targa.`,
  });
}

const NUMBER_OR_PLATE = {
  en: 'Give the number of a subscription, or --plate PLATE for those of a plate.',
  it: 'Indicare il numero di un abbonamento, oppure --plate TARGA per quelli di una targa.',
};

const noneOfPlate = (plate: string, code: string): Text => ({
  en: `The plate ${plate} has no subscription in ${code}.`,
  it: `La targa ${plate} non ha abbonamenti in ${code}.`,
});
