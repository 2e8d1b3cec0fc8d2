import type { Credential } from '../access/credential-record.ts';
import { retried } from '../db/retried.ts';
import { Refusal } from '../errors/refusal.ts';
import { IMPORT_BODY, readText, requireContentType } from '../http/body.ts';
import type { AppContext } from '../http/context.ts';
import { answer } from '../http/envelope.ts';
import { admitted, inTime, municipalityOf, queryOf } from './call.ts';
import { type FinishedImport, recordImport } from './freshness-table.ts';
import { sessionRule } from './rules.ts';
import { type ImportKind, type ImportReport, runImport } from './run-import.ts';
import { type ImportResponse, NDJSON, sessionImportQuery } from './schemas.ts';
import { readSessionLine, type SessionRow, SHORTEST_SESSION_LINE } from './session-line.ts';
import { readSessions, type SessionSource, writeSessions } from './sessions-table.ts';
import { readSessionTarget, type SessionTarget, sourceCodeOf } from './target.ts';

type Target = SessionSource & SessionTarget;

/** Takes a file of parking sessions of one source, and keeps how it went for the source's freshness. */
export async function importSessions(c: AppContext): Promise<Response> {
  const credential = await admitted(c);
  requireContentType(c, NDJSON);
  const text = await readWhole(c, credential);
  const target = await targetOf(c, credential);
  const report = await runImport(text, sessions(c.env.DB, target), c.var.language, (batch) =>
    inTime(c, batch),
  );
  await record(c, target, outcomeOf(report));
  return answer(c, report satisfies ImportResponse);
}

/** A body that cannot be read counts as a failed import, where it can be told of which source. */
async function readWhole(c: AppContext, credential: Credential): Promise<string> {
  try {
    return await readText(c, IMPORT_BODY);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'INVALID_JSON') {
      const target = await targetOf(c, credential).catch(unlessRefused);
      if (target !== null) {
        await record(c, target, 'failed');
      }
    }
    throw error;
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
