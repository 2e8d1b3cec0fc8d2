import {
  type AccessEvent,
  type AccessReasonCode,
  decideFacilityAccess,
} from '../../../src/domain/facility-access.ts';
import type { Instant } from '../../../src/domain/instant.ts';
import { contains } from '../../../src/domain/interval.ts';
import { instantOf, type ListEntry, type ListHeader } from '../list/wire.ts';

/** Why the list does not decide. */
export type UnknownCode =
  | 'UNKNOWN_INVALID_PLATE'
  | 'UNKNOWN_NO_LIST'
  | 'UNKNOWN_LIST_EXPIRED'
  | 'UNKNOWN_CLOCK'
  /** The service's own reason for not granting. */
  | `UNKNOWN_${AccessReasonCode}`;

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
  header: ListHeader,
  entries: readonly ListEntry[],
  event: AccessEvent,
  now: Instant,
): Conclusion {
  const asOf = instantOf(header.as_of);
  if (instantOf(header.valid_until) <= now) return unknown('UNKNOWN_LIST_EXPIRED');
  if (now < asOf - MAX_BEHIND_MS) return unknown('UNKNOWN_CLOCK');
  // Entries start no earlier than the list: a clock that is a little behind would miss valid ones.
  const at = now < asOf ? asOf : now;
  const { facility } = header;
  const decision = decideFacilityAccess(
    {
      event,
      facility: {
        serviceEnabled: facility.service_enabled,
        plateControlEnabled: facility.plate_control_enabled,
        subscriptionAccess: facility.subscription_access,
        entryGraceMinutes: facility.entry_grace_minutes,
        exitGraceMinutes: facility.exit_grace_minutes,
      },
      sessions: entries
        .filter((entry) => entry.kind === 'session')
        .map(({ from, until, cancelled_at = null }) => ({
          startsAt: instantOf(from),
          // The effective end: the source's limit for open sessions is not needed.
          endsAt: instantOf(until),
          cancelledAt: cancelled_at === null ? null : instantOf(cancelled_at),
          openSessionMaxHours: 0,
        })),
      holdsSubscription: entries.some(
        (entry) =>
          entry.kind === 'subscription' &&
          entry.valid.some(({ from, until }) =>
            contains({ from: instantOf(from), until: until === null ? null : instantOf(until) }, at),
          ),
      ),
    },
    at,
  );
  return decision.granted
    ? { granted: true, reasonCode: decision.reasonCode }
    : unknown(`UNKNOWN_${decision.reasonCode}`);
}

function unknown(reasonCode: UnknownCode): Conclusion {
  return { granted: false, reasonCode };
}
