import type { Language } from '../../../src/base/text/text.ts';
import { fieldLines, tableLines } from '../terminal/table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { shownTime } from '../time/shown-time.ts';
import { evidenceWord } from './evidence-words.ts';

/** A session or a subscription, as an import's line has it. */
export type RecordLine = Readonly<Record<string, unknown>>;

/** A record for people, one property a line. */
export const recordLines = (record: RecordLine, language: Language, columns?: number): string[] =>
  fieldLines(
    Object.entries(record).map(([name, value]) => [
      evidenceWord(name, language),
      recordValue(name, value, language),
    ]),
    columns,
  );

/** Properties whose values are words of the service. */
const WORDED = ['approval', 'areas'];
const IS_TIME = /_(?:at|from|until)$/;

/** A value of a record as people read it. */
export const recordValue = (name: string, value: unknown, language: Language): string =>
  typeof value !== 'string'
    ? shown(value)
    : WORDED.includes(name)
      ? evidenceWord(value, language)
      : IS_TIME.test(name)
        ? shownTime(value)
        : value;

/** A record before and after a change, differences marked with `≠`. Null: it did not exist. */
export function changeLines(
  before: RecordLine | null,
  after: RecordLine,
  language: Language,
  paint: Paint,
): string[] {
  const rows = Object.keys(after).map((name) => {
    const said = (record: RecordLine) => recordValue(name, record[name], language);
    const [old, now] = [before === null ? '–' : said(before), said(after)];
    const cells = [old === now ? ' ' : '≠', evidenceWord(name, language), old, now];
    return old === now ? cells : cells.map((cell) => paint('yellow', cell));
  });
  const titles = language === 'it' ? [' ', '', 'prima', 'dopo'] : [' ', '', 'before', 'after'];
  return tableLines(
    titles.map((title) => ({ title })),
    rows,
    paint,
  );
}

/** A value as people read it: a list with commas, a stretch of time with an arrow. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(shownItem).join(', ');
  return String(value);
}

function shownItem(item: unknown): string {
  if (typeof item !== 'object' || item === null) return shown(item);
  const {
    plate,
    valid_from,
    valid_until,
    starts_at = valid_from,
    ends_at = valid_until,
  }: RecordLine = {
    ...item,
  };
  const isBounded = (starts_at ?? ends_at ?? null) !== null;
  const span = isBounded ? `${timeOr(starts_at)} → ${timeOr(ends_at)}` : '';
  if (plate === undefined) return span;
  return span === '' ? String(plate) : `${plate} (${span})`;
}

const timeOr = (value: unknown): string => (typeof value === 'string' ? shownTime(value) : '…');
