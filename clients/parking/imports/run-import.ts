import type { KindName } from '../../tables/index.ts';
import { EXIT } from '../exit-codes.ts';
import { stopOf } from '../failure-advice.ts';
import { type MunicipalityFacts, UNKNOWN } from '../municipality-facts.ts';
import type { Office } from '../office.ts';
import { partTime } from '../part-time.ts';
import { interruptedStop, Stop, wrongUsage } from '../stop.ts';
import { counted } from '../terminal/numbers.ts';
import { type OpenedFile, openFile } from './chunks.ts';
import { judgeFile } from './dry-run.ts';
import { importFacts } from './import-facts.ts';
import type { RejectedForm } from './named-before.ts';
import { isTable, openRows } from './open-rows.ts';
import { ProgressLine } from './progress.ts';
import { RejectedFile } from './rejected-file.ts';
import type { RejectedRow } from './rejections.ts';
import type { RowSource } from './rows.ts';
import { type SendResult, type Sent, sendFile } from './send.ts';
import { keepMemorySmall } from './small-memory.ts';
import { NOTHING, plus, type Sum } from './sum.ts';
import { LINES, sumLines } from './sum-text.ts';
import { readWriting, type Writing, type WritingOptions } from './writing.ts';

export interface ImportCommandOptions extends WritingOptions {
  readonly municipality?: string | undefined;
  readonly source?: string | undefined;
  readonly fromLine?: number | undefined;
  readonly rejected?: string | undefined;
  readonly dryRun?: true | undefined;
}

/** Rejected rows that are listed without `--rejected`. */
const MAX_LISTED = 10;

/** Imports files one after the other, or only checks them. */
export async function runImport(
  office: Office,
  kind: KindName,
  files: readonly string[],
  options: ImportCommandOptions,
): Promise<void> {
  keepMemorySmall();
  await new ImportRun(office, kind, files, options).run();
}

class ImportRun {
  readonly #office: Office;
  readonly #kind: KindName;
  readonly #files: readonly OpenedFile[];
  readonly #options: ImportCommandOptions;
  readonly #written: Writing;
  readonly #startedAt = performance.now();
  #facts: MunicipalityFacts = UNKNOWN;
  #sum: Sum = NOTHING;
  /** Bytes of the finished files, and of the answered parts of the present one. */
  #bytesOfFiles = 0;
  #bytesOfFile = 0;
  #sumOfFile: Sum = NOTHING;
  #tries = 1;
  readonly #listed: string[] = [];
  #line: ProgressLine | null = null;

  constructor(office: Office, kind: KindName, names: readonly string[], options: ImportCommandOptions) {
    this.#office = office;
    this.#kind = kind;
    this.#options = options;
    this.#files = names.map((name) => openFile(name, office.terminal.stdin));
    this.#written = readWriting(options, office.profilesPath);
    if (options.fromLine !== undefined && names.length > 1) throw oneFileAtATime();
  }

