import { strToU8, zipSync } from 'fflate';

const NAMESPACES = 'http://schemas.openxmlformats.org';
const MAIN = `${NAMESPACES}/spreadsheetml/2006/main`;
const RELATIONS = `${NAMESPACES}/officeDocument/2006/relationships`;

/** What stands in a cell. A style says how a number is shown: as a date, a date with its time, or a time of day. */
export type Cell =
  | string
  | number
  | { readonly days: number; readonly as: 'date' | 'instant' | 'time' }
  | { readonly formula: string; readonly result?: number }
  | { readonly error: string }
  | null;

const STYLES = { date: 1, instant: 2, time: 3 } as const;

/** Days since 1900 as Excel counts them, of what a clock on a wall shows. */
export const daysOf = (shown: string): number => Date.parse(`${shown}Z`) / 86_400_000 + 25_569;

/** An Excel workbook of a few sheets, each a list of rows. */
export function workbook(sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>): Uint8Array {
  const names = Object.keys(sheets);
  return packed({
    '[Content_Types].xml': `<Types xmlns="${NAMESPACES}/package/2006/content-types"/>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${names
      .map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${NAMESPACES}/package/2006/relationships">${[
      ...names.map((_, index) => relation(index + 1, 'worksheet', `worksheets/sheet${index + 1}.xml`)),
      relation(99, 'styles', 'styles.xml'),
    ].join('')}</Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><cellXfs>${[0, 14, 22, 20]
      .map((format) => `<xf numFmtId="${format}"/>`)
      .join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetOf(rows)]),
    ),
  });
}

/** A workbook of one sheet, of which parts are as they are given: a sheet, shared strings, styles. */
export function rawWorkbook(parts: {
  readonly sheet: string;
  readonly strings?: string;
  readonly styles?: string;
  readonly date1904?: string;
}) {
  const { sheet, strings, styles, date1904 = '0' } = parts;
  return packed({
    'xl/workbook.xml': `<workbook xmlns:r="${RELATIONS}"><workbookPr date1904="${date1904}"/><sheets><sheet name="Soste" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation(1, 'worksheet', '/xl/sheet.xml')}${relation(2, 'sharedStrings', 'strings.xml')}${relation(3, 'styles', 'styles.xml')}</Relationships>`,
    'xl/sheet.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
    ...(strings !== undefined && { 'xl/strings.xml': `<sst>${strings}</sst>` }),
    ...(styles !== undefined && { 'xl/styles.xml': `<styleSheet>${styles}</styleSheet>` }),
  });
}

const packed = (files: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

const relation = (id: number, type: string, target: string): string =>
  `<Relationship Id="rId${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;

function sheetOf(rows: readonly (readonly Cell[])[]): string {
  const lines = rows.map((cells, row) => {
    const written = cells.map((cell, column) => cellOf(cell, `${'ABCDEFGH'[column]}${row + 1}`));
    return `<row r="${row + 1}">${written.join('')}</row>`;
  });
  return `<worksheet xmlns="${MAIN}"><sheetData>${lines.join('')}</sheetData></worksheet>`;
}

function cellOf(cell: Cell, at: string): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return `<c r="${at}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  if ('days' in cell) return `<c r="${at}" s="${STYLES[cell.as]}"><v>${cell.days}</v></c>`;
  if ('error' in cell) return `<c r="${at}" t="e"><f>A1</f><v>${cell.error}</v></c>`;
  const result = cell.result === undefined ? '' : `<v>${cell.result}</v>`;
  return `<c r="${at}"><f>${cell.formula}</f>${result}</c>`;
}
