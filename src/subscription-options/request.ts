import * as z from 'zod';
import { optionalText } from '../http/fields.ts';
import { customIssue } from '../http/validation.ts';

/** Longest code of a terminal, in characters. */
export const TERMINAL_CODE_LENGTH = 64;

const TOO_LONG = {
  en: `must have at most ${TERMINAL_CODE_LENGTH} characters`,
  it: `deve avere al massimo ${TERMINAL_CODE_LENGTH} caratteri`,
};

/** The request. Unknown properties are ignored. */
export const optionsRequest = z.object({
  plate: z.string().trim(),
  municipality_code: optionalText,
  terminal_code: optionalText
    .refine((text) => text === undefined || [...text].length <= TERMINAL_CODE_LENGTH, {
      params: customIssue(TOO_LONG),
    })
    .meta({ maxLength: TERMINAL_CODE_LENGTH }),
});

export type OptionsRequest = z.infer<typeof optionsRequest>;
