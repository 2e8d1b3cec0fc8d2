import { strFromU8, type UnzipFileInfo, unzipSync } from 'fflate';

/** Of a workbook, unpacked: a hundred thousand rows, which take some 500 MiB of memory. A larger one is saved as CSV. */
export const MAX_UNPACKED_BYTES = 32 * 1_024 * 1_024;

const WORKBOOK = 'xl/workbook.xml';
const RELATIONS = 'xl/_rels/workbook.xml.rels';

/** Bytes of everything in it, as its directory says. @throws Error for what is not an archive */
export function unpackedBytes(archive: Uint8Array): number {
  let bytes = 0;
  const count = ({ originalSize }: UnzipFileInfo): boolean => {
    bytes += originalSize;
    return false;
  };
  unzipSync(archive, { filter: count });
  return bytes;
}

/**
 * The cells of a sheet that have no value though somebody saw one: an error such as `#N/A`, or a formula that was stored
 * without its result. Who reads the sheet would take them for empty.
 *
 * @param name null: the first sheet
 * @returns their addresses with what they hold, by row
 */
export function valuelessCells(archive: Uint8Array, name: string | null): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const { tag, inner } of elementsOf(sheetOf(archive, name), 'c')) {
    const isError = attributeOf(tag, 't') === 'e';
    const isUncached = inner.includes('<f') && !inner.includes('<v');
    if (!isError && !isUncached) continue;
    const address = attributeOf(tag, 'r');
    const row = Number(address.replace(/\D/g, ''));
    const [, value = ''] = /<v>([^<]{1,20})<\/v>/.exec(inner) ?? [];
    if (!found.has(row)) found.set(row, `${address} ${isError ? value : '='}`.trim());
  }
  return found;
}

/** The XML of a sheet. */
function sheetOf(archive: Uint8Array, name: string | null): string {
  const parts = textsOf(archive, (name) => name === WORKBOOK || name === RELATIONS);
  const sheets = [...elementsOf(parts[WORKBOOK] ?? '', 'sheet')];
  const sheet = sheets.find(({ tag }) => name === null || withoutEntities(attributeOf(tag, 'name')) === name);
  const id = sheet === undefined ? '' : attributeOf(sheet.tag, 'r:id');
  const relation = [...elementsOf(parts[RELATIONS] ?? '', 'Relationship')].find(
    ({ tag }) => attributeOf(tag, 'Id') === id,
  );
  const target = relation === undefined ? '' : attributeOf(relation.tag, 'Target');
  const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
  const text = textsOf(archive, (name) => name === path)[path];
  if (text === undefined) throw new Error(`the workbook has no ${path}`);
  return text;
}

function textsOf(archive: Uint8Array, isWanted: (name: string) => boolean): Record<string, string> {
  const files = unzipSync(archive, { filter: ({ name }) => isWanted(name) });
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]));
}

interface Element {
  readonly tag: string;
  /** What is between its tags; empty where it has only one. */
  readonly inner: string;
}

/** The elements of a name, none of which holds another of it. */
function* elementsOf(xml: string, name: string): Generator<Element, void, void> {
  const [opening, closing] = [`<${name} `, `</${name}>`];
  for (let at = xml.indexOf(opening); at !== -1; at = xml.indexOf(opening, at + 1)) {
    const end = xml.indexOf('>', at) + 1;
    const tag = xml.slice(at, end);
    const until = tag.endsWith('/>') ? end : xml.indexOf(closing, end);
    if (end === 0 || until === -1) return;
    yield { tag, inner: xml.slice(end, until) };
  }
}

function attributeOf(tag: string, name: string): string {
  const [, behind = ''] = tag.split(` ${name}="`);
  return behind.slice(0, Math.max(0, behind.indexOf('"')));
}

const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' } as const;

const withoutEntities = (text: string): string =>
  Object.entries(ENTITIES).reduce(
    (before, [entity, character]) => before.replaceAll(entity, character),
    text,
  );
