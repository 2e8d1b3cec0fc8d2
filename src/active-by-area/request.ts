import * as z from 'zod';
import { AREA_TYPES, type AreaType } from '../db/schema/configuration.ts';
import { customIssue } from '../http/validation.ts';

const CODE_LENGTH = 80;

const TOO_LONG = {
  en: `must have at most ${CODE_LENGTH} characters`,
  it: `deve avere al massimo ${CODE_LENGTH} caratteri`,
};

/** The request. Null is the same as absent; another property is refused. */
export const reportRequest = z.strictObject({
  municipality_code: z
    .string()
    .trim()
    .refine((text) => [...text].length <= CODE_LENGTH, { params: customIssue(TOO_LONG) })
    .meta({ maxLength: CODE_LENGTH })
    .nullish(),
  area_type: z
    .string()
    .trim()
    .pipe(z.enum(AREA_TYPES))
    .nullish()
    .transform((areaType): AreaType => areaType ?? 'street'),
  source_id: z.int().min(1).nullish(),
});

export type ReportRequest = z.infer<typeof reportRequest>;
