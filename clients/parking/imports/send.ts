import type { Client, Failure, ImportOptions, RejectedLine } from '../../client/index.ts';
import type { KindName, TableRow } from '../../tables/index.ts';
import type { KnownCodes } from './kinds.ts';
import { oneAhead, type Part, partsOf } from './parts.ts';
import { type Explaining, importMethod, LINES_LISTED, type RejectedRow, rejectedRows } from './rejections.ts';
import type { RowSource } from './rows.ts';
import { NOTHING, plus, type Sum } from './sum.ts';

/** The destination of an import, and its time limits. */
export interface Target {
  readonly client: Client;
  readonly kind: KindName;
  /** Codes of the municipality, to explain rejected rows. */
  readonly known: KnownCodes;
  readonly input: { readonly municipality_code?: string; readonly source_code?: string };
  readonly call: Pick<ImportOptions, 'signal' | 'budgetMs'>;
  readonly tellIn: 'en' | 'it';
}

/** Reported after each part that was answered. */
export interface Sent {
  readonly sum: Sum;
  readonly rejected: readonly RejectedRow[];
  readonly lastRow: TableRow | undefined;
}

/** The end of a file: complete, or how far it came and why no further. */
export type SendResult =
  | { readonly ok: true; readonly sum: Sum }
  | {
      readonly ok: false;
      readonly sum: Sum;
      readonly lastRow: TableRow | undefined;
      readonly failure: Failure;
    };

/**
 * Sends a file part after part, in its order: among lines of one key the last one wins. The next part is read
 * while one is being sent. The client retries a failed part as long as its time lasts.
 *
 * @param report is awaited, so that a slow disk slows the import down and fills no memory
 */
export async function sendFile(
  source: RowSource,
  fromLine: number,
  target: Target,
  report: (sent: Sent) => Promise<void> | void,
): Promise<SendResult> {
  const explaining: Explaining = {
    kind: target.kind,
    source,
    known: target.known,
    tellIn: target.tellIn,
    resend: (lines) => sendLines(target, lines),
    unknownCodes: { areas: new Set(), types: new Set() },
  };
  let sum = NOTHING;
  let lastRow: TableRow | undefined;
  for await (const part of orEmpty(oneAhead(partsOf(source, fromLine)))) {
    const result = await sendPart(target, part);
    if (!result.ok) return { ok: false, sum, lastRow, failure: result };
    const { received, created, updated, unchanged, rejected } = result.answer;
    sum = plus(sum, { parts: 1, received, created, updated, unchanged, rejected });
    const rows = await rejectedRows(part, result.answer, explaining);
    // Its rejected lines are not reported, so continuing means sending this part again.
    if ('ok' in rows) return { ok: false, sum, lastRow, failure: rows };
    lastRow = part.rows.at(-1);
    await report({ sum, rejected: rows, lastRow });
  }
  return { ok: true, sum };
}

const EMPTY: Part = { rows: [], body: new Uint8Array(), troubles: new Map(), bytesRead: 0 };

/** A file without a line is sent, too, so that its source stays fresh. */
async function* orEmpty(parts: AsyncGenerator<Part, void, void>): AsyncGenerator<Part, void, void> {
  let isEmpty = true;
  for await (const part of parts) {
    isEmpty = false;
    yield part;
  }
  if (isEmpty) yield EMPTY;
}

/** The client's own limit for a part, so that it never splits ours. */
const MAX_BYTES = 8 * 1_024 * 1_024;

const sendPart = ({ client, kind, input, call }: Target, { body }: Part) =>
  importMethod(client, kind)({ bytes: body }, input, {
    ...call,
    maxPartBytes: MAX_BYTES,
    waitWhenLimited: true,
  });

/** The sums of an import list a thousand rejected lines; its parts list all. */
async function sendLines({ client, kind, input, call }: Target, lines: readonly string[]) {
  const errors: RejectedLine[] = [];
  const result = await importMethod(client, kind)({ lines }, input, {
    ...call,
    maxPartLines: LINES_LISTED,
    waitWhenLimited: true,
    onProgress: (part) => errors.push(...part.errors),
  });
  return result.ok ? ({ ok: true, errors } as const) : result;
}
