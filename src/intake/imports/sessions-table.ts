import { sql } from 'drizzle-orm';
import { normalizePlate, storedPlate } from '../../domain/plate.ts';
import {
  pastParkingSessions as past,
  SESSION_RECORD,
  parkingSessions as stored,
} from '../../storage/db/schema/index.ts';
import { newPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { sessionLine } from './contract.ts';
import { readLine } from './line-reader.ts';
import { excluded, KEY, MUNICIPALITY, statementsOf } from './line-statements.ts';
import type { Kind } from './run-import.ts';

/** A session as its source reports it, and as it is stored. */
interface SessionRow extends Pick<typeof stored.$inferSelect, (typeof SESSION_RECORD)[number] | 'revision'> {
  /** Its `session_id`, unique in its source. */
  readonly key: string;
}

const { lineOf, findKeys, judge, upsert, recordChanged } = statementsOf(stored, past, SESSION_RECORD, [
  [stored.municipalityId, MUNICIPALITY],
  [stored.sourceCode, sql.placeholder('sourceCode')],
  [stored.sessionId, KEY],
]);

/** Of an erased plate's line only a new session is stored. Its pseudonym begins with a character that no plate has. */
const namesPlate = sql`substr(${excluded(stored.plate)}, 1, 1) <> '*'`;

/** The import of parking sessions. */
export const SESSIONS: Kind<SessionRow> = {
  read: (sent, { areas }, rejected) =>
    readLine(sessionLine, sent, rejected, (line, known) => ({
      key: line.session_id,
      plate: known(normalizePlate(line.plate), 'INVALID_PLATE', 'plate'),
      // An inactive area too: a session paid there counts.
      areaId: known(areas.get(line.area_code), 'AREA_NOT_FOUND', 'area_code'),
      startsAt: line.starts_at,
      endsAt: line.ends_at ?? null,
      cancelledAt: line.cancelled_at ?? null,
      revision: line.revision ?? null,
    })),
  /** A session that began before its plate was erased has a pseudonym in the plate's place. */
  erase(row, erasedAt) {
    const at = erasedAt(row.plate);
    return at !== undefined && row.startsAt < at
      ? { row: { ...row, plate: storedPlate(newPseudonym()) }, without: [row.plate] }
      : { row, without: [] };
  },
  lineOf,
  findKeys,
  judge: judge(),
  store: [upsert(namesPlate), recordChanged()],
};
