import { refuseFields } from '../../base/errors/refusal.ts';
import { pauseAfter } from '../../base/platform/pause.ts';
import type { Text } from '../../base/text/text.ts';
import { textOf } from '../../serving/http/body.ts';
import { batch, type Query } from '../../storage/db/batch.ts';
import { KNOWN_SCHEMA } from '../../storage/db/schema-table.ts';
import { type BackupHeader, backupLine, backupRow, type PartEnd, partLine } from './contract.ts';
import { insertingOf } from './restore-table.ts';

/** A part of a backup as it was sent. Its rows are read one by one. */
export interface SentPart {
  readonly header: BackupHeader;
  readonly end: PartEnd;
  readonly rows: readonly string[];
}

/** @throws Refusal `INVALID_JSON` if it is not UTF-8; `INVALID_REQUEST` if it is not a whole part */
export function readSentPart(bytes: ArrayBuffer): SentPart {
  const lines = textOf(bytes).trimEnd().split('\n');
  const header = parsed(lines[0], backupLine);
  const end = parsed(lines.at(-1), partLine);
  if (header === null || end === null) {
    refuseFields([{ path: 'body', message: NO_PART }]);
  }
  if (header.schema > KNOWN_SCHEMA) {
    refuseFields([{ path: 'schema', message: TOO_NEW }]);
  }
  return { header, end, rows: lines.slice(1, -1) };
}

function parsed<T>(
  line: string | undefined,
  schema: { safeParse(value: unknown): { data?: T | undefined } },
): T | null {
  try {
    return schema.safeParse(JSON.parse(line ?? '')).data ?? null;
  } catch {
    return null;
  }
}

/** Rows of one transaction, which blocks the database for some milliseconds. */
const ROWS_AT_ONCE = 500;
/** A parameter may have 2 MB. */
const MAX_CHARACTERS = 400_000;
/** Pauses for this many times as long as a transaction took. */
const PAUSE_FACTOR = 2;
/** When a call stops pausing, in milliseconds, so that it stores the part within its deadline. */
const PAUSING_MS = 15_000;

/** Rows of one kind, as JSON lists. */
interface Chunk {
  readonly kind: string;
  readonly items: readonly string[];
}

/** Rows in their order, as many of one kind at a time as a statement takes. */
function* chunksOf(lines: readonly string[]): Generator<Chunk> {
  let [kind, items, characters]: [string, string[], number] = ['', [], 0];
  for (const [index, line] of lines.entries()) {
    const row = parsed(line, backupRow) ?? refuseFields([{ path: `line ${index + 2}`, message: NO_ROW }]);
    const item = JSON.stringify(row.values);
    const isFull = items.length === ROWS_AT_ONCE || characters + item.length > MAX_CHARACTERS;
    if (items.length > 0 && (row.kind !== kind || isFull)) {
      yield { kind, items };
      [items, characters] = [[], 0];
    }
    kind = row.kind;
    items.push(item);
    characters += item.length;
  }
  if (items.length > 0) yield { kind, items };
}

/**
 * Inserts the rows of a part that are not there yet, so that a part that was cut off is sent again.
 *
 * @param values of the statements, but for `items`
 * @throws Refusal `INVALID_REQUEST` for a line that is not a row of a known kind, or rows that do not belong together
 */
export async function insertPart(
  d1: D1Database,
  { header: { columns }, rows }: SentPart,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const statements = new Map<string, Query<unknown[]> | null>();
  const begunAtMs = performance.now();
  for (const { kind, items } of chunksOf(rows)) {
    const startedAtMs = performance.now();
    const insert = statements.getOrInsertComputed(kind, () => insertingOf(kind, columns[kind] ?? []));
    if (insert === null) refuseFields([{ path: 'columns', message: NO_ROW }]);
    try {
      await batch(d1, [insert], { ...values, items: `[${items.join()}]` });
    } catch (error) {
      if (DAMAGE.test(String(error))) refuseFields([{ path: 'body', message: DAMAGED }]);
      throw error;
    }
    if (startedAtMs - begunAtMs < PAUSING_MS) await pauseAfter(startedAtMs, PAUSE_FACTOR);
  }
}

const DAMAGE = /constraint failed/i;

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
const DAMAGED: Text = {
  en: 'the rows of this part do not belong together: make the backup again',
  it: 'le righe di questa parte non sono coerenti: creare di nuovo la copia',
};
