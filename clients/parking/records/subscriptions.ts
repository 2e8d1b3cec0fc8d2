import type { Text } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';
import { EXIT } from '../exit-codes.ts';
import { stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import { Stop, wrongUsage } from '../stop.ts';
import { askedInstant, END } from '../time/asked-time.ts';
import { shownTime } from '../time/shown-time.ts';
import { recordLines } from '../views/record.ts';
import { changeRecord, requireEarlier } from './change-record.ts';
import { asInPlace, heldSubscriptions, type Place, placeOf } from './held.ts';

type Stored = Answer<'exportSubscription'>['subscription'];

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
  if ((number === undefined) === (plate === undefined)) throw numberOrPlate();
  const place = await placeOf(office, municipality);
  const { terminal, json, language } = office;
  if (number !== undefined) {
    const found = await requireStored(office, place, number);
    if (json) terminal.json(found);
    else for (const text of recordLines(found, language, terminal.paint.columns)) terminal.data(text);
    return;
  }
  const held = await heldSubscriptions(office, place, plate ?? '');
  if (json) {
    terminal.json(held);
    return;
  }
  for (const [index, { municipality_code: _, ...line }] of held.entries()) {
    if (index > 0) terminal.data('');
    for (const text of recordLines(line, language, terminal.paint.columns)) terminal.data(text);
  }
}

interface ChangeOptions {
  readonly municipality?: string | undefined;
  readonly yes?: true | undefined;
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
  const place = await placeOf(office, options.municipality);
  const lookAgain = () => storedSubscription(office, place, number);
  if ((await lookAgain()) !== null) {
    throw new Stop(EXIT.refused, {
      en: `There is a subscription ${number} already. \`parking subscription show\` shows it.`,
      it: `C’è già un abbonamento ${number}. \`parking subscription show\` lo mostra.`,
    });
  }
  const after = {
    subscription_number: number,
    // The lowest: one of this number that counts its revisions is not replaced.
    revision: 0,
    type: options.type,
    plates: options.plate.map((plate) => ({ plate })),
    approval: 'approved',
    areas: options.area ?? 'all',
    periods: [await askedPeriod(office, place, options)],
  };
  await changeRecord(
    office,
    { kind: 'subscriptions', place, before: null, after, warning: '', name: number, lookAgain },
    options.yes ?? false,
  );
}

/** Renews a stored subscription: its line once more, with a further paid period. All else of it stays. */
export async function renewSubscription(
  office: Office,
  number: string,
  options: PeriodOptions,
): Promise<void> {
  const place = await placeOf(office, options.municipality);
  const before = await requireStored(office, place, number);
  const period = await askedPeriod(office, place, options);
  const after = { ...before, periods: [...before.periods, period] };
  const warning = obstacles(before, period.ends_at).map(office.say.bind(office)).join(' ');
  await changeRecord(
    office,
    {
      ...{ kind: 'subscriptions', place, before, after, warning, name: null },
      lookAgain: () => storedSubscription(office, place, number),
    },
    options.yes ?? false,
  );
}

/** Why a renewed subscription would still not hold until its end. */
function obstacles(stored: Stored, until: string): Text[] {
  const { revoked_at: revoked, authorized_until: authorized, approval } = stored;
  const isBefore = (at: string | null): at is string => at !== null && Date.parse(at) < Date.parse(until);
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

export interface EndOptions extends ChangeOptions {
  readonly at?: string | undefined;
}

/** Ends a stored subscription: its line once more, revoked. */
export async function endSubscription(office: Office, number: string, options: EndOptions): Promise<void> {
  const place = await placeOf(office, options.municipality);
  const before = await requireStored(office, place, number);
  const asked =
    options.at === undefined
      ? new Date().toISOString()
      : await askedInstant(office, options.at, place.code, END);
  const revoked_at = asInPlace(asked, place);
  requireEarlier(revoked_at, before.revoked_at);
  await changeRecord(
    office,
    {
      ...{ kind: 'subscriptions', place, before, after: { ...before, revoked_at } },
      ...{ warning: '', name: number },
      lookAgain: () => storedSubscription(office, place, number),
    },
    options.yes ?? false,
  );
}

async function askedPeriod(office: Office, place: Place, { from, until }: PeriodOptions) {
  return {
    starts_at: asInPlace(await askedInstant(office, from, place.code), place),
    ends_at: asInPlace(await askedInstant(office, until, place.code, END), place),
  };
}

/** A stored subscription with all its plates; null: there is none of this number. */
async function storedSubscription(office: Office, place: Place, number: string): Promise<Stored | null> {
  const input = { municipality_code: place.code, subscription_number: number };
  const found = await office.client.exportSubscription(input, office.call);
  if (found.ok) return found.answer.subscription;
  if (found.code === 'NOT_FOUND') return null;
  throw stopOf(found);
}

/** @throws Stop where there is none */
async function requireStored(office: Office, place: Place, number: string): Promise<Stored> {
  const found = await storedSubscription(office, place, number);
  if (found !== null) return found;
  throw new Stop(EXIT.refused, {
    en: `There is no subscription ${number}. \`parking subscription show --plate PLATE\` shows those of a plate.`,
    it: `Non c’è un abbonamento ${number}. \`parking subscription show --plate TARGA\` mostra quelli di una targa.`,
  });
}

const numberOrPlate = () =>
  wrongUsage({
    en: 'Give the number of a subscription, or --plate PLATE for those of a plate.',
    it: 'Indicare il numero di un abbonamento, oppure --plate TARGA per quelli di una targa.',
  });
