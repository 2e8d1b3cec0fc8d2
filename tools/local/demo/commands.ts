import type { Holder, Tokens } from './credentials.ts';
import { evidenceBody, OBJECTIONS } from './objections.ts';
import { patrolRound } from './patrol-street.ts';
import { saleOf } from './sale.ts';
import { SHOWCASE_CITY } from './showcase.ts';

/** A call to try, and its outcome. */
export interface Command {
  /** Whether `npm start` prints it. All commands are in `commands.sh`. */
  readonly isPrinted?: true;
  readonly title: string;
  readonly holder: Exclude<Holder, 'importer'>;
  readonly path: string;
  readonly body: object;
  /** Fields of the answer, by their paths, such as `warnings.0.code`. */
  readonly outcome: Readonly<Record<string, string | boolean | number>>;
}

const PLATE_CHECK = '/api/v2/parking-entitlements/search';

const COMMANDS: readonly Command[] = [
  {
    isPrinted: true,
    title: 'A car with a prepaid session comes to the gate',
    holder: 'barrier',
    path: PLATE_CHECK,
    body: { plate: 'DE 201 MO', area_code: 'BOLZANO', event: 'entry' },
    outcome: { access_granted: true, access_reason_code: 'VALID_PREPAID_FACILITY_SESSION' },
  },
  {
    title:
      'It comes ten minutes early, within the entry tolerance: the gate opens, though nothing is valid yet',
    holder: 'barrier',
    path: PLATE_CHECK,
    body: { plate: 'DE 202 MO', area_code: 'BOLZANO', event: 'entry' },
    outcome: {
      access_granted: true,
      access_reason_code: 'VALID_PREPAID_FACILITY_SESSION',
      has_valid_entitlement: false,
    },
  },
  {
    title: 'It comes hours too late',
    holder: 'barrier',
    path: PLATE_CHECK,
    body: { plate: 'DE 208 MO', area_code: 'BOLZANO', event: 'entry' },
    outcome: { access_granted: false, access_reason_code: 'SESSION_EXPIRED' },
  },
  {
    title: 'A subscription of one facility, checked without an area: it cannot be confirmed',
    holder: 'office',
    path: PLATE_CHECK,
    body: { municipality_code: SHOWCASE_CITY, plate: 'DE 109 MO' },
    outcome: {
      has_valid_entitlement: false,
      verification_complete: false,
      'warnings.0.code': 'AREA_CODE_REQUIRED',
    },
  },
  {
    title: 'A widget asks how full the facilities of Torino are',
    holder: 'widget',
    path: '/api/v2/parking/reports/active-by-area',
    body: { municipality_code: SHOWCASE_CITY, area_type: 'facility' },
    outcome: { areas_count: 36, 'capacity_totals.spaces_count': 14_692, 'rows.3.area.name': 'Bodoni' },
  },
];

/**
 * The commands that `npm start` offers.
 *
 * @param askedAt when the officer made the checks that the clerk's objections are about
 * @param soldAt when the meter collected the money of the sale
 */
export const commandsOf = (askedAt: string, soldAt: string): Command[] => [
  ...COMMANDS,
  ...saleOf(soldAt),
  patrolRound(soldAt),
  ...OBJECTIONS.map(
    (objection): Command => ({
      title: objection.title,
      holder: 'clerk',
      path: '/api/v2/evidence/search',
      body: evidenceBody(objection, askedAt),
      outcome: objection.outcome,
    }),
  ),
];

/** The command for a shell, to paste. */
export function curlOf(command: Command, address: string, tokens: Tokens): string {
  return [
    `curl -s -w '\\n%{http_code}\\n' ${address}${command.path}`,
    `  -H 'Authorization: Bearer ${tokens[command.holder]}'`,
    `  -H 'Content-Type: application/json'`,
    `  -d '${JSON.stringify(command.body)}'`,
  ].join(' \\\n');
}

/** A short text of the command's outcome. */
export function outcomeOf({ outcome }: Command): string {
  return ['200', ...Object.entries(outcome).map(([field, value]) => `${field}: ${value}`)].join(', ');
}
