import type { ImportProgress, ImportTotals } from '../../client/index.ts';
import { type KindName, Zone } from '../../tables/index.ts';
import { stopOf } from '../failure.ts';
import type { Office } from '../office.ts';
import { EXIT, Stop, wrongUsage } from '../stop.ts';
import { zoneOf } from '../times.ts';
import { readWriting, type Writing, type WritingOptions } from './mapping.ts';
import { RejectedFile, type RejectedRow } from './rejected-file.ts';
import { formatOf, type OpenedFile, openFile, openSource, type Source, type SourceRow } from './source.ts';

interface ImportCommandOptions extends WritingOptions {
  readonly municipality?: string | undefined;
  readonly source?: string | undefined;
  readonly rejected?: string | undefined;
  readonly dryRun: boolean;
}

/** Lines of a part: some megabytes, of which the answer lists the first thousand rejected lines. */
const PART_LINES = 10_000;

/** Rejected rows that are printed without `--rejected`. */
const MAX_PRINTED = 10;

const COUNTED = ['received', 'created', 'updated', 'unchanged', 'rejected', 'erased'] as const;
type Counts = Record<(typeof COUNTED)[number], number>;

/** Imports files one after the other, or has the service judge them. */
export async function runImport(
  office: Office,
  kind: KindName,
  names: readonly string[],
  options: ImportCommandOptions,
): Promise<void> {
  const files = names.map((name) => openFile(name, office.terminal.stdin));
  const writing = readWriting(options);
  const hasTable = files.some(({ name }) => formatOf(name, writing) !== 'ndjson');
  const zone = hasTable ? await zoneFor(office, writing, options.municipality) : null;
  const run = new ImportRun(office, kind, options);
  try {
    for (const file of files) {
      const source = await openSource(file, kind, writing, zone, (text) => run.note(text));
      // One table of rejected rows has one header: rows of several files are lines of JSON.
      run.openRejected(names, files.length > 1 ? null : source.table);
      await run.send(file, source);
    }
  } finally {
    run.end();
  }
  run.refuseRejected();
}

/** @throws Stop for an unknown time zone */
async function zoneFor(
  office: Office,
  { timezone }: Writing,
  municipality: string | undefined,
): Promise<Zone | null> {
  const name = timezone ?? (await zoneOf(office, municipality));
  try {
    if (name !== null) new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    throw wrongUsage(`There is no time zone ${name}: it has a name such as Europe/Rome.`);
  }
  return name === null ? null : new Zone(name);
}

class ImportRun {
  readonly #office: Office;
  readonly #kind: KindName;
  readonly #options: ImportCommandOptions;
  readonly #startedAt = performance.now();
  #rejectedFile: RejectedFile | null = null;
  #counts: Counts = { received: 0, created: 0, updated: 0, unchanged: 0, rejected: 0, erased: 0 };
  #hasBegun = false;
  /** Rejected rows that were printed, or are in the file. */
  #told = 0;

  constructor(office: Office, kind: KindName, options: ImportCommandOptions) {
    this.#office = office;
    this.#kind = kind;
    this.#options = options;
  }

  note(text: string): void {
    this.#office.terminal.progress(null);
    this.#office.note(text);
  }

  openRejected(inputs: readonly string[], table: Source['table']): void {
    const { rejected } = this.#options;
    if (rejected !== undefined) this.#rejectedFile ??= new RejectedFile(rejected, inputs, table);
  }

  /** Sends a file in parts, in its order: among lines of one key the last one wins. */
  async send(file: OpenedFile, source: Source): Promise<void> {
    const { client, call, partTime } = this.#office;
    const { source: source_code, dryRun: dry_run, municipality: named } = this.#options;
    const before = this.#counts;
    this.#hasBegun = true;
    const pending = new PendingRows(source);
    let failure: unknown;
    const method = this.#kind === 'sessions' ? client.importSessions : client.importSubscriptions;
    const input = {
      ...this.#office.municipality(named),
      ...(source_code !== undefined && { source_code }),
      ...(dry_run && { dry_run }),
    };
    const result = await method({ lines: pending.lines((error) => (failure = error)) }, input, {
      ...{ ...call, ...partTime, maxPartLines: PART_LINES, waitWhenLimited: true },
      onProgress: (progress) => {
        this.#counts = sumOf(before, progress.totals);
        try {
          this.#tellRejected(file.name, pending.rejectedIn(progress));
          this.#progress(file, pending.bytesRead);
        } catch (error) {
          failure = error;
          throw error;
        }
      },
    });
    if (result.ok) return;
    this.note(
      `Stopped in ${file.name}, after ${this.#counts.received} lines. Run the same command again: stored lines count as unchanged.`,
    );
    throw failure ?? stopOf(result);
  }

