import { hex } from '../../base/crypto/digest.ts';
import { refuseFields } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import { textOf } from '../../serving/http/body.ts';
import { KNOWN_SCHEMA } from '../../storage/db/schema/index.ts';
import { type BackupHeader, backupLine, backupRow, type PartEnd, partLine } from './contract.ts';
import { KINDS } from './part-table.ts';

/** A part of a backup as it was sent. Its rows are read one by one. */
export interface SentBackup {
  readonly header: BackupHeader;
  readonly end: PartEnd;
  readonly digest: string;
  readonly rows: readonly string[];
}

/** @throws Refusal `INVALID_JSON` for what is not UTF-8; `INVALID_REQUEST` for what is not a whole part */
export async function readPart(bytes: Uint8Array): Promise<SentBackup> {
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

/** A row, by the names of its columns in this version. */
export interface SentRow {
  readonly kind: string;
  readonly values: Map<string, unknown>;
}

/** @throws Refusal `INVALID_REQUEST` for a line that is not a row of a known kind */
export function rowOf(line: string, number: number, { columns }: BackupHeader): SentRow {
  const row = parsePart(line, backupRow);
  const names = columns[row?.kind ?? ''];
  if (row === null || !KINDS.has(row.kind) || names?.length !== row.values.length) {
    refuseFields([{ path: `line ${number}`, message: NO_ROW }]);
  }
  return { kind: row.kind, values: new Map(names.map((name, index) => [name, row.values[index]])) };
}

/** A row as a JSON list, in this version's order. A column that the backup does not have gets its default. */
export function itemOf({ kind, values }: SentRow): string {
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
  en: 'this is not a whole part of a backup: one begins with a line of the type backup, and ends with one of the type part',
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
