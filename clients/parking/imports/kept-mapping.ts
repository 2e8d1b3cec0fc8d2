import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { DocumentFile } from '../documents/document.ts';
import { wrongUsage } from '../stop.ts';
import { FILE_FORMATS } from './open-rows.ts';

const pairs = z.record(z.string(), z.union([z.string().min(1), z.number().transform(String)])).optional();

/** The options of an import that describe its files, stored in a mapping file. */
const keptMapping = z.strictObject({
  map: pairs,
  set: pairs,
  values: z
    .record(z.string(), z.record(z.string(), z.union([z.string(), z.number().transform(String)])))
    .optional(),
  'header-row': z.int().min(1).optional(),
  format: z.enum(FILE_FORMATS).optional(),
  sheet: z.string().optional(),
  delimiter: z.string().optional(),
  encoding: z.string().optional(),
  timezone: z.string().optional(),
  'date-order': z.enum(['dmy', 'mdy']).optional(),
  'end-dates': z.enum(['included', 'excluded']).optional(),
});

export type KeptMapping = z.infer<typeof keptMapping>;

/**
 * Reads a mapping that an office keeps: a file, or the name of one in the folder `mappings` next to the
 * profiles.
 *
 * @throws Stop for a missing or invalid one, with the line of each mistake
 */
export function readKeptMapping(nameOrFile: string, profilesPath: string): KeptMapping {
  const folder = join(dirname(profilesPath), 'mappings');
  const named = join(folder, `${nameOrFile}.yaml`);
  const isName = /^[\w-]{1,100}$/.test(nameOrFile) && !existsSync(nameOrFile);
  if (isName && !existsSync(named)) throw noMapping(nameOrFile, named);
  const file = DocumentFile.read(isName ? named : nameOrFile);
  const read = keptMapping.safeParse(file.value);
  if (read.success) return read.data;
  const issues = read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw wrongUsage(
    { en: `${file.name} is not a mapping.`, it: `${file.name} non è una mappatura.` },
    { lines: file.locate(issues) },
  );
}

const noMapping = (name: string, file: string) =>
  wrongUsage({
    en: `There is no mapping ${name}: it would be the file ${file}, with map, set and how the files are written.`,
    it: `Non c’è una mappatura ${name}: sarebbe il file ${file}, con map, set e com’è scritto il file.`,
  });
