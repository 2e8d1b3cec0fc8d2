import * as z from 'zod';
import { refuseFields } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import { textOf } from '../../serving/http/body.ts';
import { batch, jsonLists } from '../../storage/db/batch.ts';
import { KNOWN_SCHEMA } from '../../storage/db/schema-table.ts';
import { TABLES } from './backup-table.ts';
import { backupLine, backupRow, partLine } from './contract.ts';
import { insertingInto } from './restore-table.ts';

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
  for (const [kind, own] of Map.groupBy(rows, (row) => row.kind)) {
    const table = TABLES.get(kind) ?? refuseFields([{ path: 'columns', message: NO_PART }]);
    const insert = insertingInto(table, columns[kind] ?? []);
    for (const items of jsonLists(
      own.map((row) => row.values),
      ROWS_AT_ONCE,
    )) {
      await batch(d1, [insert], { ...values, items });
    }
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
