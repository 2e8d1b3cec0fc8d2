import { type Instant, parseInstant } from '../../src/domain/instant.ts';
import type { ParkingSession } from '../../src/domain/parking-session.ts';
import { normalizePlate, type Plate } from '../../src/domain/plate.ts';
import type { Subscription } from '../../src/domain/subscription.ts';
import type { SessionLine, SubscriptionLine } from '../../tools/local/demo/lines.ts';

/** What the service knows once it has imported a session's line. */
export function sessionOf(line: SessionLine, sourceCode: string, openSessionMaxHours = 72): ParkingSession {
  return {
    sessionId: line.session_id,
    plate: plateIn(line.plate),
    area: { code: line.area_code, name: line.area_code },
    sourceCode,
    startsAt: time(line.starts_at),
    endsAt: timeOrNull(line.ends_at),
    cancelledAt: timeOrNull(line.cancelled_at),
    openSessionMaxHours,
  };
}

/** What the service knows, for one of its plates, once it has imported a subscription's line. */
export function subscriptionOf(line: SubscriptionLine, plate: string): Subscription {
  const own = line.plates.filter((entry) => entry.plate === plate);
  return {
    subscriptionNumber: line.subscription_number,
    plate: plateIn(plate),
    plateValidity: own.map(({ valid_from, valid_until }) => ({
      from: timeOrNull(valid_from),
      until: timeOrNull(valid_until),
    })),
    approval: line.approval,
    authorized: { from: timeOrNull(line.authorized_from), until: timeOrNull(line.authorized_until) },
    suspended: line.suspended_from
      ? { from: time(line.suspended_from), until: timeOrNull(line.suspended_until) }
      : null,
    revokedAt: timeOrNull(line.revoked_at),
    periods: line.periods.map(({ starts_at, ends_at }) => ({
      startsAt: time(starts_at),
      endsAt: time(ends_at),
    })),
    areas: line.areas,
  };
}

export function time(text: string): Instant {
  const at = parseInstant(text);
  if (at === null) throw new Error(`no instant: ${text}`);
  return at;
}

function timeOrNull(text: string | null | undefined): Instant | null {
  return text ? time(text) : null;
}

function plateIn(text: string): Plate {
  const plate = normalizePlate(text);
  if (plate === null) throw new Error(`no plate: ${text}`);
  return plate;
}
