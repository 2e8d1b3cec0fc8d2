import type { Credential } from '../access/credential-record.ts';
import { retried } from '../db/retried.ts';
import { requireContentType } from '../http/body.ts';
import type { AppContext } from '../http/context.ts';
import { answer } from '../http/envelope.ts';
import { Refusal } from '../http/refusal.ts';
import { admitted, inTime, municipalityOf, queryOf } from './call.ts';
import { keyIn } from './fields.ts';
import { type FinishedImport, recordImport } from './freshness-table.ts';
import { inTurn } from './in-turn.ts';
import type { ImportPlaces } from './place.ts';
import { sessionRule } from './rules.ts';
import { type ImportKind, type ImportReport, runImport } from './run-import.ts';
import { type ImportResponse, NDJSON, sessionImportQuery } from './schemas.ts';
import { readSessionLine, type SessionRow, SHORTEST_SESSION_LINE } from './session-line.ts';
import { readSessions, type SessionSource, writeSessions } from './sessions-table.ts';
import { readSessionTarget, type SessionTarget, sourceCodeOf } from './target.ts';

type Target = SessionSource & SessionTarget;

/** Takes a file of parking sessions of one source, and keeps how it went for the source's freshness. */
export async function importSessions(c: AppContext, places: ImportPlaces): Promise<Response> {
  const credential = await admitted(c);
  requireContentType(c, NDJSON);
  try {
    const report = await inTurn(c, places, async (file, pace) => {
      const target = await targetOf(c, credential);
      const imported = await runImport(file, sessions(c.env.DB, target), c.var.language, pace);
      await record(c, target, outcomeOf(imported));
      return imported;
    });
    return answer(c, report satisfies ImportResponse);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'INVALID_JSON') {
      await recordUnreadable(c, credential);
    }
    throw error;
  }
}

/** A body that cannot be read counts as a failed import, where it can be told of which source. */
async function recordUnreadable(c: AppContext, credential: Credential): Promise<void> {
  const target = await targetOf(c, credential).catch(unlessRefused);
  if (target !== null) {
    await record(c, target, 'failed');
  }
}

/** A refusal leaves nothing to record: what was refused first is the answer. */
function unlessRefused(error: unknown): null {
  if (error instanceof Refusal) {
    return null;
  }
  throw error;
}

async function targetOf(c: AppContext, credential: Credential): Promise<Target> {
  const query = queryOf(c, sessionImportQuery);
  const sourceCode = sourceCodeOf(credential, query.source_code);
  const municipality = await municipalityOf(c, credential, query.municipality_code);
  const source = await inTime(c, readSessionTarget(c.env.DB, municipality, sourceCode));
  return { municipalityId: municipality.id, ...source };
}

function sessions(db: D1Database, target: Target): ImportKind<SessionRow> {
  return {
    rule: sessionRule,
    shortestLine: SHORTEST_SESSION_LINE,
    keyOf: (line) => keyIn(line, 'session_id'),
    readLine: (value) => readSessionLine(value, target.areas),
    readRows: (ids) => readSessions(db, target, ids),
    writeRows: (rows) => writeSessions(db, target, rows),
  };
}

/** A file with nothing in it succeeds: nothing was parked. One of which nothing could be taken does not. */
function outcomeOf({ received, rejected }: ImportReport): FinishedImport['outcome'] {
  return received > 0 && rejected === received ? 'failed' : 'succeeded';
}

async function record(c: AppContext, target: Target, outcome: FinishedImport['outcome']): Promise<void> {
  const finished = { sourceId: target.sourceId, outcome, at: c.var.now, requestId: c.var.requestId };
  await inTime(
    c,
    retried(() => recordImport(c.env.DB, finished)),
  );
}
