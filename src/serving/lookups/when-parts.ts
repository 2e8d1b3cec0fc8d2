import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** Which state of a plate's rows is read: today's, or the one that was known at an instant. */
export type When = 'now' | 'known';

/** Whether a past version was the one that was known at an instant. */
export const wasKnown = (
  version: Readonly<Record<'recordedAt' | 'replacedAt', SQLWrapper>>,
  knownAt: SQL,
): SQL => sql`(${version.recordedAt} <= ${knownAt} and ${version.replacedAt} > ${knownAt})`;
