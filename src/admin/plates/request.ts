import * as z from 'zod';
import { CODE_LENGTH } from '../../db/schema/columns.ts';
import { line } from '../fields.ts';

/** Whose plate. */
export const erasureRequest = z.strictObject({ tenant: line(CODE_LENGTH), plate: z.string().trim() });

/** The most characters of a place in an export. */
const PLACE_LENGTH = 2_000;

/** Whose plate, and from where on. */
export const exportRequest = erasureRequest.extend({ after: z.string().max(PLACE_LENGTH).nullish() });
