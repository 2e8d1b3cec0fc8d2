import * as z from 'zod';
import { line, optionalText } from '../../base/forms/fields.ts';
import type { Text } from '../../base/text/text.ts';
import { CODE_LENGTH } from '../../storage/db/schema/columns.ts';

/** For a `NOT_FOUND`. */
export const UNKNOWN_MUNICIPALITY: Text = {
  en: 'There is no municipality with this code.',
  it: 'Non c’è un comune con questo codice.',
};

export const UNKNOWN_TENANT: Text = {
  en: 'is not a known tenant: put its configuration first',
  it: 'non è un ente conosciuto: inviarne prima la configurazione',
};

/** The code of something that may exist. */
export const storedCode = () => line(CODE_LENGTH);

/** The same in a field that may be missing: null and a blank text are the same as absent. */
export const optionalStoredCode = () =>
  optionalText.pipe(storedCode().optional()).meta({ maxLength: CODE_LENGTH });

/** The fields that name a plate and the tenant that may hold it. */
export const plateOfTenant = {
  tenant: optionalStoredCode().describe(
    'The code of the tenant that the person asked. Null, blank or absent, for an office: its own.',
  ),
  plate: z.string().trim().describe('The plate. It is normalized as in a plate check.'),
};
