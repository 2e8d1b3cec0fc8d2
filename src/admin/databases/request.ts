import * as z from 'zod';
import { CODE_LENGTH } from '../../db/schema/columns.ts';
import { line } from '../fields.ts';

/** Where a municipality is to go. */
export const moveRequest = z.strictObject({ to: line(CODE_LENGTH) });

/** Whatever stands there: what is no municipality's code is not found. */
export const movePath = z.object({ code: z.string().meta({ maxLength: 320 }) });
