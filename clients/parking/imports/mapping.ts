import * as z from 'zod';
import type { DateOrder, EndDates, Mapping } from '../../tables/index.ts';
import { given } from '../command.ts';
import { DocumentFile } from '../document.ts';
import { EXIT, Stop, wrongUsage } from '../stop.ts';

const FILE_FORMATS = ['csv', 'xlsx', 'ndjson'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

const text = z.union([z.string().min(1), z.number().transform(String)]);
const pairs = z.record(z.string(), text).optional();

/** What a mapping file may say: the options that describe files, under their own names. */
const keptMapping = z.strictObject({
  map: pairs,
  set: pairs,
  values: z.record(z.string(), z.record(z.string(), text)).optional(),
  'header-row': z.int().min(1).optional(),
  format: z.enum(FILE_FORMATS).optional(),
  sheet: z.string().optional(),
  delimiter: z.string().optional(),
  encoding: z.string().optional(),
  timezone: z.string().optional(),
  'date-order': z.enum(['dmy', 'mdy']).optional(),
  'end-dates': z.enum(['included', 'excluded']).optional(),
});
type KeptMapping = z.infer<typeof keptMapping>;

/** How files are written. */
export interface Writing
  extends Pick<KeptMapping, 'format' | 'sheet' | 'delimiter' | 'encoding' | 'timezone'> {
  readonly headerRow?: number | undefined;
  readonly dateOrder?: DateOrder | undefined;
  readonly endDates?: EndDates | undefined;
  readonly mapping: Mapping;
}

/** The options of the command that describe its files. */
export interface WritingOptions extends Omit<Writing, 'mapping'> {
  readonly map?: readonly string[] | undefined;
  readonly set?: readonly string[] | undefined;
  readonly value?: readonly string[] | undefined;
  readonly mapping?: string | undefined;
}

/**
 * The options of the command, and of its mapping where the command has none.
 *
 * @throws Stop for an invalid option, or two values for one property
 */
export function readWriting(options: WritingOptions): Writing {
  const kept = options.mapping === undefined ? {} : readKept(options.mapping);
  const { 'header-row': headerRow, 'date-order': dateOrder, 'end-dates': endDates, ...same } = kept;
  return { ...same, headerRow, dateOrder, endDates, ...given(options), mapping: mappingOf(kept, options) };
}

/** @throws Stop for a missing or invalid file, with the line of each mistake */
function readKept(name: string): KeptMapping {
  const file = new DocumentFile(name);
  const read = keptMapping.safeParse(file.value);
  if (read.success) return read.data;
  const issues = read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new Stop(EXIT.usage, `${file.name} is not a mapping.`, { lines: file.locate(issues) });
}

/** The command's options win over the mapping's, property by property. */
function mappingOf(kept: KeptMapping, { map = [], set = [], value = [] }: WritingOptions): Mapping {
  const [columns, constants] = [readPairs(map, '--map'), readPairs(set, '--set')];
  const keptOf = (kind: Readonly<Record<string, string>> = {}) =>
    Object.entries(kind).filter(([name]) => !columns.has(name) && !constants.has(name));
  const mapping = {
    columns: new Map([...keptOf(kept.map), ...columns]),
    constants: new Map([...keptOf(kept.set), ...constants]),
    values: valuesOf(kept.values ?? {}, readPairs(value, '--value')),
  };
  const both = [...mapping.columns.keys()].find((name) => mapping.constants.has(name));
  if (both !== undefined) throw wrongUsage(`${both} has both a column and a value: give only one of them.`);
  return mapping;
}

/**
 * Reads the value of `--map` or `--set`: `plate=Targa,area_code=Zona`.
 *
 * @throws Stop for anything but pairs, or a property twice
 */
function readPairs(texts: readonly string[], option: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pair of texts.flatMap((one) => one.split(','))) {
    const at = pair.indexOf('=');
    const [property, meant] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (at < 1 || meant === '' || found.has(property)) {
      throw wrongUsage(
        `${option} takes pairs, each property once: ${option} plate=Targa,area_code=Zona. This is not one: ${pair}`,
      );
    }
    found.set(property, meant);
  }
  return found;
}

/** The service's words for those of a file, by property and by the file's word in lower case. */
function valuesOf(
  kept: NonNullable<KeptMapping['values']>,
  said: ReadonlyMap<string, string>,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const found = new Map<string, Map<string, string>>();
  const add = (property: string, word: string, meant: string) =>
    found.set(property, (found.get(property) ?? new Map()).set(word.trim().toLowerCase(), meant));
  for (const [property, words] of Object.entries(kept)) {
    for (const [word, meant] of Object.entries(words)) add(property, word, meant);
  }
  for (const [name, meant] of said) {
    const [property = '', ...word] = name.split('.');
    if (property === '' || word.length === 0) {
      throw wrongUsage(
        `--value names a property and a word of the file: --value approval.approvato=approved. This does not: ${name}`,
      );
    }
    add(property, word.join('.'), meant);
  }
  return found;
}
