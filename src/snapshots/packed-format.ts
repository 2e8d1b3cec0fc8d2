import * as z from 'zod';
import { AREA_TYPES } from '../db/schema/configuration.ts';
import { instant, isWritable, nullableInstant } from '../domain/instant.ts';
import type { Counters } from '../domain/occupancy.ts';
import { isTimeZone } from '../domain/zoned-time.ts';
import type { AreaDetails, Snapshot, SnapshotArea } from './snapshot.ts';

/*
 * What is in KV:
 *
 * | key           | value                                                          | written by                     |
 * |---------------|----------------------------------------------------------------|--------------------------------|
 * | `minute:<n>`  | the snapshots of the municipalities in pack n, 0 to 31         | that run, and configurations   |
 * | `public`      | the directory of public municipalities: `public-directory.ts`  | that run, and configurations   |
 * | `refreshed`   | the instant of the last whole run: `last-refresh.ts`           | that run                       |
 * | `spot:<code>` | the snapshot of one municipality, for some minutes             | a report that found none       |
 *
 * A value is text: a line with the version, then a line of JSON for each municipality, which begins with its code and
 * has the shape of `packedSnapshot`. To read one municipality, only its line is parsed. Instants are milliseconds since
 * the epoch. A value of another version, or one that does not parse, counts as missing.
 *
 * With 32 packs a run costs 32 writes, whether there are 200 municipalities or 1,000.
 */
const VERSION_LINE = 'snapshots/5';
const PACKS = 32;

/** The key of the pack that a municipality is in. It depends on the code alone. */
export function packKey(code: string): string {
  // FNV-1a: spreads codes that differ in a single character.
  let hash = 0x811c9dc5;
  for (let index = 0; index < code.length; index += 1) {
    hash = Math.imul(hash ^ code.charCodeAt(index), 0x01000193) >>> 0;
  }
  return `minute:${hash % PACKS}`;
}

/** The key of a snapshot that was computed on demand, for a report. */
export const onDemandKey = (code: string): string => `spot:${code}`;

const id = z.int().min(1);
const count = z.int().min(0);
/** An instant whose year has four digits in any zone. */
const ms = z.int().refine(isWritable);
/** A zone that this runtime knows: no report can be written in any other. */
const timeZone = z.string().refine(isTimeZone);

/** Active now, after 30, after 60; ending within 30, between 30 and 60. */
const packedCounters = z.tuple([count, count, count, count, count]);

const packedSource = z.tuple([
  id,
  z.string(),
  z.string(),
  /** Category. */
  z.string(),
  /** Active. */
  z.boolean(),
  /** Is system. */
  z.boolean(),
  /** Stale after, in minutes. */
  count,
  /** Outcome of its last import. */
  z.enum(['succeeded', 'failed']).nullable(),
  /** When an import last succeeded. */
  ms.nullable(),
]);

const text = z.string().nullable();

/** Address, website, price note; greatest height in centimetres, spaces for disabled drivers, for charging; closed until; payment due, and when that changes. */
const packedDetails = z.tuple([
  text,
  text,
  text,
  count.nullable(),
  count.nullable(),
  count.nullable(),
  ms.nullable(),
  z.boolean(),
  ms.nullable(),
]);

const packedArea = z.tuple([
  id,
  z.string(),
  z.string(),
  z.enum(AREA_TYPES),
  /** Capacity. */
  count.nullable(),
  /** Latitude and longitude. */
  z.tuple([z.number(), z.number()]).nullable(),
  /** Null: none is configured. */
  packedDetails.nullable(),
  packedCounters,
  /** The counters of each source that has vehicles there, by its id. */
  z.array(z.tuple([id, packedCounters])),
]);

const packedSnapshot = z.tuple([
  z.string(),
  /** At. */
  ms,
  /** Computed at. */
  ms,
  /** Id, name, time zone, country, tenant's id, tenant active, report enabled, greatest age for the public in minutes. */
  z.tuple([id, z.string(), timeZone, z.string(), id, z.boolean(), z.boolean(), count]),
  z.array(packedSource),
  z.array(packedArea),
]);

type PackedCounters = z.infer<typeof packedCounters>;
type PackedDetails = z.infer<typeof packedDetails>;
type PackedArea = z.infer<typeof packedArea>;

/** The line of a snapshot. */
export function packSnapshot({ at, computedAt, municipality, sources, areas }: Snapshot): string {
  const {
    code,
    id: municipalityId,
    name,
    timeZone,
    country,
    tenantId,
    tenantActive,
    reportEnabled,
    publicMaxAgeMinutes,
  } = municipality;
  const packed: z.infer<typeof packedSnapshot> = [
    code,
    at,
    computedAt,
    [municipalityId, name, timeZone, country, tenantId, tenantActive, reportEnabled, publicMaxAgeMinutes],
    sources.map((source) => [
      source.id,
      source.code,
      source.name,
      source.category,
      source.active,
      source.isSystem,
      source.staleAfterMinutes,
      source.lastOutcome,
      source.lastSuccessfulAt,
    ]),
    areas.map((area) => [
      area.id,
      area.code,
      area.name,
      area.areaType,
      area.capacity,
      area.coordinates && [area.coordinates.latitude, area.coordinates.longitude],
      packDetails(area.details),
      packCounters(area.all),
      [...area.bySource].map(([sourceId, counters]) => [sourceId, packCounters(counters)]),
    ]),
  ];
  return JSON.stringify(packed);
}

