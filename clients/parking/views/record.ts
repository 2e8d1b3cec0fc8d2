import type { Language } from '../../../src/text/text.ts';
import { fieldLines, harmless, tableLines } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { evidenceWord } from './evidence-words.ts';

type Paint = (style: Style, text: string) => string;

/** A session or a subscription, as an import's line has it. */
export type RecordLine = Readonly<Record<string, unknown>>;

/** A record for people, one property a line. */
export const recordLines = (record: RecordLine, language: Language): string[] =>
  fieldLines(Object.entries(record).map(([name, value]) => [evidenceWord(name, language), shown(value)]));

/** A record before and after a change, what differs marked with `≠`. Null: it was not there. */
export function changeLines(
  before: RecordLine | null,
  after: RecordLine,
  language: Language,
  paint: Paint,
): string[] {
  const rows = Object.keys(after).map((name) => {
    const [old, now] = [before === null ? '–' : shown(before[name]), shown(after[name])];
    const cells = [old === now ? ' ' : '≠', evidenceWord(name, language), old, now];
    return old === now ? cells : cells.map((cell) => paint('yellow', cell));
  });
  const titles = language === 'it' ? [' ', '', 'prima', 'dopo'] : [' ', '', 'before', 'after'];
  return tableLines(
    titles.map((title) => ({ title })),
    rows,
    (title) => paint('dim', title),
  );
}

/** A value as people read it: a list with commas, a stretch of time with an arrow. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(shownItem).join(', ');
  return harmless(String(value));
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
  const span = isBounded ? `${starts_at ?? '…'} → ${ends_at ?? '…'}` : '';
  if (plate === undefined) return harmless(span);
  return harmless(span === '' ? String(plate) : `${plate} (${span})`);
}
