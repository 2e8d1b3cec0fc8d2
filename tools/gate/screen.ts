import type { Decision, GateEvent } from '../../clients/client/gate/index.ts';
import type { Car } from './cars.ts';

const ACTIONS: Readonly<Record<Decision['action'], string>> = {
  open: '▲ open',
  stay_shut: '▬ stay shut',
  ask_attendant: '? attendant',
};

/** The widths of the columns: a row fits a terminal of 80. */
const WIDTHS = { time: 9, plate: 11, event: 7, action: 12, basis: 8, took: 9 };

/** The heading of the rows. */
export const headingRow = (): string =>
  'time'.padEnd(WIDTHS.time) +
  'plate'.padEnd(WIDTHS.plate) +
  'event'.padEnd(WIDTHS.event) +
  'decision'.padEnd(WIDTHS.action) +
  'by'.padEnd(WIDTHS.basis) +
  'took'.padStart(WIDTHS.took - 2).padEnd(WIDTHS.took) +
  'list of';

/** A decision, in two lines: the action, and below it the reason and the car. */
export function decisionRow(car: Car, decision: Decision, at: Date, columns: number): string {
  const { action, basis, reasonCode, tookMs, listAsOf } = decision;
  const row =
    clock(at).padEnd(WIDTHS.time) +
    car.plate.padEnd(WIDTHS.plate) +
    car.event.padEnd(WIDTHS.event) +
    ACTIONS[action].padEnd(WIDTHS.action) +
    basis.padEnd(WIDTHS.basis) +
    `${tookMs} ms`.padStart(WIDTHS.took - 2).padEnd(WIDTHS.took) +
    (listAsOf === null ? '–' : clock(new Date(listAsOf)));
  const why = `${' '.repeat(WIDTHS.time)}${reasonCode}: ${car.story}`;
  return `${row}\n${fitting(why, columns)}`;
}

/** The line for an event besides decisions; null for an event that is not shown. */
export function eventRow(event: GateEvent, at: Date, columns: number): string | null {
  const said = wordsFor(event);
  if (said === null) return null;
  return fitting(`${clock(at).padEnd(WIDTHS.time)}── ${said}`, columns);
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

function fitting(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
}
