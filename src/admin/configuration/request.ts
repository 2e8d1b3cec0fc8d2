import * as z from 'zod';
import { CODE_LENGTH } from '../../db/schema/columns.ts';
import { line } from '../fields.ts';

/** The query of a get. */
export const configurationQuery = z.strictObject({ municipality_code: line(CODE_LENGTH) });
