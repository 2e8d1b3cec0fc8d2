import { setTimeout as wait } from 'node:timers/promises';
import type { Failure, Input, Result } from '../../client/index.ts';
import { EXIT } from '../exit-codes.ts';
import { exitOf, stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import { Live } from '../terminal/live.ts';
import { freshnessLine, type Look, type Report, reportLines } from './report.ts';

type ReportInput = Input<'reportActiveByArea'>;

const REDRAWN_EVERY_MS = 1_000;
/** After a failure: sooner than a whole minute, later than at once. */
const AGAIN_AFTER_FAILURE_SECONDS = 10;
/** Title, titles of columns, sums, sources, freshness, the cursor's own line. */
const LINES_AROUND = 7;

/** Prints the report once. */
export async function showReport(office: Office, input: ReportInput): Promise<void> {
  const report = await office.answer(office.client.reportActiveByArea(input, office.call));
  print(office, report);
}

/**
 * Follows the report until Ctrl-C: in place in a terminal, else one after the other. While the service is
 * away, the last report stays, with its age. A refusal ends it.
 */
export async function watchReport(office: Office, input: ReportInput): Promise<void> {
  const watch = new Watch(office);
  try {
    while (!office.signal.aborted) {
      const result = await office.client.reportActiveByArea(input, office.call);
      if (office.signal.aborted) break;
      if (!result.ok && (!watch.hasReport || exitOf(result) !== EXIT.unavailable)) throw stopOf(result);
      watch.take(result);
      await watch.untilNext();
    }
  } finally {
    watch.end();
  }
}

class Watch {
  readonly #office: Office;
  readonly #live: Live;
  #report: Report | null = null;
  #reportAt = 0;
  #failure: Failure | null = null;
  #nextAt = 0;

  constructor(office: Office) {
    this.#office = office;
    this.#live = new Live(office.terminal, 'stdout');
  }

  get hasReport(): boolean {
    return this.#report !== null;
  }

  take(result: Result<Report>): void {
    const now = Date.now();
    if (result.ok) {
      [this.#report, this.#reportAt, this.#failure] = [result.answer, now, null];
      this.#nextAt = now + result.answer.refresh_after_seconds * 1_000;
      if (!this.#isLive) print(this.#office, result.answer);
    } else {
      this.#failure = result;
      this.#nextAt = now + Math.max(result.retryAfterSeconds ?? 0, AGAIN_AFTER_FAILURE_SECONDS) * 1_000;
      if (!this.#isLive) this.#office.terminal.note(textOf(result));
    }
  }

  /** Waits for the next report, and updates the age meanwhile. */
  async untilNext(): Promise<void> {
    const { signal } = this.#office;
    while (!signal.aborted && Date.now() < this.#nextAt) {
      this.#draw();
      const left = this.#nextAt - Date.now();
      await wait(Math.min(left, this.#isLive ? REDRAWN_EVERY_MS : left), undefined, { signal }).catch(
        () => {},
      );
    }
  }

  end(): void {
    this.#draw();
    this.#live.end();
  }

  get #isLive(): boolean {
    return this.#live.isDrawn && !this.#office.json;
  }

  #draw(): void {
    if (this.#report === null || !this.#isLive) return;
    const look = lookOf(this.#office);
    const [age, left] = [Date.now() - this.#reportAt, this.#nextAt - Date.now()];
    const failure = this.#failure === null ? null : textOf(this.#failure);
    const lines = [
      ...reportLines(this.#report, look),
      freshnessLine(age / 1_000, left / 1_000, failure, look),
    ];
    this.#live.show(...lines);
  }
}

function print(office: Office, report: Report): void {
  if (office.json) {
    office.terminal.jsonLine(report);
    return;
  }
  // Output to a pipe or a file is complete.
  const columns = office.terminal.isSeen ? office.terminal.columns : Infinity;
  for (const line of reportLines(report, {
    ...lookOf(office),
    columns,
    maxAreas: Infinity,
    longestLine: Infinity,
  }))
    office.terminal.data(line);
}

function lookOf({ terminal, language }: Office): Look {
  return {
    language,
    paint: terminal.paint,
    columns: terminal.columns,
    longestLine: terminal.columns,
    maxAreas: Math.max(3, terminal.rows - LINES_AROUND),
  };
}

const textOf = ({ message, code }: Failure): string => `${message ?? ''} (${code})`.trim();
