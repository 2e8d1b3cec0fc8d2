import * as z from 'zod';
import { AREA_TYPES } from '../db/schema/configuration.ts';

/** Any text: what is no code of a public municipality is not found. */
export const municipalityPath = z.object({ code: z.string().min(1) });

/** Other parameters are ignored. */
export const occupancyQuery = z.object({ area_type: z.string().trim().pipe(z.enum(AREA_TYPES)).optional() });
