import { FREE_STREET, LARGE_FACILITY, PATROL_FACILITY, SMALL_FACILITY } from './configuration.ts';
import type { Holder, Tokens } from './credentials.ts';
import { OBJECTIONS, SHOWN, TORINO } from './plates.ts';

/** A call to try, and its outcome. */
interface Command {
  /** Whether `npm start` prints it. All commands are in `commands.sh`. */
  readonly isPrinted?: true;
  readonly title: string;
  readonly holder: Holder;
  readonly path: string;
  readonly body: object;
  /** Fields of the answer, by their paths, such as `warnings.0.code`. */
  readonly outcome: Readonly<Record<string, string | boolean | number>>;
}

/** When the commands were made, and when the officer made the checks that the objections are about. */
export interface Times {
  readonly now: string;
  readonly askedAt: string;
}

const PLATE_CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
export const TERMINAL = 'METER-17';
/** Has a subscription that the office granted, and that is unpaid until the sale is pasted. */
export const SALE_PLATE = 'DE401MO';
/** Long enough for every source of the city to have reported, so that waiting settles nothing. */
const LONG_MS = 90 * 60_000;

/** The commands that `npm start` offers: those that it prints first. */
export function commandsOf({ now, askedAt }: Times): readonly Command[] {
  return [
    {
      isPrinted: true,
      title: 'A car with a prepaid session comes to the gate',
      holder: 'barrier',
      path: PLATE_CHECK,
      body: { plate: 'DE 201 MO', area_code: LARGE_FACILITY, event: 'entry' },
      outcome: { access_granted: true, access_reason_code: 'VALID_PREPAID_FACILITY_SESSION' },
    },
    ...sale(now),
    {
      title: 'A widget asks how full the facilities of Torino are',
      holder: 'widget',
      path: '/api/v2/parking/reports/active-by-area',
      body: { municipality_code: TORINO, area_type: 'facility' },
      outcome: { areas_count: 36, 'capacity_totals.spaces_count': 14_692, 'rows.3.area.name': 'Bodoni' },
    },
    patrol(now),
    ...objections(askedAt),
    ...SHOWN.flatMap(({ plate, story, shows = {} }) =>
      Object.entries(shows).map(([question, code]) => shownBy(plate, `${plate}: ${story}`, question, code)),
    ),
  ];
}

/** A sale, with the plate check before and after it. The payment is recorded once, even if it is pasted twice. */
function sale(soldAt: string): readonly Command[] {
  const check = (title: string, isValid: boolean): Command => ({
    ...{ title, holder: 'office', path: PLATE_CHECK, body: { municipality_code: TORINO, plate: SALE_PLATE } },
    outcome: { has_valid_entitlement: isValid },
  });
  return [
    check('Before the sale: the office has granted a subscription, but it is not paid yet', false),
    {
      isPrinted: true,
      title: 'A sale. The parking meter asks what the plate can buy',
      holder: 'meter',
      path: OPTIONS,
      body: { plate: SALE_PLATE, terminal_code: TERMINAL },
      outcome: { result_code: 'OPTIONS_AVAILABLE', 'tariffe.0.importo_eurocent': 2_500 },
    },
    {
      isPrinted: true,
      title:
        'The driver has paid: a plate check says no before this (command 2), and yes after it (command 5)',
      holder: 'meter',
      path: '/api/v2/parking-meters/subscription-payments',
      body: {
        payment_id: `${TERMINAL}-${Date.parse(soldAt)}`,
        plate: SALE_PLATE,
        terminal_code: TERMINAL,
        codice_tariffa: '101',
        importo_eurocent: 2_500,
        collected_at: soldAt,
      },
      outcome: { result_code: 'PERIOD_CREATED', accepted: true },
    },
    check('After the sale', true),
  ];
}

/** An officer's round: a car for each finding that does not depend on the ordinary sessions. */
function patrol(now: string): Command {
  const seen_at = new Date(Date.parse(now) - LONG_MS).toISOString();
  const area_code = PATROL_FACILITY;
  return {
    title:
      'An officer’s round: a car has overstayed a little, one owes nothing, one may be paying, a permit was never paid, a payment could not be read, and one has nothing',
    holder: 'patrol',
    path: '/api/v2/patrol/checks',
    body: {
      checks: [
        { id: '1', plate: 'DE601MO', area_code },
        { id: '2', plate: 'QU 999 QU', area_code: FREE_STREET },
        { id: '3', plate: 'QU 998 QU', area_code },
        { id: '4', plate: 'DE602MO', area_code, seen_at },
        { id: '5', plate: 'DE603MO', area_code, seen_at },
        { id: '6', plate: 'QU 997 QU', area_code, seen_at },
      ],
    },
    outcome: {
      'results.0.finding': 'tolerated',
      'results.1.finding': 'not_due',
      'results.2.finding': 'look_again',
      'results.3.doubts.0.code': 'SUBSCRIPTION_MAY_BE_RENEWED',
      'results.4.doubts.0.code': 'LINE_REJECTED',
      'results.5.finding': 'no_entitlement',
    },
  };
}

const objections = (at: string): readonly Command[] =>
  OBJECTIONS.map(({ plate, story, objection: { event, then, now } }) => {
    const verdict = event === 'exit' ? 'access_granted' : 'has_valid_entitlement';
    return {
      title: `An objection: ${story}`,
      holder: 'clerk',
      path: '/api/v2/evidence/search',
      body: { plate, at, area_code: SMALL_FACILITY, event },
      outcome: { [`as_known_then.${verdict}`]: then, [`as_known_now.${verdict}`]: now, differs: true },
    };
  });

/** A question of the seed, such as `options`, `check` or `entry BOLZANO`, as a call. */
function shownBy(plate: string, title: string, question: string, code: string): Command {
  if (question === 'options') {
    const body = { plate, terminal_code: TERMINAL };
    return { title, holder: 'meter', path: OPTIONS, body, outcome: { result_code: code } };
  }
  const [event, area_code] = question.split(' ');
  const asked = { municipality_code: TORINO, plate, area_code };
  return {
    ...{ title, holder: 'office', path: PLATE_CHECK },
    ...(event === 'check'
      ? { body: asked, outcome: { 'subscriptions.0.reason_code': code } }
      : { body: { ...asked, event }, outcome: { access_reason_code: code } }),
  };
}

/** The command for a shell, to paste, with its outcome behind it. All its other lines are comments. */
export function scriptOf(command: Command, number: number, address: string, tokens: Tokens): string {
  const { title, holder, path, body, outcome } = command;
  const fields = Object.entries(outcome).map(([field, value]) => `${field}: ${value}`);
  return `# ${number}. ${title}
curl -s -w '\\n%{http_code}\\n' ${address}${path} \\
  -H 'Authorization: Bearer ${tokens[holder]}' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body)}'
# → ${['200', ...fields].join(', ')}
`;
}
