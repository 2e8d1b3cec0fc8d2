import { MINUTE_MS } from './instant.ts';

/** An import ends within this time by itself: one that began earlier has died with its call. */
export const IMPORT_ENDS_WITHIN_MS = 2 * MINUTE_MS;
/** The changes that the imports of a credential may store in a UTC day. */
export const MAX_CHANGES_A_DAY = 2_000_000;
/** Imports that may be under way in an isolate: with more, gates that share its thread would wait for them. */
export const MAX_IMPORTS_AN_ISOLATE = 2;
/** The size of the database past which it takes no import, in bytes: a tenth of what it may have is left. */
export const FULL_BYTES = 9_000_000_000;
