import * as z from 'zod';
import { anyInstantText } from '../../base/forms/fields.ts';
import { INSTANT_LENGTH, INSTANT_PATTERN } from '../../domain/instant.ts';

export { anyInstantText, holdsNoToken, instantText, NO_TOKEN } from '../../base/forms/fields.ts';

/** An optional text: null and a blank text are the same as absent. */
export const optionalText = z
  .string()
  .trim()
  .nullish()
  .transform((text) => text || undefined);

/** An optional instant to ask about: null and a blank text are the same as absent. */
export const optionalInstantText = optionalText
  .pipe(anyInstantText.optional())
  .meta({ pattern: `^$|${INSTANT_PATTERN}`, maxLength: INSTANT_LENGTH });
