import type { Client, ImportResult, ImportTotals } from '../../client/index.ts';
import type { KindName, TableRow } from '../../tables/index.ts';
import { judgeLine, type KnownCodes, objectIn, type Trouble } from './kinds.ts';
import type { Part } from './parts.ts';
import type { RowSource } from './rows.ts';

/** A rejected row, and the reason. */
export interface RejectedRow {
  readonly row: TableRow;
  /** As the file of rejected rows has it. */
  readonly written: string | readonly string[];
  readonly code: string;
  readonly message: string;
}

type Failed = Extract<ImportResult, { ok: false }>;

/** Sends lines in small parts, each so small that the answer lists every rejected line of it: all of them together. */
export type Resend = (
  lines: readonly string[],
) => Promise<Failed | { readonly ok: true; readonly errors: ImportTotals['errors'] }>;

/** As many lines as the service lists rejections. */
export const LINES_LISTED = 100;

/** The data to report every rejected row of a part. */
export interface Explaining {
  readonly kind: KindName;
  readonly source: RowSource;
  readonly known: KnownCodes;
  readonly tellIn: 'en' | 'it';
  readonly resend: Resend;
  /** Codes that the service has called unknown, learnt from its answers. */
  readonly unknownCodes: { readonly areas: Set<string>; readonly types: Set<string> };
}

/**
 * Every rejected row of a part. The service lists the first hundred. Its own schemas find the others here,
 * and the codes that it called unknown among the first hundred find lines with these codes. If some are still
 * unexplained, the remaining lines are sent again, a hundred at a time: it does no harm, and the answers list
 * all.
 */
export async function rejectedRows(
  part: Part,
  answer: Pick<ImportTotals, 'rejected' | 'errors'>,
  explaining: Explaining,
): Promise<RejectedRow[] | Failed> {
  const listed = answer.errors.flatMap((error) => rejectedRow(part, error.line - 1, error, explaining));
  if (listed.length >= answer.rejected) return listed;
  learn(listed, explaining);

  const lastListed = Math.max(-1, ...answer.errors.map(({ line }) => line - 1));
  const found: RejectedRow[] = [];
  const left: number[] = [];
  for (let index = lastListed + 1; index < part.rows.length; index++) {
    const trouble = judgedHere(part, index, explaining);
    if (trouble === null) left.push(index);
    else
      found.push(
        ...rejectedRow(part, index, { ...trouble, message: trouble.message[explaining.tellIn] }, explaining),
      );
  }
  if (listed.length + found.length >= answer.rejected) return [...listed, ...found];

  const lines = left.map((index) => textOf(part, index, explaining));
  const again = await explaining.resend(lines);
  if (!again.ok) return again;
  for (const error of again.errors) {
    const index = left[error.line - 1];
    if (index !== undefined) found.push(...rejectedRow(part, index, error, explaining));
  }
  return [...listed, ...found.sort((a, b) => a.row.number - b.row.number)];
}

function rejectedRow(
  part: Part,
  index: number,
  { code, message }: { readonly code: string; readonly message: string },
  { tellIn, source, known }: Explaining,
): RejectedRow[] {
  const row = part.rows[index];
  if (row === undefined) return [];
  // The fault of the row itself says more than the service's message about the substitute line.
  const said = part.troubles.get(index) ?? { code, message: { en: message, it: message } };
  const { message: text, code: why } = source.explain(row, said, known);
  return [{ row, written: source.written(row), code: why, message: text[tellIn] }];
}

function judgedHere(part: Part, index: number, explaining: Explaining): Trouble | null {
  const own = part.troubles.get(index);
  if (own !== undefined) return own;
  const text = textOf(part, index, explaining);
  return judgeLine(explaining.kind, text, { areas: null, types: null }) ?? judgedByCodes(text, explaining);
}

/** The unknown codes of an otherwise good line. */
function judgedByCodes(text: string, { kind, unknownCodes }: Explaining): Trouble | null {
  const line = objectIn(text) ?? {};
  const areas = kind === 'sessions' ? [line.area_code] : Array.isArray(line.areas) ? line.areas : [];
  const known: KnownCodes = {
    areas: without(areas, unknownCodes.areas),
    types: without([line.type], unknownCodes.types),
  };
  return judgeLine(kind, text, known);
}

const without = (codes: readonly unknown[], unknown: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    codes.flatMap((code) => (typeof code === 'string' && !unknown.has(code.trim()) ? [code.trim()] : [])),
  );

/** Learns from rows with a single code: with several areas, only the message says which one is unknown. */
function learn(listed: readonly RejectedRow[], { kind, source, unknownCodes }: Explaining): void {
  for (const { row, code } of listed) {
    const line = objectIn(source.translate(row).text) ?? {};
    const area =
      kind === 'sessions'
        ? line.area_code
        : Array.isArray(line.areas) && line.areas.length === 1 && line.areas[0];
    if (code === 'AREA_NOT_FOUND' && typeof area === 'string') unknownCodes.areas.add(area.trim());
    if (code === 'SUBSCRIPTION_TYPE_NOT_FOUND' && typeof line.type === 'string') {
      unknownCodes.types.add(line.type.trim());
    }
  }
}

function textOf(part: Part, index: number, { source }: Explaining): string {
  const row = part.rows[index];
  return row === undefined ? '' : source.translate(row).text;
}

/** The client's method for a kind of import. */
export const importMethod = (client: Client, kind: KindName) =>
  kind === 'sessions' ? client.importSessions : client.importSubscriptions;
