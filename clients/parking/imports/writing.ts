import type { Mapping } from '../../tables/index.ts';
import { wrongUsage } from '../stop.ts';
import { type KeptMapping, readKeptMapping } from './kept-mapping.ts';
import type { TableOptions } from './open-rows.ts';

/** The command's options about the format of its files. */
export interface WritingOptions extends Partial<TableOptions> {
  readonly map?: readonly string[] | undefined;
  readonly set?: readonly string[] | undefined;
  readonly value?: readonly string[] | undefined;
  readonly mapping?: string | undefined;
  readonly timezone?: string | undefined;
}

/** The format of the files: from the command, from its mapping, or the default. */
export interface Writing {
  readonly mapping: Mapping;
  readonly table: TableOptions;
  /** Undefined: the municipality's. */
  readonly timezone: string | undefined;
}

/**
 * Reads the value of `--map` or `--set`: `plate=Targa,area_code=Zona`.
 *
 * @throws Stop for anything but pairs, or a property twice
 */
export function readPairs(texts: readonly string[], option: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const pair of texts.flatMap((text) => text.split(','))) {
    const at = pair.indexOf('=');
    const [property, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (at < 1 || value === '' || pairs.has(property)) {
      throw wrongUsage({
        en: `${option} takes pairs, each property once: ${option} plate=Targa,area_code=Zona. This is not one: ${pair}`,
        it: `${option} accetta coppie, ogni proprietà una volta: ${option} plate=Targa,area_code=Zona. Questa non lo è: ${pair}`,
      });
    }
    pairs.set(property, value);
  }
  return pairs;
}

/** @throws Stop for an invalid option, or two values for one property */
export function readWriting(options: WritingOptions, profilesPath: string): Writing {
  const kept = options.mapping === undefined ? {} : readKeptMapping(options.mapping, profilesPath);
  return {
    mapping: mappingOf(kept, options),
    table: {
      format: options.format ?? kept.format,
      delimiter: options.delimiter ?? kept.delimiter,
      sheet: options.sheet ?? kept.sheet,
      headerRow: options.headerRow ?? kept['header-row'],
      encoding: options.encoding ?? kept.encoding ?? null,
      dateOrder: options.dateOrder ?? kept['date-order'] ?? 'dmy',
      endDates: options.endDates ?? kept['end-dates'],
    },
    timezone: options.timezone ?? kept.timezone,
  };
}

/** The command's options win over the mapping's, property by property. */
function mappingOf(kept: KeptMapping, { map = [], set = [], value = [] }: WritingOptions): Mapping {
  const [columns, constants] = [readPairs(map, '--map'), readPairs(set, '--set')];
  const keptOf = (pairs: Readonly<Record<string, string>> = {}) =>
    Object.entries(pairs).filter(([name]) => !columns.has(name) && !constants.has(name));
  const mapping = {
    columns: new Map([...keptOf(kept.map), ...columns]),
    constants: new Map([...keptOf(kept.set), ...constants]),
    values: valuesOf(kept, value),
  };
  const both = [...mapping.columns.keys()].find((name) => mapping.constants.has(name));
  if (both !== undefined) throw mappedTwice(both);
  return mapping;
}

/** The service's words for those of a file, by property and by the file's word in lower case. */
function valuesOf(
  { values = {} }: KeptMapping,
  said: readonly string[],
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const pairs = [
    ...Object.entries(values).flatMap(([property, words]) =>
      Object.entries(words).map(([word, meant]) => [property, word, meant] as const),
    ),
    ...[...readPairs(said, '--value')].map(([name, meant]) => {
      const at = name.indexOf('.');
      if (at < 1) throw noValue(name);
      return [name.slice(0, at), name.slice(at + 1), meant] as const;
    }),
  ];
  const found = new Map<string, Map<string, string>>();
  for (const [property, word, meant] of pairs) {
    const words = found.get(property) ?? new Map<string, string>();
    found.set(property, words.set(word.trim().toLowerCase(), meant));
  }
  return found;
}

const noValue = (name: string) =>
  wrongUsage({
    en: `--value names a property and a word of the file: --value approval.approvato=approved. This does not: ${name}`,
    it: `--value indica una proprietà e una parola del file: --value approval.approvato=approved. Questo no: ${name}`,
  });

const mappedTwice = (name: string) =>
  wrongUsage({
    en: `${name} has both a column and a value: give only one of them.`,
    it: `${name} ha una colonna e un valore: indicarne uno solo.`,
  });
