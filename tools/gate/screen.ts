import type { Decision, GateEvent } from '../../clients/client/gate/index.ts';
import type { Car } from './cars.ts';

const ACTIONS: Readonly<Record<Decision['action'], string>> = {
  open: '▲ open',
  stay_shut: '▬ stay shut',
  ask_attendant: '? attendant',
};

/** A decision, in two lines: the action, and below it the reason and the car. */
export function decisionRow(car: Car, decision: Decision, at: Date): string {
  const { action, basis, reasonCode, tookMs, listAsOf } = decision;
  const list = listAsOf === null ? 'no list' : `list of ${clock(listAsOf)}`;
  const row = [clock(at), car.plate, car.event.padEnd(5), ACTIONS[action].padEnd(11), basis.padEnd(7)];
  return `${row.join('  ')}  ${`${tookMs} ms`.padStart(7)}  ${list}\n          ${reasonCode}: ${car.story}`;
}

/** The line for an event besides decisions; null for an event that is not shown. */
export function eventRow(event: GateEvent, at: Date): string | null {
  const said = wordsFor(event);
  return said && `${clock(at)}  ── ${said}`;
}

const CIRCUIT = {
  open: 'the service does not answer: from now on no driver waits for it',
  trial: 'the service answers a probe: the next car asks it',
  closed: 'the service is back',
};

function wordsFor(event: GateEvent): string | null {
  switch (event.type) {
    case 'circuit':
      return CIRCUIT[event.state];
    case 'list_refreshed':
      return event.mode === 'full'
        ? `the list is here: ${event.entries} entries, good until ${clock(event.validUntil)}`
        : `the list is up to date: ${event.changes} changes, ${event.entries} entries`;
    case 'list_failed':
      return `the list could not be refreshed: ${event.failure.code}`;
    case 'list_loaded':
      return `the list of the last run is here: ${event.entries} entries as of ${clock(event.asOf)}`;
    case 'stored_list_ignored':
      return `the list of the last run cannot be used: ${event.reason}`;
    case 'no_list':
    case 'store_failed':
      return event.message;
    case 'clock_differs':
      return `this machine's clock is ${Math.round(event.aheadMs / 1_000)} s ahead of the service's`;
    case 'clock_agrees':
      return "this machine's clock agrees with the service's again";
  }
}

/** The summary of the run. */
export function summary(decisions: readonly Decision[]): string {
  const groups = Object.groupBy(decisions, ({ action, basis }) => `${action} by ${basis}`);
  const each = Object.entries(groups).map(([key, those = []]) => `${those.length} ${key}`);
  return [`${decisions.length} cars`, ...each.sort()].join(', ');
}

const clock = (at: Date | string | number): string => new Date(at).toTimeString().slice(0, 8);
