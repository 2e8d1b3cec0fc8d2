import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { HOUR_MS } from '../../domain/instant.ts';
import { OPEN_END, sources } from './schema/sessions.ts';
import { literal, tableAs } from './sql.ts';

const source = alias(sources, 'its_source');

/** The sessions, under any alias. */
type SessionTimes = Readonly<
  Record<'municipalityId' | 'sourceCode' | 'startsAt' | 'endsAt' | 'cancelledAt', SQLWrapper>
>;

/** When a session is over: the domain's `sessionOverAt`, in SQL. For a subscription, see the column `over_at`. */
export const sessionOverAt = (session: SessionTimes): SQL => sql`min(
    coalesce(${session.endsAt}, ${session.startsAt} + ${literal(HOUR_MS)} * (
      select ${source.openSessionMaxHours} from ${tableAs(sources, source)}
      where ${source.municipalityId} = ${session.municipalityId} and ${source.code} = ${session.sourceCode})),
    coalesce(${session.cancelledAt}, ${literal(OPEN_END)}))`;

/** The condition that a session was over before an instant, in three parts that an index can each serve. */
export const overBefore = (
  session: Readonly<Record<'runsUntil' | 'startsAt' | 'cancelledAt', SQLWrapper>>,
  before: SQL,
) => ({
  ended: sql`${session.runsUntil} < ${before}`,
  cancelled: sql`${session.cancelledAt} < ${before}`,
  /** For an open-ended session, by the longest time that its source lets it run. */
  open: (maxHours: SQLWrapper): SQL =>
    sql`${session.startsAt} < ${before} - ${maxHours} * ${literal(HOUR_MS)}`,
});
