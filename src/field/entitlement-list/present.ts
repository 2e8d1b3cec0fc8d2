import { type Instant, instant, MINUTE_MS } from '../../domain/instant.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { HeaderLine, ListLine, RemovedLine, SessionLine, SubscriptionLine } from './contract.ts';
import type { ListedChange, ListScope } from './entries.ts';
import type { ListKeys } from './keys.ts';

/** A line of newline-delimited JSON. */
export const writtenLine = (line: ListLine): string => `${JSON.stringify(line)}\n`;

/** The first line of an answer, instants in the municipality's time zone. */
export function headerLine(
  mode: HeaderLine['mode'],
  asOf: Instant,
  { municipality, facility }: ListScope,
  keys: ListKeys,
): HeaderLine {
  const written = (at: Instant) => formatInstant(at, municipality.timeZone);
  return {
    type: 'list',
    version: 1,
    mode,
    municipality_code: municipality.code,
    area_code: facility.code,
    as_of: written(asOf),
    valid_until: written(instant(asOf + facility.offlineMinutes * MINUTE_MS)),
    refresh_after_seconds: 60,
    full_after_seconds: 86_400,
    plate_hash: { algorithm: 'HMAC-SHA-256', bits: 96, key_id: keys.plateKeyId },
    facility: {
      service_enabled: facility.serviceEnabled,
      plate_control_enabled: facility.plateControlEnabled,
      subscription_access: facility.subscriptionAccess,
      entry_grace_minutes: facility.entryGraceMinutes,
      exit_grace_minutes: facility.exitGraceMinutes,
    },
  };
}

/** The line of an entry or a removal. */
export function changeLine(
  { right, entry }: ListedChange,
  { municipality }: ListScope,
  keys: ListKeys,
): SessionLine | SubscriptionLine | RemovedLine {
  const id = keys.entryId(right);
  if (entry === null) return { type: 'removed', id };
  const written = (at: Instant) => formatInstant(at, municipality.timeZone);
  const plate = keys.plateHash(entry.plate);
  if (entry.kind === 'session') {
    return {
      type: 'entry',
      id,
      plate,
      kind: 'session',
      from: written(entry.from),
      until: written(entry.until),
      ...(entry.cancelledAt !== null && { cancelled_at: written(entry.cancelledAt) }),
    };
  }
  return {
    type: 'entry',
    id,
    plate,
    kind: 'subscription',
    valid: entry.valid.map(({ from, until }) => ({
      from: written(from),
      until: until === null ? null : written(until),
    })),
  };
}
