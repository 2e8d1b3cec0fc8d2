import * as z from 'zod';
import { refuseFields } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import { textOf } from '../../serving/http/body.ts';
import { batch } from '../../storage/db/batch.ts';
import { KNOWN_SCHEMA } from '../../storage/db/schema-table.ts';
import { backupLine, backupRow, partLine } from './contract.ts';
import { insertingOf } from './restore-table.ts';

const PART = z.object({ header: backupLine, rows: z.array(backupRow), end: partLine });

/** A part of a backup as it was sent. */
export type SentPart = z.infer<typeof PART>;

/** @throws Refusal `INVALID_JSON` if it is not UTF-8; `INVALID_REQUEST` if it is not a whole part that this version can restore */
export function readSentPart(bytes: ArrayBuffer): SentPart {
  const lines = textOf(bytes).trimEnd().split('\n').map(parsed);
  const sent = { header: lines[0], rows: lines.slice(1, -1), end: lines.at(-1) };
  const part = PART.safeParse(sent).data ?? refuseFields([{ path: 'body', message: NO_PART }]);
  if (part.header.schema > KNOWN_SCHEMA) refuseFields([{ path: 'schema', message: TOO_NEW }]);
  return part;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Rows of one transaction, which blocks the database for some milliseconds. */
const ROWS_AT_ONCE = 500;
/** A parameter may have 2 MB. */
const MAX_CHARACTERS = 400_000;

/**
 * Inserts the rows of a part that are not there yet, so that a part that was cut off is sent again.
 *
 * @param values of the statements, but for `items`
 * @throws Refusal `INVALID_REQUEST` for a row of an unknown kind
 */
export async function insertRows(
  d1: D1Database,
  { header: { columns }, rows }: SentPart,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const { kind, items } of chunksOf(rows)) {
    const insert =
      insertingOf(kind, columns[kind] ?? []) ?? refuseFields([{ path: 'columns', message: NO_PART }]);
    await batch(d1, [insert], { ...values, items: `[${items.join()}]` });
  }
}

/** Rows of one kind, as JSON lists of their values. */
interface Chunk {
  readonly kind: string;
  readonly items: string[];
}

/** The rows in their order, as many of one kind at a time as a statement takes. */
function chunksOf(rows: SentPart['rows']): Chunk[] {
  const chunks: Chunk[] = [];
  let characters = 0;
  for (const { kind, values } of rows) {
    const item = JSON.stringify(values);
    const last = chunks.at(-1);
    const isFull = last?.items.length === ROWS_AT_ONCE || characters + item.length > MAX_CHARACTERS;
    if (last?.kind === kind && !isFull) {
      last.items.push(item);
      characters += item.length;
    } else {
      chunks.push({ kind, items: [item] });
      characters = item.length;
    }
  }
  return chunks;
}

const NO_PART: Text = {
  en: 'this is not a whole part of a backup: a part begins with a line of type backup and ends with one of type part',
  it: 'non è una parte completa di una copia di sicurezza: la prima riga è di tipo backup, l’ultima di tipo part',
};
const TOO_NEW: Text = {
  en: 'a later version of the service has made this backup: deploy that version first',
  it: 'questa copia è stata creata da una versione successiva del servizio: installare prima quella',
};
