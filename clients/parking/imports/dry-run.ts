import type { KindName, TableRow } from '../../tables/index.ts';
import { judgeLine, type KnownCodes } from './kinds.ts';
import type { RejectedRow } from './rejections.ts';
import type { RowSource } from './rows.ts';
import type { Sent } from './send.ts';
import { NOTHING, type Sum } from './sum.ts';

/** Rows between two reports of progress. */
const ROWS_AT_ONCE = 5_000;

/** Judges every line of a file by the service's own schemas, and sends nothing. */
export async function judgeFile(
  source: RowSource,
  kind: KindName,
  known: KnownCodes,
  tellIn: 'en' | 'it',
  signal: AbortSignal,
  report: (sent: Sent) => Promise<void> | void,
): Promise<Sum> {
  let sum = NOTHING;
  let rejected: RejectedRow[] = [];
  let lastRow: TableRow | undefined;
  const tell = async (): Promise<void> => {
    await report({ sum, rejected, lastRow });
    rejected = [];
    // Reading a file may never await anything: this lets Ctrl-C through.
    await new Promise(setImmediate);
  };
  for await (const row of source.rows()) {
    const { text, trouble } = source.translate(row);
    const judged = trouble ?? judgeLine(kind, text, known);
    const found = judged === null ? null : source.explain(row, judged, known);
    if (found !== null)
      rejected.push({ row, written: source.written(row), code: found.code, message: found.message[tellIn] });
    sum = { ...sum, received: sum.received + 1, rejected: sum.rejected + (found === null ? 0 : 1) };
    lastRow = row;
    if (sum.received % ROWS_AT_ONCE === 0) {
      await tell();
      if (signal.aborted) return sum;
    }
  }
  await tell();
  return sum;
}
