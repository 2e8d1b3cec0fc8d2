import type { Action, Decision } from '../../../clients/client/gate/index.ts';
import type { PassedOn } from './network.ts';
import { type Car, mayHold, surelyHolds } from './town.ts';

/** A decision, and what is known around it. Times are milliseconds since the epoch. */
export interface Decided {
  readonly car: Car;
  readonly decision: Decision;
  readonly whenUnknown: Action;
  /** Before the gate was asked, and after it had decided. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Whether the circuit was open when it was asked. */
  readonly circuitWasOpen: boolean;
  /** The instants of the lists that this gate has held so far. */
  readonly lists: ReadonlySet<string>;
  /** What the service said in this call, as the network passed it on. */
  readonly passedOn: PassedOn | undefined;
  /** How late this process's own timers were, at most: a machine that is busy is not the gate's fault. */
  readonly latenessMs: number;
}

/** A driver waits so long for the service, at most. */
export const ASK_WITHIN_MS = 1_000;
/** The service's `Date` has no fraction: a gate knows the service's time, by which it judges a list, to a second. */
const GATE_CLOCK_MS = 1_000;
/** What a decision takes besides waiting. */
const DECIDING_MS = 100;

/** What is wrong with a decision: nothing, if the gate is right. */
export function violations(decided: Decided): string[] {
  return CHECKS.filter(({ holds }) => !holds(decided)).map(({ name }) => name);
}

const CHECKS: readonly { readonly name: string; readonly holds: (decided: Decided) => boolean }[] = [
  {
    name: 'a car with a title that the last list had was kept out',
    holds: ({ car, decision, startedAt, endedAt }) =>
      decision.action === 'open' ||
      decision.listAsOf === null ||
      !surelyHolds(car, Date.parse(decision.listAsOf), startedAt - GATE_CLOCK_MS, endedAt + GATE_CLOCK_MS),
  },
  {
    name: 'a car with a title was kept out by the service',
    holds: ({ car, decision, startedAt, endedAt }) =>
      decision.basis !== 'service' ||
      decision.action === 'open' ||
      !surelyHolds(car, startedAt, startedAt, endedAt),
  },
  {
    name: 'a decision took longer than its time',
    holds: ({ decision, latenessMs }) => decision.tookMs <= ASK_WITHIN_MS + DECIDING_MS + latenessMs,
  },
  {
    name: 'a driver waited although the circuit was open',
    holds: ({ decision, circuitWasOpen, latenessMs }) =>
      !circuitWasOpen || decision.tookMs <= DECIDING_MS + latenessMs,
  },
  {
    name: '“stay shut” rests on a failure',
    holds: ({ decision, passedOn, whenUnknown }) =>
      decision.action !== 'stay_shut' ||
      (decision.basis === 'service' ? passedOn?.granted === false : whenUnknown === 'stay_shut'),
  },
  {
    name: 'what is said to be the service’s word is not',
    holds: ({ car, decision, passedOn }) =>
      decision.basis !== 'service' ||
      (passedOn !== undefined &&
        passedOn.plate === car.plate &&
        passedOn.granted === (decision.action === 'open')),
  },
  {
    name: 'what is said to be from the list is not',
    holds: ({ car, decision, startedAt, endedAt, lists }) =>
      decision.basis !== 'list' ||
      (decision.action === 'open' &&
        decision.listAsOf !== null &&
        lists.has(decision.listAsOf) &&
        mayHold(car, Date.parse(decision.listAsOf), startedAt - GATE_CLOCK_MS, endedAt + GATE_CLOCK_MS)),
  },
  {
    name: 'the policy was not followed',
    holds: ({ decision, whenUnknown }) => decision.basis !== 'policy' || decision.action === whenUnknown,
  },
];
