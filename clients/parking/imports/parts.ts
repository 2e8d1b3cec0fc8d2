import type { TableRow } from '../../tables/index.ts';
import type { Trouble } from './kinds.ts';
import type { RowSource } from './rows.ts';

/** The first part is small, so that the progress moves at once. Each one after it is twice as long, up to the longest. */
const FIRST_PART_BYTES = 64 * 1_024;

/** A quarter of the service's limit: short waits, little to retry, and little memory. */
const MAX_PART_BYTES = 2 * 1_024 * 1_024;

/** Some rows that are sent at once, each as one line. */
export interface Part {
  readonly rows: readonly TableRow[];
  readonly body: Uint8Array<ArrayBuffer>;
  /** Faults that were found here, by the row's index in the part. */
  readonly troubles: ReadonlyMap<number, Trouble>;
  /** Bytes of the file up to its last row. */
  readonly bytesRead: number;
}

/** Gathers rows into parts. Rows before a line number are skipped. */
export async function* partsOf(source: RowSource, fromLine: number): AsyncGenerator<Part, void, void> {
  let maxBytes = FIRST_PART_BYTES;
  let draft = new Draft();
  for await (const row of source.rows()) {
    if (row.number < fromLine) {
      source.passOver(row);
      continue;
    }
    const { text, trouble } = source.translate(row);
    const bytes = Buffer.byteLength(text) + 1;
    if (draft.bytes + bytes > maxBytes && draft.bytes > 0) {
      yield draft.part();
      draft = new Draft();
      maxBytes = Math.min(maxBytes * 2, MAX_PART_BYTES);
    }
    draft.add(row, text, bytes, trouble);
  }
  if (draft.bytes > 0) yield draft.part();
}

class Draft {
  bytes = 0;
  readonly #rows: TableRow[] = [];
  readonly #texts: string[] = [];
  readonly #troubles = new Map<number, Trouble>();

  add(row: TableRow, text: string, bytes: number, trouble: Trouble | null): void {
    if (trouble !== null) this.#troubles.set(this.#rows.length, trouble);
    this.#rows.push(row);
    this.#texts.push(text);
    this.bytes += bytes;
  }

  part(): Part {
    return {
      rows: this.#rows,
      body: new TextEncoder().encode(`${this.#texts.join('\n')}\n`),
      troubles: this.#troubles,
      bytesRead: this.#rows.at(-1)?.bytesRead ?? 0,
    };
  }
}

/** Prefetches one item of a source while the present one is used. */
export async function* oneAhead<T>(source: AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
  let next = source.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = source.next();
      // It may reject before it is awaited; the error is thrown then.
      next.catch(() => {});
      yield value;
    }
  } finally {
    await source.return().catch(() => {});
  }
}
