import * as z from 'zod';
import { storedCode } from '../fields.ts';

/** Where a municipality is to go. */
export const moveRequest = z.strictObject({ to: storedCode() });

/** Whatever stands there: what is no municipality's code is not found. */
export const movePath = z.object({ code: z.string().meta({ maxLength: 320 }) });