  #tellRejected(file: string, rows: readonly RejectedRow[]): void {
    const isWritten = this.#rejectedFile !== null;
    const told = isWritten ? rows : rows.slice(0, MAX_PRINTED - this.#told);
    this.#told += told.length;
    this.#rejectedFile?.add(file, rows);
    if (isWritten) return;
    for (const { row, code, message } of told) this.note(`${file}:${row.number}: ${message} (${code})`);
  }

  #progress({ bytes }: OpenedFile, bytesRead: number): void {
    const share = bytes === null || bytes === 0 ? '' : `${Math.floor((100 * bytesRead) / bytes)} %, `;
    const { received, rejected } = this.#counts;
    this.#office.terminal.progress(`${share}${received} lines, ${rejected} rejected`);
  }

  /** However the import ended. */
  end(): void {
    this.#rejectedFile?.close();
    if (!this.#hasBegun) return;
    const { dryRun, rejected: rejected_file = null } = this.#options;
    const more = this.#counts.rejected - this.#told;
    if (more > 0) {
      this.note(
        this.#rejectedFile === null
          ? `… and ${more} more: --rejected FILE writes them.`
          : `${more} more rejected lines are not in ${rejected_file}: the service lists the first thousand of a part. Correct these, and import again.`,
      );
    }
    this.#office.terminal.progress(null);
    const seconds = Math.round((performance.now() - this.#startedAt) / 100) / 10;
    this.#office.show({ dry_run: dryRun, ...this.#counts, seconds, rejected_file });
  }

  /** @throws Stop if lines were rejected */
  refuseRejected(): void {
    const { rejected } = this.#counts;
    if (rejected === 0) return;
    const others = this.#options.dryRun ? 'good' : 'stored';
    throw new Stop(
      EXIT.refused,
      `${rejected} ${rejected === 1 ? 'line was' : 'lines were'} rejected. Correct and import them again: the others are ${others}.`,
    );
  }
}

function sumOf(before: Counts, totals: ImportTotals): Counts {
  const sum = { ...before };
  for (const name of COUNTED) sum[name] += totals[name];
  return sum;
}

/** The rows that were read and not answered so far. */
class PendingRows {
  readonly #source: Source;
  readonly #rows: SourceRow[] = [];
  /** The number of the first of them among the lines that were sent, from 1. */
  #first = 1;
  bytesRead = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** @param failed gets the error of a file that is broken further down */
  async *lines(failed: (error: unknown) => void): AsyncGenerator<string, void, void> {
    try {
      for await (const row of this.#source.rows()) {
        this.#rows.push(row);
        yield row.line;
      }
    } catch (error) {
      failed(error);
      throw error;
    }
  }

  /** Takes the rows of a part that was answered. */
  rejectedIn({ totals, errors }: ImportProgress): RejectedRow[] {
    const answered = this.#rows.splice(0, totals.lines - this.#first + 1);
    const listed = new Map(errors.map((error) => [error.line - this.#first, error]));
    this.bytesRead = answered.at(-1)?.bytesRead ?? this.bytesRead;
    this.#first = totals.lines + 1;
    return answered.flatMap((row, index): RejectedRow[] => {
      const error = listed.get(index);
      // The fault of the row itself says more than the service's words about its line.
      if (row.trouble !== null) return [{ row, code: 'INVALID_REQUEST', message: row.trouble }];
      return error === undefined ? [] : [{ row, code: error.code, message: row.explain(error.message) }];
    });
  }
}
