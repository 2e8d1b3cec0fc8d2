import { type Instant, instant, MINUTE_MS } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { ListedChange, ListScope } from './changes.ts';
import type {
  EndLine,
  HeaderLine,
  ListLine,
  RemovedLine,
  SessionLine,
  SubscriptionLine,
} from './contract.ts';
import type { ListKeys } from './keys.ts';

/** The lines of an answer, and its mode. */
export interface ListAnswer {
  readonly mode: HeaderLine['mode'];
  readonly asOf: Instant;
  readonly changes: readonly ListedChange[];
  readonly cursor: string;
  readonly more: boolean;
}

/** The number of lines to hash and write before other calls of this isolate get their turn. */
const AT_ONCE = 1_000;
/** No line of an entry has fewer bytes. */
const SHORTEST_ENTRY = 150;
/** The most bytes of an answer, with its header and end: a line of a subscription may have hundreds of intervals. */
const MAX_BYTES = 1024 * 1024;

/** The answer, or the number of lines that have room in one. */
type ListPage = { readonly list: string } | { readonly fitting: number };

/**
 * Writes the answer as newline-delimited JSON: a header, a line for each entry or removal, an end. One line always fits.
 *
 * @param lines lines already written for an answer that had no room
 */
export async function presentList(
  answer: ListAnswer,
  scope: ListScope,
  keys: ListKeys,
  lines: Map<ListedChange, string>,
): Promise<ListPage> {
  const { changes, cursor, more } = answer;
  const written: string[] = [writtenLine(headerOf(answer, scope, keys))];
  const end = writtenLine({ type: 'end', cursor, more, lines: changes.length } satisfies EndLine);
  let bytes = bytesOf(written[0] ?? '') + bytesOf(end);
  for (let from = 0, items: typeof changes; from < changes.length; from += items.length) {
    // At most as many as may fit.
    const most = Math.min(AT_ONCE, Math.ceil((MAX_BYTES - bytes) / SHORTEST_ENTRY));
    items = changes.slice(from, from + Math.max(1, most));
    const unwritten = items.filter((item) => !lines.has(item));
    if (unwritten.length > 0) {
      writeLines(unwritten, scope, keys, lines);
      await scheduler.wait(0);
    }
    for (const item of items) {
      const line = lines.get(item) ?? '';
      // Hashes and instants: each character is a byte.
      bytes += line.length;
      if (bytes > MAX_BYTES && written.length > 1) {
        return { fitting: written.length - 1 };
      }
      written.push(line);
    }
  }
  return { list: [...written, end].join('') };
}

const writtenLine = (line: ListLine): string => `${JSON.stringify(line)}\n`;

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

function headerOf(
  { mode, asOf }: ListAnswer,
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

function writeLines(
  items: readonly ListedChange[],
  { municipality }: ListScope,
  keys: ListKeys,
  lines: Map<ListedChange, string>,
): void {
  const ids = keys.entryIds(items.map(({ right }) => right));
  const hashes = keys.plateHashes(items.flatMap(({ entry }) => entry?.plate ?? []));
  for (const [index, item] of items.entries()) {
    lines.set(item, writtenLine(lineOf(item.entry, ids[index] ?? '', hashes, municipality.timeZone)));
  }
}

function lineOf(
  entry: ListedChange['entry'],
  id: string,
  hashes: ReadonlyMap<Plate, string>,
  timeZone: string,
): SessionLine | SubscriptionLine | RemovedLine {
  if (entry === null) {
    return { type: 'removed', id };
  }
  const written = (at: Instant) => formatInstant(at, timeZone);
  const plate = hashes.get(entry.plate) ?? '';
  switch (entry.kind) {
    case 'session':
      return {
        type: 'entry',
        id,
        plate,
        kind: 'session',
        from: written(entry.from),
        until: written(entry.until),
        ...(entry.cancelledAt !== null && { cancelled_at: written(entry.cancelledAt) }),
      };
    case 'subscription':
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
    default:
      return entry satisfies never;
  }
}
