import { instant } from '../../../src/domain/instant.ts';
import { formatInstant } from '../../../src/domain/zoned-time.ts';
import { readTime, Zone } from '../../tables/index.ts';
import { EXIT } from '../exit-codes.ts';
import { municipalityFacts } from '../municipality-facts.ts';
import type { Office } from '../office.ts';
import { Stop, wrongUsage } from '../stop.ts';
import { type Closing, closingCsv, closingLines, type TerminalClosing } from '../views/closing.ts';
import { areEqual, type Found, findPayments, type Payment, totalsOf, type Window } from './find-payments.ts';
import { requireMunicipality } from './municipality.ts';

export interface ClosingOptions {
  readonly municipality?: string | undefined;
  readonly csv?: true | undefined;
}

/** A payment may arrive between two pages. */
const MAX_READINGS = 3;

/** Prints the closing of a day, terminal by terminal. */
export async function closeDay(
  office: Office,
  given: string | undefined,
  { municipality, csv }: ClosingOptions,
): Promise<void> {
  const { terminal, json, language } = office;
  if (json && csv) throw oneForm();
  const code = requireMunicipality(office, municipality);
  const { day, from, until } = await askedDay(office, given, code);
  const { payments, totals } = await findWhole(office, { municipality_code: code, from, until });
  const closing: Closing = {
    ...{ municipality_code: code, day, from, until },
    ...{ terminals: byTerminal(payments), totals },
  };
  if (json) {
    terminal.json(closing);
    return;
  }
  const lines = csv ? closingCsv(closing, language) : closingLines(closing, language, terminal.paint);
  for (const line of lines) terminal.data(line);
}

/** The payments of a window whose sums are the service's totals. */
async function findWhole(office: Office, window: Window): Promise<Found> {
  for (let reading = 1; reading <= MAX_READINGS; reading += 1) {
    const found = await findPayments(office, window);
    if (areEqual(totalsOf(found.payments), found.totals)) return found;
  }
  throw keepsChanging();
}

function byTerminal(payments: readonly Payment[]): TerminalClosing[] {
  const terminals = new Set(payments.map(({ terminal_code: code }) => code ?? null));
  return [...terminals]
    .map((terminal_code) => ({
      terminal_code,
      totals: totalsOf(payments.filter(({ terminal_code: code }) => (code ?? null) === terminal_code)),
    }))
    .sort((one, other) => ((one.terminal_code ?? '') < (other.terminal_code ?? '') ? -1 : 1));
}

/** A day of the municipality, from midnight to midnight. Without one: today. */
async function askedDay(office: Office, given: string | undefined, code: string) {
  const { timezone } = await municipalityFacts(office, code);
  if (timezone === null) throw noZone();
  const dateOf = (at: string): string =>
    formatInstant(instant(Date.parse(at)), timezone).slice(0, 'YYYY-MM-DD'.length);
  const text = given ?? dateOf(new Date().toISOString());
  const rules = { zone: new Zone(timezone), dateOrder: 'dmy', endDates: 'included' } as const;
  const [from, until] = [false, true].map((isEnd) => {
    const reading = readTime(text, rules, { side: 'earlier', isEnd });
    if (reading.trouble === undefined) return reading.at;
    throw wrongUsage({ en: `${text} ${reading.trouble.en}`, it: `${text} ${reading.trouble.it}` });
  });
  if (from === undefined || until === undefined || from === until) throw noDay(text);
  return { day: dateOf(from), from, until };
}

const oneForm = () => wrongUsage({ en: 'Choose --csv or --json.', it: 'Scegliere --csv oppure --json.' });

const noDay = (text: string) =>
  wrongUsage({
    en: `Give a day, such as 24/11/2026, without a time. This has one: ${text}`,
    it: `Indicare un giorno, come 24/11/2026, senza ora. Qui c’è: ${text}`,
  });

const noZone = () =>
  wrongUsage({
    en: 'The municipality’s time zone is not known: its configuration cannot be read.',
    it: 'Il fuso orario del comune non è noto: la configurazione non si può leggere.',
  });

const keepsChanging = () =>
  new Stop(EXIT.unavailable, {
    en: 'Payments of this day kept arriving while they were read. Try again.',
    it: 'Durante la lettura continuavano ad arrivare pagamenti di questo giorno. Riprovare.',
  });
