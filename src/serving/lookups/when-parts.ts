import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { parameter } from '../../storage/db/sql.ts';

/** Which state of a plate's rows is read: today's, or the one that was known at an instant, {@link KNOWN_AT}. */
export type When = 'now' | 'known';

/** The parameter behind those that both have. */
export const KNOWN_AT = parameter(6);

/** Whether a past version was the one that was known then. */
export const wasKnown = (version: Readonly<Record<'recordedAt' | 'replacedAt', SQLWrapper>>): SQL =>
  sql`(${version.recordedAt} <= ${KNOWN_AT} and ${version.replacedAt} > ${KNOWN_AT})`;
