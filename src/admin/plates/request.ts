import * as z from 'zod';
import { storedCode } from '../fields.ts';

/** Whose plate. */
export const erasureRequest = z.strictObject({ tenant: storedCode(), plate: z.string().trim() });

/** The most characters of a place in an export. */
const PLACE_LENGTH = 2_000;

/** Whose plate, and from where on. */
export const exportRequest = erasureRequest.extend({ after: z.string().max(PLACE_LENGTH).nullish() });
