import * as z from 'zod';
import { code, count } from '../../src/serving/http/response-fields.ts';

export const countAreasPath = z.object({ area_code: z.string().describe('One of the areas.') });

export const countAreasRequest = z
  .strictObject({ municipality_code: z.string().max(80).optional().describe('Its code.') })
  .meta({ id: 'CountAreasRequest', description: 'Which municipality.' });

export const countAreasAnswer = z
  .object({
    municipality_code: code.describe('The code of the municipality.'),
    areas_count: count.describe('How many areas it has.'),
  })
  .meta({ id: 'CountAreasResponse', description: 'How many areas there are.' });

export const countLettersRequest = z
  .strictObject({ name: z.string().min(1).max(80).describe('The name.') })
  .meta({ id: 'CountLettersRequest', description: 'A name.' });

export const countLettersAnswer = z
  .object({ letters_count: count.describe('How many letters the name has.') })
  .meta({ id: 'CountLettersResponse', description: 'How many letters there are.' });