  async run(): Promise<void> {
    const { rejected: rejectedName } = this.#options;
    const { table, mapping } = this.#written;
    const hasTable = this.#files.some(({ name }) => isTable(name, table.format, mapping));
    this.#facts = await importFacts(this.#office, this.#options, this.#written.timezone, hasTable);
    const inputs = this.#files.map(({ name }) => name);
    const rejectedFile = rejectedName === undefined ? null : await RejectedFile.open(rejectedName, inputs);
    const { terminal, language } = this.#office;
    this.#line = new ProgressLine(terminal, language, () => this.#progress());
    try {
      for (const file of this.#files) await this.#runFile(file, rejectedFile);
    } catch (error) {
      // The error that ended the import says more than a missing end of its file.
      await rejectedFile?.close().catch(() => {});
      throw error;
    } finally {
      this.#line.end();
    }
    await rejectedFile?.close().catch((error: unknown) => {
      this.#tellOutcome();
      throw error;
    });
    this.#tellOutcome();
    if (this.#sum.rejected > 0) throw this.#someRejected();
  }

  async #runFile(file: OpenedFile, rejectedFile: RejectedFile | null): Promise<void> {
    const source = await openRows(file, this.#kind, this.#written, this.#facts.timezone, (text) => {
      this.#line?.clear();
      this.#office.note(text);
    });
    const form = await this.#formOf(source, rejectedFile !== null);
    await rejectedFile?.begin(form);
    const report = async ({ sum, rejected, lastRow }: Sent): Promise<void> => {
      this.#sumOfFile = sum;
      this.#bytesOfFile = lastRow?.bytesRead ?? 0;
      this.#tries = 1;
      await rejectedFile?.add(file.name, rejected, form);
      this.#remember(file.name, rejected);
    };
    const result = await this.#process(source, report).catch((error: unknown) => {
      // The file is broken further down, or rejected lines cannot be written: the lines before are stored.
      this.#sum = plus(this.#sum, this.#sumOfFile);
      this.#tellOutcome();
      throw error;
    });
    this.#sum = plus(this.#sum, result.sum);
    this.#bytesOfFiles += file.bytes ?? 0;
    [this.#bytesOfFile, this.#sumOfFile] = [0, NOTHING];
    if (!result.ok) throw this.#stopped(file, result);
  }

  async #process(source: RowSource, report: (sent: Sent) => Promise<void>): Promise<SendResult> {
    const { language, signal } = this.#office;
    if (this.#options.dryRun) {
      const sum = await judgeFile(source, this.#kind, this.#facts, language, signal, report);
      if (signal.aborted) throw interruptedStop();
      return { ok: true, sum };
    }
    const { source: source_code, municipality, fromLine = 1 } = this.#options;
    const target = {
      client: this.#office.clientOf(this.#office.connection, this.#countingTries()),
      kind: this.#kind,
      known: this.#facts,
      input: {
        ...this.#office.municipality(municipality),
        ...(source_code !== undefined && { source_code }),
      },
      call: { ...this.#office.call, ...partTime(this.#office.environment) },
      tellIn: language,
    };
    return sendFile(source, fromLine, target, report);
  }

  /** The client retries a part by itself; the progress shows it. */
  #countingTries(): typeof fetch {
    return async (...request) => {
      const response = await fetch(...request).finally(() => {
        this.#tries += 1;
      });
      if (response.ok) this.#tries = 1;
      return response;
    };
  }

  /** One table of rejected rows has one header: rows of several files are lines of JSON. */
  async #formOf(source: RowSource, isWritten: boolean): Promise<RejectedForm> {
    const { header, delimiter } = source;
    if (header === null || delimiter === null || this.#files.length > 1) return { header: null };
    return { header, delimiter, isMarked: isWritten && !(await source.isPlainUtf8()) };
  }

  #progress() {
    const known = this.#files.map(({ bytes }) => bytes);
    const sum = plus(this.#sum, this.#sumOfFile);
    return {
      bytesDone: this.#bytesOfFiles + this.#bytesOfFile,
      bytesTotal: known.some((bytes) => bytes === null)
        ? null
        : known.reduce((a: number, b) => a + (b ?? 0), 0),
      lines: sum.received,
      rejected: sum.rejected,
      seconds: this.#seconds(),
      tries: this.#tries,
    };
  }

  #seconds(): number {
    return (performance.now() - this.#startedAt) / 1_000;
  }

  #remember(file: string, rejected: readonly RejectedRow[]): void {
    for (const { row, code, message } of rejected.slice(0, MAX_LISTED - this.#listed.length)) {
      this.#listed.push(`${file}:${row.number}: ${message} (${code})`);
    }
  }

  /** However the import ended. First remove the line of progress, which would wipe messages below it. */
  #tellOutcome(): void {
    this.#line?.end();
    this.#tellRejected();
    this.#tellSum();
  }

  /** Rejected lines that were not listed. */
  get #unnamed(): number {
    return this.#options.rejected === undefined ? this.#sum.rejected - this.#listed.length : 0;
  }

  #tellRejected(): void {
    if (this.#options.rejected !== undefined) return;
    for (const line of this.#listed) this.#office.note({ en: line, it: line });
    const more = this.#unnamed;
    if (more > 0) {
      this.#office.note({
        en: `… and ${more} more: --rejected FILE writes all of them.`,
        it: `… e ${more === 1 ? 'un’altra' : `altre ${more}`}: --rejected FILE le scrive tutte.`,
      });
    }
  }

  #tellSum(): void {
    const { terminal, language, json } = this.#office;
    const { dryRun = false, rejected = null } = this.#options;
    const seconds = Math.round(this.#seconds() * 10) / 10;
    if (json) {
      const { received, created, updated, unchanged, rejected: refused } = this.#sum;
      const counts = dryRun
        ? { received, good: received - refused, rejected: refused }
        : { received, created, updated, unchanged, rejected: refused };
      terminal.json({
        dry_run: dryRun,
        files: this.#files.length,
        ...counts,
        seconds,
        rejected_file: rejected,
      });
      return;
    }
    for (const line of sumLines(this.#sum, seconds, dryRun, language)) terminal.data(line);
  }

  /**
   * Answered parts are stored: the message gives the sum, and a line to continue from that skips no unlisted
   * rejection.
   */
  #stopped(file: OpenedFile, { failure, lastRow }: Extract<SendResult, { ok: false }>): Stop {
    this.#tellOutcome();
    const { received } = this.#sum;
    const next = lastRow === undefined ? (this.#options.fromLine ?? 1) : lastRow.number + 1;
    const goOn =
      this.#unnamed > 0
        ? {
            en: 'With --rejected FILE it names every rejected line.',
            it: 'Con --rejected FILE indica tutte le righe rifiutate.',
          }
        : {
            en: `To skip stored lines: --from-line ${next}`,
            it: `Per saltare ciò che è salvato: --from-line ${next}`,
          };
    this.#office.note({
      en: `Stopped in ${file.name} before line ${next}, after ${counted(received, LINES, 'en')}. Run the same command again: it does no harm, and stored lines count as unchanged. ${goOn.en}`,
      it: `Interrotto in ${file.name} prima della riga ${next}, dopo ${counted(received, LINES, 'it')}. Non c’è nulla da annullare: lo stesso comando ripetuto non fa danni, e ciò che è già salvato conta come invariato. ${goOn.it}`,
    });
    return stopOf(failure);
  }

  #someRejected(): Stop {
    const { rejected } = this.#sum;
    const isDry = this.#options.dryRun === true;
    const [lines, righe] = [counted(rejected, LINES, 'en'), counted(rejected, LINES, 'it')];
    const one = rejected === 1;
    return new Stop(EXIT.refused, {
      en: `${lines} ${one ? 'was' : 'were'} rejected. Correct ${one ? 'it and import it' : 'them and import them'} again: the others are ${isDry ? 'good' : 'stored'}.`,
      it: `${righe} ${one ? 'rifiutata. Correggerla e importarla' : 'rifiutate. Correggerle e importarle'} di nuovo: le altre sono ${isDry ? 'buone' : 'salvate'}.`,
    });
  }
}

const oneFileAtATime = () =>
  wrongUsage({ en: '--from-line is for one file.', it: '--from-line vale per un solo file.' });
