import * as z from 'zod';
import { storedCode } from '../fields.ts';

/** The query of a get. */
export const configurationQuery = z.strictObject({ municipality_code: storedCode() });
