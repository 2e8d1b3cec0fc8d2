import { EXIT } from '../exit-codes.ts';
import type { Office } from '../office.ts';
import { Stop } from '../stop.ts';
import { askedInstant, END } from '../time/asked-time.ts';
import { recordLines } from '../views/record.ts';
import { changeRecord, requireEarlier } from './change-record.ts';
import { asInPlace, type HeldSubscription, heldSubscriptions, type Place, placeOf } from './held.ts';

/** Prints the stored subscriptions of a plate. */
export async function showSubscriptions(
  office: Office,
  plate: string,
  given: string | undefined,
): Promise<void> {
  const held = await heldSubscriptions(office, await placeOf(office, given), [plate]);
  const { terminal, json, language } = office;
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
  readonly plate: readonly string[];
  readonly municipality?: string | undefined;
  readonly yes?: true | undefined;
}

export interface AddOptions extends ChangeOptions {
  readonly type: string;
  readonly from: string;
  readonly until: string;
  readonly area?: readonly string[] | undefined;
}

/** Adds a subscription. Only of its own plates can be seen whether its number is new. */
export async function addSubscription(office: Office, number: string, options: AddOptions): Promise<void> {
  const place = await placeOf(office, options.municipality);
  const find = () => stored(office, place, number, options.plate);
  if ((await find()) !== null) {
    throw new Stop(EXIT.refused, {
      en: `There is a subscription ${number} already. \`parking subscription show\` shows it.`,
      it: `C’è già un abbonamento ${number}. \`parking subscription show\` lo mostra.`,
    });
  }
  const starts_at = asInPlace(await askedInstant(office, options.from, place.code), place);
  const ends_at = asInPlace(await askedInstant(office, options.until, place.code, END), place);
  const after = {
    subscription_number: number,
    // The lowest: one of this number that counts its revisions is not replaced.
    revision: 0,
    type: options.type,
    plates: options.plate.map((plate) => ({ plate })),
    approval: 'approved',
    areas: options.area ?? 'all',
    periods: [{ starts_at, ends_at }],
  };
  const warning = office.say({
    en: `If other plates have a subscription ${number}, this one replaces it: that cannot be looked up.`,
    it: `Se altre targhe hanno un abbonamento ${number}, questo lo sostituisce: non è possibile verificarlo.`,
  });
  await changeRecord(
    office,
    { kind: 'subscriptions', place, before: null, after, warning, name: number, lookAgain: find },
    options.yes ?? false,
  );
}

export interface EndOptions extends ChangeOptions {
  readonly at?: string | undefined;
}

/** Ends a stored subscription: its line once more, revoked. */
export async function endSubscription(office: Office, number: string, options: EndOptions): Promise<void> {
  const place = await placeOf(office, options.municipality);
  const find = () => stored(office, place, number, options.plate);
  const before = await find();
  if (before === null) {
    throw new Stop(EXIT.refused, {
      en: `These plates have no subscription ${number}. \`parking subscription show\` shows what they have.`,
      it: `Queste targhe non hanno un abbonamento ${number}. \`parking subscription show\` mostra quelli che hanno.`,
    });
  }
  const asked =
    options.at === undefined
      ? new Date().toISOString()
      : await askedInstant(office, options.at, place.code, END);
  const revoked_at = asInPlace(asked, place);
  requireEarlier(revoked_at, before.revoked_at);
  const warning = office.say({
    en: 'It will have these plates and no other one: a plate of it that was not named loses it at once, for the past too.',
    it: 'Avrà queste targhe e nessun’altra: una sua targa non indicata lo perde subito, anche per il passato.',
  });
  await changeRecord(
    office,
    {
      ...{ kind: 'subscriptions', place, before, after: { ...before, revoked_at }, warning },
      ...{ name: number, lookAgain: find },
    },
    options.yes ?? false,
  );
}

/** A stored subscription with the plates that were named; null: none of them is on it. */
async function stored(
  office: Office,
  place: Place,
  number: string,
  plates: readonly string[],
): Promise<Omit<HeldSubscription, 'municipality_code'> | null> {
  const held = await heldSubscriptions(office, place, plates);
  const found = held.find(({ subscription_number }) => subscription_number === number);
  if (found === undefined) return null;
  const { municipality_code: _, ...line } = found;
  return line;
}
