import * as z from 'zod';
import { customIssue, optionalText } from '../../base/forms/fields.ts';
import { MAX_CENTS } from '../../domain/purchase-options.ts';

/** Fields that the options query and payments share. */

export const TERMINAL_CODE_LENGTH = 64;

/** The plate of a request, and where it is sold to. */
export const soldTo = {
  plate: z.string().trim().describe('The plate as typed. It is normalized as in the plate check.'),
  municipality_code: optionalText.describe(
    'The municipality. Null, blank or absent: the credential’s only municipality.',
  ),
};

/** A text of at most so many characters. Null and blank mean absent. */
export const shortText = (longest: number) =>
  optionalText.refine((text) => text === undefined || [...text].length <= longest, {
    params: customIssue({
      en: `must have at most ${longest} characters`,
      it: `deve avere al massimo ${longest} caratteri`,
    }),
  });

/** The meter, in an answer. */
export const terminalCode = z
  .string()
  .min(1)
  .max(TERMINAL_CODE_LENGTH)
  .optional()
  .describe('As sent, trimmed. Absent if it was not sent.');

export const eurocents = z.int().min(1).max(MAX_CENTS);
