import { sql } from 'drizzle-orm';
import { db, query } from '../../storage/db/batch.ts';
import { NEWEST_CHANGE, recordChange } from '../../storage/db/changes.ts';
import { parkingSessions as stored } from '../../storage/db/schema/index.ts';
import {
  ERASED,
  excluded,
  forgetEmptyChange,
  judging,
  KEY,
  KEYS,
  LINES,
  type LineStatements,
  MUNICIPALITY,
  REVISION,
  recordIn,
} from './line-statements.ts';
import type { SessionRow } from './session-line.ts';

const SOURCE = sql.placeholder('sourceCode');

const { lineOf, values, counts, differs, update } = recordIn(stored, [
  'areaId',
  'plate',
  'startsAt',
  'endsAt',
  'cancelledAt',
]);

export const sessionLineOf = (row: SessionRow, isErased: boolean): readonly unknown[] =>
  lineOf(row, isErased);

/** Of an erased plate's line only a new session is stored: under a pseudonym. */
const judge = judging(sql`
  select ${stored.id} is null as is_new, ${ERASED} as erased
  from ${LINES}
  left join ${stored} on ${stored.municipalityId} = ${MUNICIPALITY} and ${stored.sourceCode} = ${SOURCE}
    and ${stored.sessionId} = ${KEY}
  where ${stored.id} is null or (not ${ERASED} and ${counts} and ${differs})`);

/** A pseudonym, of a line whose plate is erased, begins with a character that no plate has. */
const namesPlate = sql`substr(${excluded(stored.plate)}, 1, 1) <> '*'`;

const upsert = query(() =>
  db
    .insert(stored)
    .select(
      sql`select null, ${MUNICIPALITY}, ${SOURCE}, ${KEY}, ${values}, ${REVISION}, ${NEWEST_CHANGE} from ${LINES} where true`,
    )
    .onConflictDoUpdate({
      target: [stored.municipalityId, stored.sourceCode, stored.sessionId],
      set: update.set,
      setWhere: sql`${namesPlate} and ${update.setWhere}`,
    }),
);

const find = query(() =>
  db
    .select({ key: stored.sessionId })
    .from(stored)
    .where(
      sql`${stored.municipalityId} = ${MUNICIPALITY} and ${stored.sourceCode} = ${SOURCE} and ${stored.sessionId} in ${KEYS}`,
    ),
);

export const SESSION_STATEMENTS: LineStatements = {
  find,
  judge,
  store: [recordChange, upsert, forgetEmptyChange([stored.municipalityId, stored.recordedAt])],
};
