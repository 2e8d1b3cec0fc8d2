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

/** When a session is over: at its effective end, or at its cancellation if that is earlier. For a subscription, see the column `over_at`. */
export const sessionOverAt = (session: SessionTimes): SQL => sql`min(
    coalesce(${session.endsAt}, ${session.startsAt} + ${literal(HOUR_MS)} * (
      select ${source.openSessionMaxHours} from ${tableAs(sources, source)}
      where ${source.municipalityId} = ${session.municipalityId} and ${source.code} = ${session.sourceCode})),
    coalesce(${session.cancelledAt}, ${literal(OPEN_END)}))`;