/**
 * Reads a line back into a snapshot.
 *
 * @throws Error when it is not JSON, or not of this shape
 */
export function unpackSnapshot(line: string): Snapshot {
  const [code, at, computedAt, municipality, sources, areas] = packedSnapshot.parse(JSON.parse(line));
  const [
    municipalityId,
    name,
    timeZone,
    country,
    tenantId,
    tenantActive,
    reportEnabled,
    publicMaxAgeMinutes,
  ] = municipality;
  return {
    at: instant(at),
    computedAt: instant(computedAt),
    municipality: {
      id: municipalityId,
      code,
      name,
      timeZone,
      country,
      tenantId,
      tenantActive,
      reportEnabled,
      publicMaxAgeMinutes,
    },
    sources: sources.map(
      ([sourceId, sourceCode, sourceName, category, active, isSystem, stale, outcome, success]) => ({
        id: sourceId,
        code: sourceCode,
        name: sourceName,
        category,
        active,
        isSystem,
        staleAfterMinutes: stale,
        lastOutcome: outcome,
        lastSuccessfulAt: nullableInstant(success),
      }),
    ),
    areas: areas.map(unpackArea),
  };
}

function unpackArea(packed: PackedArea): SnapshotArea {
  const [areaId, code, name, areaType, capacity, coordinates, details, all, bySource] = packed;
  return {
    id: areaId,
    code,
    name,
    areaType,
    capacity,
    coordinates: coordinates && { latitude: coordinates[0], longitude: coordinates[1] },
    details: unpackDetails(details),
    all: unpackCounters(all),
    bySource: new Map(bySource.map(([sourceId, counters]) => [sourceId, unpackCounters(counters)])),
  };
}

/** Most areas have none. */
function packDetails(details: AreaDetails): PackedDetails | null {
  const { address, website, priceNote, maxHeightCm, disabledSpaces, chargingSpaces } = details;
  const { closedUntil, paymentDue, paymentDueChangesAt } = details;
  const packed: PackedDetails = [
    address,
    website,
    priceNote,
    maxHeightCm,
    disabledSpaces,
    chargingSpaces,
    closedUntil,
    paymentDue,
    paymentDueChangesAt,
  ];
  return packed.every((detail, index) => detail === NONE[index]) ? null : packed;
}

function unpackDetails(packed: PackedDetails | null): AreaDetails {
  const [address, website, priceNote, maxHeightCm, disabledSpaces, chargingSpaces, ...times] = packed ?? NONE;
  const [closedUntil, paymentDue, changesAt] = times;
  return {
    address,
    website,
    priceNote,
    maxHeightCm,
    disabledSpaces,
    chargingSpaces,
    closedUntil: nullableInstant(closedUntil),
    paymentDue,
    paymentDueChangesAt: nullableInstant(changesAt),
  };
}

/** Of an area where payment is always due. */
const NONE: PackedDetails = [null, null, null, null, null, null, null, true, null];

function packCounters(counters: Counters): PackedCounters {
  const { activeNow, activeAfter30, activeAfter60, endingWithin30, endingBetween30And60 } = counters;
  return [activeNow, activeAfter30, activeAfter60, endingWithin30, endingBetween30And60];
}

function unpackCounters(packed: PackedCounters): Counters {
  const [activeNow, activeAfter30, activeAfter60, endingWithin30, endingBetween30And60] = packed;
  return { activeNow, activeAfter30, activeAfter60, endingWithin30, endingBetween30And60 };
}

/** The lines as the value of a key. */
export const joinLines = (lines: readonly string[]): string => [VERSION_LINE, ...lines].join('\n');

/** The lines of a value, by the code of their municipality; empty for a value of another version. */
export function linesOf(value: string): ReadonlyMap<string, string> {
  const [version, ...lines] = value.split('\n');
  return new Map(version === VERSION_LINE ? lines.map((line) => [codeIn(line), line]) : []);
}

const LEADING_CODE = /^\[("(?:[^"\\]|\\.)*"),/;

/** A line begins with its code, as JSON. */
function codeIn(line: string): string {
  const [, code = '""'] = LEADING_CODE.exec(line) ?? [];
  return JSON.parse(code);
}

/** The line of a municipality in a value. Null if it has none, or the value is of another version. */
export function findLine(value: string, code: string): string | null {
  if (!value.startsWith(`${VERSION_LINE}\n`)) {
    return null;
  }
  // No line contains a line break: JSON writes one as `\n`.
  const start = value.indexOf(`\n[${JSON.stringify(code)},`);
  if (start === -1) {
    return null;
  }
  const end = value.indexOf('\n', start + 1);
  return value.slice(start + 1, end === -1 ? undefined : end);
}
