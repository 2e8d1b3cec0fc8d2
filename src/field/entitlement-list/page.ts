import { type Instant, instant, MINUTE_MS } from '../../domain/instant.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { HeaderLine, ListLine } from './contract.ts';
import { writeCursor } from './cursor.ts';
import { type List, type Row, readRows } from './entries.ts';

/** The most bytes of an answer: a line of a subscription may have hundreds of intervals. */
const MAX_BYTES = 1024 * 1024;
/** The most reads of an answer, which ends early where few rows are of the facility. */
const MAX_READS = 24;

/** The next page of a list: a header, at most `limit` lines and 1 MiB of entries and removals, one at least, and an end. */
export async function writePage(d1: D1Database, list: List, limit: number): Promise<string> {
  const { state } = list;
  const header = written(headerLine(list));
  const lines: string[] = [];
  let bytes = header.length;
  /** Adds a row's line, and says whether it had room. */
  const add = ({ line }: Row): boolean => {
    const added = line();
    if (added === null) return true;
    const text = written(added);
    // Hashes and instants: each character is a byte.
    bytes += text.length;
    const hasRoom = lines.length < limit && (bytes <= MAX_BYTES || lines.length === 0);
    if (hasRoom) lines.push(text);
    return hasRoom;
  };
  let { position } = state;
  for (let reads = 0; position !== null && reads < MAX_READS; reads += 1) {
    const { rows, behind } = await readRows(d1, list, position);
    const next = rows.findIndex((row) => !add(row));
    position = next < 0 ? behind : { ...position, after: rows[next - 1]?.after ?? position.after };
    if (next >= 0) break;
  }
  const end = { cursor: writeCursor({ ...state, position }), more: position !== null, lines: lines.length };
  return [header, ...lines, written({ type: 'end', ...end })].join('');
}

/** A line of newline-delimited JSON. */
const written = (line: ListLine): string => `${JSON.stringify(line)}\n`;

/** The first line of an answer, instants in the municipality's time zone. */
function headerLine({ municipality, facility, keys, state: { asOf, since } }: List): HeaderLine {
  const written = (at: Instant) => formatInstant(at, municipality.timeZone);
  return {
    type: 'list',
    version: 1,
    mode: since === null ? 'full' : 'delta',
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
