import type { Language, Text } from '../../../src/base/text/text.ts';
import { barOf } from '../terminal/bar.ts';
import { Live } from '../terminal/live.ts';
import { counted, durationOf, groupDigits } from '../terminal/numbers.ts';
import { shorten } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { LINES, REJECTED } from './sum-text.ts';

/** The progress of an import. */
export interface Progress {
  readonly bytesDone: number;
  /** Null: not known before the end. */
  readonly bytesTotal: number | null;
  readonly lines: number;
  readonly rejected: number;
  readonly seconds: number;
  /** Tries of the present part; 1 is the first. */
  readonly tries: number;
}

const BAR_WIDTH = 24;
const REDRAWN_EVERY_MS = 200;

/** One line: bar, share, lines, rate, time left. */
export function progressText(progress: Progress, language: Language): string {
  const { bytesDone, bytesTotal, lines, rejected, seconds, tries } = progress;
  const say = (text: Text) => text[language];
  const rate = seconds > 0 ? lines / seconds : 0;
  const share = bytesTotal === null || bytesTotal === 0 ? null : Math.min(1, bytesDone / bytesTotal);
  const left = share === null || share === 0 ? null : (seconds / share) * (1 - share);
  return [
    ...(share === null
      ? []
      : [`${barOf(share, BAR_WIDTH)} ${String(Math.floor(share * 100)).padStart(3)} %`]),
    counted(lines, LINES, language),
    ...(rate > 0 ? [`${groupDigits(Math.round(rate), language)}/s`] : []),
    ...(left === null ? [] : [say({ en: `${durationOf(left)} left`, it: `ancora ${durationOf(left)}` })]),
    ...(rejected > 0 ? [counted(rejected, REJECTED, language)] : []),
    ...(tries > 1 ? [say({ en: `part sent again (${tries})`, it: `parte reinviata (${tries})` })] : []),
  ].join('  ');
}

/** Shows the progress on standard error, if that is a terminal. */
export class ProgressLine {
  readonly #live: Live;
  readonly #timer: NodeJS.Timeout;
  #hasEnded = false;

  constructor(terminal: Terminal, language: Language, progress: () => Progress) {
    this.#live = new Live(terminal, 'stderr');
    const columns = terminal.paintNote.columns ?? 80;
    const draw = () => this.#live.show(shorten(progressText(progress(), language), columns - 1));
    this.#timer = setInterval(() => {
      if (this.#live.isDrawn) draw();
    }, REDRAWN_EVERY_MS);
    this.#timer.unref();
    if (this.#live.isDrawn) draw();
  }

  /** Makes room for a message: the line is drawn again below it. */
  clear(): void {
    if (!this.#hasEnded) this.#live.clear();
  }

  /** Removes the line. Only once: a second time would wipe a later message. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearInterval(this.#timer);
    this.#live.clear();
  }
}
