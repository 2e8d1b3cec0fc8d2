import { wrongUsage } from '../stop.ts';
import { type KeptMapping, readKeptMapping } from './kept-mapping.ts';
import { type Mapping, readPairs } from './mapping.ts';
import type { TableOptions } from './open-rows.ts';

/** What the command says of how its files are written. */
export interface WritingOptions extends Partial<TableOptions> {
  readonly map?: readonly string[] | undefined;
  readonly set?: readonly string[] | undefined;
  readonly mapping?: string | undefined;
  readonly timezone?: string | undefined;
}

/** How files are written: by the command, by the mapping that it names, or as most are. */
export interface Writing {
  readonly mapping: Mapping;
  readonly table: TableOptions;
  /** Undefined: the municipality's. */
  readonly timezone: string | undefined;
}

/** @throws Stop for what cannot be read, or says two things of one property */
export function readWriting(options: WritingOptions, profilesPath: string): Writing {
  const kept = options.mapping === undefined ? {} : readKeptMapping(options.mapping, profilesPath);
  return {
    mapping: mappingOf(kept, options),
    table: {
      format: options.format ?? kept.format,
      delimiter: options.delimiter ?? kept.delimiter,
      sheet: options.sheet ?? kept.sheet,
      encoding: options.encoding ?? kept.encoding ?? null,
      dateOrder: options.dateOrder ?? kept['date-order'] ?? 'dmy',
      endDates: options.endDates ?? kept['end-dates'],
    },
    timezone: options.timezone ?? kept.timezone,
  };
}

/** What the command says counts before what is kept, property by property. */
function mappingOf(kept: KeptMapping, { map = [], set = [] }: WritingOptions): Mapping {
  const [columns, constants] = [readPairs(map, '--map'), readPairs(set, '--set')];
  const keptOf = (pairs: Readonly<Record<string, string>> = {}) =>
    Object.entries(pairs).filter(([name]) => !columns.has(name) && !constants.has(name));
  const mapping = {
    columns: new Map([...keptOf(kept.map), ...columns]),
    constants: new Map([...keptOf(kept.set), ...constants]),
  };
  const both = [...mapping.columns.keys()].find((name) => mapping.constants.has(name));
  if (both !== undefined) throw mappedTwice(both);
  return mapping;
}

const mappedTwice = (name: string) =>
  wrongUsage({
    en: `${name} has both a column and a value: give only one of them.`,
    it: `${name} ha una colonna e un valore: indicarne uno solo.`,
  });
