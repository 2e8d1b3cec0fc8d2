import type { Position } from '../../storage/db/schema/moves.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import type { Travelling } from '../../storage/db/travelling.ts';
import {
  FEW,
  MAX_BYTES,
  NEWEST_CHANGE,
  OWN_ROW,
  RECENT,
  STANDING,
  STREAMS,
  type Stream,
  writesOf,
} from './part-statements.ts';

export { MAX_BYTES };

/** Rows of one kind that have been read, each a JSON list. */
export interface Rows {
  readonly kind: string;
  readonly items: readonly string[];
}

/** Reads the versions recorded or replaced after `since`, as they were at `asOf`. */
export interface Pass {
  readonly since: number;
  readonly asOf: number;
}

/** Before all instants. */
export const EVER = -1;
/** Where reading begins. */
export const FIRST: Position = { table: STREAMS[0]?.name ?? '', after: null };

interface Kind extends Pick<Travelling, 'reads' | 'defaults'> {
  readonly writes: readonly (() => string)[];
}

/** What travels, by kind: the names of its values, and what writes it. */
export const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [OWN_ROW.kind, { ...OWN_ROW.travels, writes: OWN_ROW.writes }],
  ...STORED_TABLES.map((table): [string, Kind] => [
    table.kind,
    { ...table.travels, writes: writesOf(table) },
  ]),
]);

interface ItemRow {
  /** A JSON list. */
  readonly item: string;
}

const rowsOf = (kind: string, read: D1Result<ItemRow> | undefined): Rows => ({
  kind,
  items: (read?.results ?? []).map(({ item }) => item),
});

/** How a pass begins. */
export interface Beginning {
  /** The municipality's newest change, and what tells it from another of this instant. */
  readonly asOf: number;
  readonly mark: string;
  /** The tables of few rows, as they are at that instant. */
  readonly rows: readonly Rows[];
}

/** Reads what a pass begins with, all of one instant. */
export async function readBeginning(db: D1Database, id: number, isBackup: boolean): Promise<Beginning> {
  const few = FEW.filter(({ table }) => !(isBackup && table.isLeftOutOfBackups)).map(({ table, read }) => ({
    kind: table.kind,
    read,
  }));
  const read = isBackup ? [OWN_ROW, ...few] : few;
  const [newest, ...tables] = (await db.batch([
    db.prepare(NEWEST_CHANGE()).bind(id),
    ...read.map((each) => db.prepare(each.read()).bind(id)),
  ])) as [D1Result<{ at: number; mark: string }>, ...D1Result<ItemRow>[]];
  const { at, mark } = newest.results[0] ?? { at: 0, mark: '' };
  return { asOf: at, mark, rows: read.map(({ kind }, index) => rowsOf(kind, tables[index])) };
}

/** What a statement takes at most of a table, and what a part has when no further table is begun. */
const MAX_ROWS = 1_000;
const MAX_LARGE_ROWS = 50;

/** A bounded part of a pass. */
export interface Part {
  readonly rows: readonly Rows[];
  /** Null: that was all. */
  readonly next: Position | null;
  /** How many statements have been sent. */
  readonly statements: number;
}

const startOf = ({ isTimed, isReplacedSince, width }: Stream, { since, asOf }: Pass): number[] =>
  Array.from({ length: width }, (_, index) =>
    index > 0 ? Number.MAX_SAFE_INTEGER : isReplacedSince ? asOf : isTimed ? since : 0,
  );

const TIMED = new Set(STREAMS.flatMap(({ kind, isTimed }) => (isTimed ? [kind] : [])));

/** How many of these rows were recorded or replaced since: the others come with every pass. */
export const countNews = (rows: readonly Rows[]): number =>
  rows.reduce((sum, { kind, items }) => sum + (TIMED.has(kind) ? items.length : 0), 0);

/** The streams from a position on. */
const streamsFrom = ({ table }: Position): readonly Stream[] => {
  const first = STREAMS.findIndex(({ name }) => name === table);
  if (first < 0) {
    throw new Error(`there is no table ${table}`);
  }
  return STREAMS.slice(first);
};

/** How many rows are read of a table at once. */
const most = ({ hasLargeRows }: Stream): number => (hasLargeRows ? MAX_LARGE_ROWS : MAX_ROWS);

