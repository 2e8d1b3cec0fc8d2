import { Archive } from './archive.ts';
import { damaged } from './broken.ts';
import type { References } from './cells.ts';
import { rowsOf, type SheetRow } from './sheet.ts';
import { dateStyles } from './styles.ts';
import { attributeOf, openingsOf, tokensOf, unescaped } from './xml.ts';

/** A workbook has no sheet of this name. */
export class NoSuchSheet extends Error {
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(names.join(', '));
    this.names = names;
  }
}

/**
 * Opens a sheet of a workbook. Its rows are read one by one.
 *
 * @param sheet null: the first one
 * @throws NoSuchSheet
 * @throws BrokenWorkbook if it is not a workbook, or too large
 */
export function openSheet(bytes: Buffer, sheet: string | null): Iterable<SheetRow> {
  const archive = new Archive(bytes);
  const relations = relationsOf(archive.text('xl/_rels/workbook.xml.rels') ?? '');
  const { sheets, countsFrom1904 } = contentsOf(archive.text('xl/workbook.xml') ?? '');
  const pathOf = (id: string) => relations.find((one) => one.id === id && one.type === 'worksheet')?.path;
  const tables = sheets.filter(({ id }) => pathOf(id) !== undefined);
  if (tables.length === 0) throw damaged('no sheets');
  const found = tables.find(({ name }) => sheet === null || name === sheet);
  if (found === undefined) throw new NoSuchSheet(tables.map(({ name }) => name));
  const textOf = (type: string, otherwise: string) =>
    archive.text(relations.find((one) => one.type === type)?.path ?? otherwise) ?? '';
  const references: References = {
    strings: sharedStrings(textOf('sharedStrings', 'xl/sharedStrings.xml')),
    dateStyles: dateStyles(textOf('styles', 'xl/styles.xml')),
    countsFrom1904,
  };
  const xml = archive.text(pathOf(found.id) ?? '');
  if (xml === undefined) throw damaged('no sheet where one has to be');
  return rowsOf(xml, references);
}

interface Relation {
  readonly id: string;
  /** The last part of its address: `worksheet`, `styles`. */
  readonly type: string;
  readonly path: string;
}

function relationsOf(xml: string): Relation[] {
  const found: Relation[] = [];
  for (const { name, attributes } of openingsOf(xml)) {
    if (name !== 'Relationship') continue;
    const [id = '', type = '', target = ''] = ['Id', 'Type', 'Target'].map((one) =>
      attributeOf(attributes, one),
    );
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
    found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), path });
  }
  return found;
}

function contentsOf(xml: string) {
  const sheets: { readonly name: string; readonly id: string }[] = [];
  let countsFrom1904 = false;
  for (const { name, attributes } of openingsOf(xml)) {
    if (name === 'workbookPr') {
      countsFrom1904 ||= ['1', 'true'].includes(attributeOf(attributes, 'date1904') ?? '');
    }
    if (name !== 'sheet') continue;
    const [title = '', id = ''] = ['name', 'id'].map((one) => attributeOf(attributes, one));
    sheets.push({ name: unescaped(title), id });
  }
  return { sheets, countsFrom1904 };
}

function sharedStrings(xml: string): string[] {
  const strings: string[] = [];
  let text = '';
  let isText = false;
  let isSpoken = false;
  for (const token of tokensOf(xml)) {
    if (token.kind === 'text') {
      // `rPh` holds the pronunciation.
      if (isText && !isSpoken) text += token.text;
      continue;
    }
    const isOpen = token.kind === 'open';
    if (token.name === 't') isText = isOpen;
    if (token.name === 'rPh') isSpoken = isOpen;
    if (token.name !== 'si') continue;
    if (!isOpen) strings.push(unescaped(text));
    text = '';
  }
  return strings;
}
