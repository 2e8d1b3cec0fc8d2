import {
  type AccessEvent,
  type AccessReasonCode,
  decideFacilityAccess,
} from '../../../src/domain/facility-access.ts';
import type { Instant } from '../../../src/domain/instant.ts';
import { contains } from '../../../src/domain/interval.ts';
import type { SessionTimes } from '../../../src/domain/parking-session.ts';
import type { HeldEntry, HeldSession, ListFacts } from './held-list.ts';

/** Why the list does not decide. */
export type UnknownCode =
  | 'UNKNOWN_INVALID_PLATE'
  | 'UNKNOWN_NO_LIST'
  | 'UNKNOWN_LIST_EXPIRED'
  | 'UNKNOWN_CLOCK'
  | `UNKNOWN_${Refusal}`;

type Grant =
  | 'VALID_SESSION_AND_SUBSCRIPTION'
  | 'VALID_PREPAID_FACILITY_SESSION'
  | 'VALID_FACILITY_SUBSCRIPTION';
type Refusal = Exclude<AccessReasonCode, Grant>;

/** A list either grants or does not know: a purchase may not have reached it yet. It never says no. */
export type Conclusion =
  | { readonly granted: true; readonly reasonCode: AccessReasonCode }
  | { readonly granted: false; readonly reasonCode: UnknownCode };

/** How far the clock may be behind the list before the gate distrusts it. */
const MAX_BEHIND_MS = 30_000;

/**
 * What a gate may conclude from its list: the service's own rule over the entries of a plate.
 *
 * @param entries the plate's entries in the list
 * @param now the gate's best estimate of the service's time
 */
export function conclude(
  facts: ListFacts,
  entries: readonly HeldEntry[],
  event: AccessEvent,
  now: Instant,
): Conclusion {
  if (facts.validUntil <= now) return unknown('UNKNOWN_LIST_EXPIRED');
  if (now < facts.asOf - MAX_BEHIND_MS) return unknown('UNKNOWN_CLOCK');
  // Entries start no earlier than the list: a clock that is a little behind would miss valid ones.
  const at = now < facts.asOf ? facts.asOf : now;
  const decision = decideFacilityAccess(
    {
      event,
      facility: facts.facility,
      sessions: entries.filter(isSession).map(timesOf),
      holdsSubscription: entries.some(
        (entry) => entry.kind === 'subscription' && entry.valid.some((span) => contains(span, at)),
      ),
    },
    at,
  );
  return decision.granted
    ? { granted: true, reasonCode: decision.reasonCode }
    : unknown(`UNKNOWN_${refusalOf(decision.reasonCode)}`);
}

function isSession(entry: HeldEntry): entry is HeldSession {
  return entry.kind === 'session';
}

/** The list gives the effective end, so the source's limit for open sessions is not needed. */
function timesOf({ from, until, cancelledAt }: HeldSession): SessionTimes {
  return { startsAt: from, endsAt: until, cancelledAt, openSessionMaxHours: 0 };
}

/** The reason of a decision that does not grant. */
function refusalOf(code: AccessReasonCode): Refusal {
  switch (code) {
    case 'VALID_SESSION_AND_SUBSCRIPTION':
    case 'VALID_PREPAID_FACILITY_SESSION':
    case 'VALID_FACILITY_SUBSCRIPTION':
      throw new Error(`${code} does not refuse`);
    default:
      return code;
  }
}

function unknown(reasonCode: UnknownCode): Conclusion {
  return { granted: false, reasonCode };
}