const bound = (
  id: number,
  stream: Stream,
  pass: Pass,
  { table, after }: Position,
  rows = most(stream),
): unknown[] => [
  ...[id, rows, pass.asOf],
  ...((stream.name === table ? after : null) ?? startOf(stream, pass)),
  ...(stream.isReplacedSince || !stream.isTimed ? [pass.since] : []),
];

interface PlacedRow extends ItemRow {
  /** A JSON list of numbers. */
  readonly place: string;
  readonly found: number;
}

/**
 * Reads the next part of a municipality as it was at an instant, whatever is written meanwhile: what was recorded later is left
 * out, and what was replaced later is taken as it was.
 */
export async function readPart(
  db: D1Database,
  id: number,
  pass: Pass,
  position: Position,
  maxTables = Infinity,
): Promise<Part> {
  const all = streamsFrom(position);
  // In the midst of a large table, nothing behind it is read in vain.
  const streams = all.slice(0, position.after === null ? maxTables : 1);
  const read = await db.batch<PlacedRow>(
    streams.map((stream) => db.prepare(stream.read()).bind(...bound(id, stream, pass, position))),
  );
  const rows: Rows[] = [];
  let [bytes, count] = [0, 0];
  for (const [index, stream] of streams.entries()) {
    const { results } = read[index] ?? { results: [] };
    rows.push({ kind: stream.kind, items: results.map(({ item }) => item) });
    const last = results.at(-1);
    if (last !== undefined && (last.found === most(stream) || results.length < last.found)) {
      // Numbers of the row, as the statement has made it.
      const next: Position = { table: stream.name, after: JSON.parse(last.place) as number[] };
      return { rows, next, statements: streams.length };
    }
    bytes += results.reduce((sum, { item }) => sum + item.length, 0);
    count += results.length;
    const following = all[index + 1];
    if (following === undefined) {
      return { rows, next: null, statements: streams.length };
    }
    if (bytes > MAX_BYTES || count >= MAX_ROWS || index === streams.length - 1) {
      return { rows, next: { table: following.name, after: null }, statements: streams.length };
    }
  }
  return { rows, next: null, statements: streams.length };
}

/** How many rows a pass has still to read, those of each table counted up to a number. */
export async function countLeft(
  db: D1Database,
  id: number,
  pass: Pass,
  position: Position,
  max: number,
): Promise<number> {
  const counts = await db.batch<{ rows: number }>(
    streamsFrom(position).map((stream) =>
      db.prepare(stream.count()).bind(...bound(id, stream, pass, position, max)),
    ),
  );
  return counts.reduce((sum, { results: [count] }) => sum + (count?.rows ?? 0), 0);
}

/** Reads what counts for a day: of each table not more rows than a number, and one. */
export async function readRecent(db: D1Database, id: number, since: number, max: number): Promise<Rows[]> {
  const read = await db.batch<ItemRow>(RECENT.map(({ read }) => db.prepare(read()).bind(id, since, max + 1)));
  return RECENT.map(({ table }, index) => rowsOf(table.kind, read[index]));
}

/**
 * What stores rows, in their order: each statement for as many as a parameter takes. Storing them again changes nothing.
 */
export const storing = (db: D1Database, id: number, rows: readonly Rows[]): D1PreparedStatement[] =>
  rows.flatMap(({ kind, items }) =>
    chunksOf(items).flatMap((chunk) =>
      (KINDS.get(kind)?.writes ?? []).map((text) => db.prepare(text()).bind(id, `[${chunk.join()}]`)),
    ),
  );

function chunksOf(items: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let characters = MAX_BYTES;
  for (const item of items) {
    if (characters + item.length > MAX_BYTES) {
      chunks.push([]);
      characters = 0;
    }
    chunks.at(-1)?.push(item);
    characters += item.length;
  }
  return chunks;
}

/** What a backup compares: digests of erased plates, the change as of which it is, and the stay where it lives; null elsewhere. */
export async function readStandingOf(db: D1Database, id: number, asOf: number) {
  const found = await db
    .prepare(STANDING())
    .bind(id, asOf)
    .first<{ erased: number; mark: string | null; stay: number | null }>();
  return { erased: found?.erased ?? 0, mark: found?.mark ?? '', stay: found?.stay ?? null };
}
