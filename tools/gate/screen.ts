import type { Decision, GateEvent } from '../../clients/client/gate/index.ts';
import { marked } from '../../clients/parking/terminal/door.ts';
import type { Car } from './cars.ts';

/** Where to write, and whether in colours: only in a terminal without `NO_COLOR`. */
export interface Terminal {
  readonly colours: boolean;
  /** How wide a line may be. */
  readonly columns: number;
}

const ACTIONS = {
  open: { text: '▲ open', colour: 32 },
  stay_shut: { text: '▬ stay shut', colour: 31 },
  ask_attendant: { text: '? attendant', colour: 33 },
} as const satisfies Record<Decision['action'], { text: string; colour: number }>;
const DIM = 2;
const BOLD = 1;
const CYAN = 36;

/** The widths of the columns: a row fits a terminal of 80. */
const WIDTHS = { time: 9, plate: 11, event: 7, action: 12, basis: 8, took: 9 };

export function isColourful(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/** The heading of the rows. */
export function headingRow(terminal: Terminal): string {
  const row =
    'time'.padEnd(WIDTHS.time) +
    'plate'.padEnd(WIDTHS.plate) +
    'event'.padEnd(WIDTHS.event) +
    'decision'.padEnd(WIDTHS.action) +
    'by'.padEnd(WIDTHS.basis) +
    'took'.padStart(WIDTHS.took - 2).padEnd(WIDTHS.took) +
    'list of';
  return paint(row, BOLD, terminal);
}

/** A decision, in two lines: the action, and below it the reason and the car. */
export function decisionRow(car: Car, decision: Decision, at: Date, terminal: Terminal): string {
  const { action, basis, reasonCode, tookMs, listAsOf } = decision;
  const { text, colour } = ACTIONS[action];
  const row =
    clock(at).padEnd(WIDTHS.time) +
    car.plate.padEnd(WIDTHS.plate) +
    car.event.padEnd(WIDTHS.event) +
    paint(text.padEnd(WIDTHS.action), colour, terminal) +
    basis.padEnd(WIDTHS.basis) +
    `${tookMs} ms`.padStart(WIDTHS.took - 2).padEnd(WIDTHS.took) +
    (listAsOf === null ? '–' : clock(new Date(listAsOf)));
  const why = `${' '.repeat(WIDTHS.time)}${reasonCode}: ${car.story}`;
  return `${row}\n${paint(fitting(why, terminal), DIM, terminal)}`;
}

/** The line for an event besides decisions; null for an event that is not shown. */
export function eventRow(event: GateEvent, at: Date, terminal: Terminal): string | null {
  const said = wordsFor(event);
  if (said === null) return null;
  return paint(fitting(`${clock(at).padEnd(WIDTHS.time)}── ${said}`, terminal), CYAN, terminal);
}

function wordsFor(event: GateEvent): string | null {
  switch (event.type) {
    case 'circuit':
      return circuitWords(event.state, event.code);
    case 'list_refreshed':
      return (
        (event.mode === 'full'
          ? `the list is here: ${event.entries} entries, good until ${clock(new Date(event.validUntil))}`
          : `the list is up to date: ${event.changes} changes, ${event.entries} entries`) +
        (event.unreadable === 0 ? '' : `, and ${event.unreadable} that cannot be read`)
      );
    case 'list_failed':
      return `the list could not be refreshed: ${event.failure.code}`;
    case 'no_list':
      return event.message;
    case 'list_loaded':
      return `the list of the last run is here: ${event.entries} entries as of ${clock(new Date(event.asOf))}`;
    case 'stored_list_ignored':
      return `the list of the last run cannot be used: ${event.reason}`;
    case 'store_failed':
      return `the list cannot be kept: ${event.message}`;
    case 'clock_differs':
      return `this machine's clock is ${Math.round(event.aheadMs / 1_000)} s ahead of the service's`;
    case 'clock_agrees':
      return "this machine's clock agrees with the service's again";
  }
}

function circuitWords(state: 'open' | 'closed' | 'trial', code: string | null): string {
  switch (state) {
    case 'open':
      return `the service does not answer (${code}): from now on no driver waits for it`;
    case 'trial':
      return 'the service answers a probe: the next car asks it';
    case 'closed':
      return 'the service is back';
  }
}

/** The summary of the run. */
export function summary(decisions: readonly Decision[]): string {
  const counts = new Map<string, number>();
  for (const { action, basis } of decisions) {
    const key = `${action} by ${basis}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const each = [...counts].sort().map(([key, count]) => `${count} ${key}`);
  return `${decisions.length} cars${each.length === 0 ? '' : `: ${each.join(', ')}`}`;
}

function clock(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

function fitting(line: string, { columns }: Terminal): string {
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
}

function paint(text: string, code: number, { colours }: Terminal): string {
  return colours ? `${marked(`\u001b[${code}m`)}${text}${marked('\u001b[0m')}` : text;
}
