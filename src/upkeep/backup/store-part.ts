import { hex } from '../../base/crypto/digest.ts';
import { refuseFields } from '../../base/errors/refusal.ts';
import { pauseAfter } from '../../base/platform/pause.ts';
import type { Text } from '../../base/text/text.ts';
import { textOf } from '../../serving/http/body.ts';
import type { RestoreProgress } from '../../storage/db/schema/restores.ts';
import { KNOWN_SCHEMA } from '../../storage/db/schema-table.ts';
import { type BackupHeader, backupLine, backupRow, type PartEnd, partLine } from './contract.ts';
import { chunksOf, KINDS, type Rows } from './part-table.ts';
import { storeRows, type Worker } from './restore-table.ts';

/** A part of a backup as it was sent. Its rows are read one by one. */
export interface SentBackup {
  readonly header: BackupHeader;
  readonly end: PartEnd;
  readonly digest: string;
  readonly rows: readonly string[];
}

/** @throws Refusal `INVALID_JSON` if it is not UTF-8; `INVALID_REQUEST` if it is not a whole part */
export async function readSentPart(bytes: Uint8Array): Promise<SentBackup> {
  const lines = textOf(bytes).trimEnd().split('\n');
  const header = parsePart(lines[0], backupLine);
  const end = parsePart(lines.at(-1), partLine);
  if (header === null || end === null) {
    refuseFields([{ path: 'body', message: NO_PART }]);
  }
  if (header.schema > KNOWN_SCHEMA) {
    refuseFields([{ path: 'schema', message: TOO_NEW }]);
  }
  const digest = hex(await crypto.subtle.digest('SHA-256', bytes));
  return { header, end, digest, rows: lines.slice(1, -1) };
}

/** A row, by this version's column names. */
interface SentRow {
  readonly kind: string;
  readonly values: Map<string, unknown>;
}

/** @throws Refusal `INVALID_REQUEST` for a line that is not a row of a known kind */
function rowOf(line: string, number: number, { columns }: BackupHeader): SentRow {
  const row = parsePart(line, backupRow);
  const names = columns[row?.kind ?? ''];
  if (row === null || !KINDS.has(row.kind) || names?.length !== row.values.length) {
    refuseFields([{ path: `line ${number}`, message: NO_ROW }]);
  }
  return { kind: row.kind, values: new Map(names.map((name, index) => [name, row.values[index]])) };
}

/** A row as a JSON list, in this version's order. A column that the backup lacks gets its default. */
function itemOf({ kind, values }: SentRow): string {
  const { reads = {}, defaults = {} } = KINDS.get(kind) ?? {};
  return JSON.stringify(
    Object.keys(reads).map((name) => (values.has(name) ? values.get(name) : (defaults[name] ?? null))),
  );
}

function parsePart<T>(
  line: string | undefined,
  schema: { safeParse(value: unknown): { data?: T | undefined } },
): T | null {
  try {
    return schema.safeParse(JSON.parse(line ?? '')).data ?? null;
  } catch {
    return null;
  }
}

const NO_PART: Text = {
  en: 'this is not a whole part of a backup: a part begins with a line of type backup and ends with one of type part',
  it: 'non è una parte completa di una copia di sicurezza: la prima riga è di tipo backup, l’ultima di tipo part',
};
const TOO_NEW: Text = {
  en: 'a later version of the service has made this backup: deploy that version first',
  it: 'questa copia è stata creata da una versione successiva del servizio: installare prima quella',
};
const NO_ROW: Text = {
  en: 'is not a row of a backup',
  it: 'non è una riga di una copia di sicurezza',
};

/** Rows of one transaction, which blocks the database for some milliseconds. */
const ROWS_AT_ONCE = 500;
/** Pauses for this many times as long as the transaction took. */
const PAUSE_FACTOR = 2;
/** When a call stops pausing, in milliseconds, so that it stores the part within its deadline. */
const PAUSING_MS = 15_000;

/** Stores the rest of a part. Each transaction records its progress, so that a part that was cut off continues there. */
export async function storePart(
  db: D1Database,
  worker: Worker,
  { header, end, digest, rows: lines }: SentBackup,
  before: RestoreProgress,
): Promise<RestoreProgress> {
  let progress = { ...before, part: before.part ?? { digest, rows: 0 } };
  const begunAtMs = performance.now();
  for (const chunk of chunksOf(lines.slice(progress.part.rows), ROWS_AT_ONCE)) {
    const startedAtMs = performance.now();
    const done = progress.part.rows;
    const rows = chunk.map((line, index) => rowOf(line, done + index + 2, header));
    const part = { digest, rows: done + chunk.length };
    progress = { ...progress, part, restored: progress.restored + chunk.length };
    await storeRows(db, worker, groupByKind(rows), progress);
    if (performance.now() - begunAtMs < PAUSING_MS) {
      await pauseAfter(startedAtMs, PAUSE_FACTOR);
    }
  }
  const after = { ...progress, parts: header.part, after: end.after, isWhole: !end.more, part: null };
  await storeRows(db, worker, [], after);
  return after;
}

/** Groups neighbouring rows of one kind, in their order: rows follow those that they refer to. */
function groupByKind(rows: readonly SentRow[]): Rows[] {
  const groups: { kind: Rows['kind']; items: string[] }[] = [];
  for (const row of rows) {
    if (groups.at(-1)?.kind !== row.kind) {
      groups.push({ kind: row.kind, items: [] });
    }
    groups.at(-1)?.items.push(itemOf(row));
  }
  return groups;
}
