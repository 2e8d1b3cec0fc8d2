import { attributeOf, openingsOf } from './xml.ts';

/** The formats of dates and times that every program knows, by their numbers. */
const isBuiltIn = (id: number): boolean =>
  (id >= 14 && id <= 22) ||
  (id >= 27 && id <= 36) ||
  (id >= 45 && id <= 47) ||
  (id >= 50 && id <= 58) ||
  (id >= 71 && id <= 81);

/** For each style of a cell, by its number: whether it shows a number as a date or a time. */
export function dateStyles(xml: string): readonly boolean[] {
  const { codes, base, cells } = stylesIn(xml);
  const known = new Map<number, boolean>();
  return cells.map((cell) => {
    const id = cell.format ?? base[cell.base]?.format ?? 0;
    const found = known.get(id) ?? (isBuiltIn(id) || isDateFormat(codes.get(id) ?? ''));
    known.set(id, found);
    return found;
  });
}

interface Style {
  readonly format: number | undefined;
  /** Which of the base styles it builds on. */
  readonly base: number;
}

function stylesIn(xml: string) {
  const codes = new Map<number, string>();
  const lists: Record<string, Style[]> = { cellStyleXfs: [], cellXfs: [], others: [] };
  let list = 'others';
  for (const { name, attributes } of openingsOf(xml)) {
    if (Object.hasOwn(lists, name)) list = name;
    const format = numberIn(attributes, 'numFmtId');
    // Those of the document come first; conditional formats have some of their own.
    if (name === 'numFmt' && format !== undefined && !codes.has(format)) {
      codes.set(format, attributeOf(attributes, 'formatCode') ?? '');
    }
    if (name === 'xf') lists[list]?.push({ format, base: numberIn(attributes, 'xfId') ?? -1 });
  }
  return { codes, base: lists.cellStyleXfs ?? [], cells: lists.cellXfs ?? [] };
}

function numberIn(attributes: string, name: string): number | undefined {
  const value = attributeOf(attributes, name);
  return value === undefined ? undefined : Number(value);
}

/** The letters of a format of dates and times, without the separators. */
const PARTS =
  'y yy yyyy e ee eeee m mm mmm mmmm mmmmm d dd ddd dddd aaa aaaa aaaaa h hh s ss am pm a p'.split(' ');

/** Excel takes no longer one. */
const MAX_CODE_CHARACTERS = 255;

/** Whether one of a format's sections has nothing but parts of dates and times. */
function isDateFormat(code: string): boolean {
  if (code.length > MAX_CODE_CHARACTERS) return false;
  const sections = code.toLowerCase().replace(/;@$/, '').replace(/\\./g, ' ').split(';');
  return sections.some((section) => {
    const bare = section
      .replace(/"[^"]{0,255}"/g, ' ')
      .replace(/(\[?[smhd]{1,2}\]?)[.,]00?0?/g, '$1')
      .replace(/\[([smhd]{1,2})\]/g, '$1')
      .replace(/\[[^\]]{0,255}\]/g, '');
    const words = bare.split(/[^a-z0#?%]/).filter((word) => word !== '');
    return words.length > 0 && words.every((word) => PARTS.includes(word));
  });
}
