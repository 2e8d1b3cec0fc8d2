import { Refusal, refuse, refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import type { Grant } from '../../serving/access/grant.ts';
import { succeed } from '../../serving/answer.ts';
import type { Call, Validated } from '../../serving/call.ts';
import { IMPORT_BODY } from '../../serving/http/body.ts';
import { MISSING } from '../../serving/http/validation.ts';
import { retry } from '../../storage/db/retry.ts';
import { keyIn, type sessionImportQuery } from './contract.ts';
import { sessionBound } from './crowded-table.ts';
import { type FinishedImport, recordImport } from './freshness-table.ts';
import {
  type ImportCall,
  importedInto,
  importWithinBounds,
  limitTime,
  PACE,
  readFile,
} from './import-call.ts';
import { RejectedPlates, rememberRejected } from './rejected-plates.ts';
import { sessionRule } from './rules.ts';
import { type ImportKind, type ImportReport, judgingAlone, runImport } from './run-import.ts';
import { readSessionLine, type SessionRow, SHORTEST_SESSION_LINE } from './session-line.ts';
import { readSessions, type SessionSource, writeSessions } from './sessions-table.ts';
import { storeBatches } from './stored-batches.ts';
import { type Municipality, readSourceAndAreas } from './target-table.ts';

/** The source of a session import, with the areas of its municipality. */
interface SessionTarget {
  readonly sourceId: number;
  readonly sourceCode: string;
  /** Ids by code, of all areas of the municipality. */
  readonly areas: ReadonlyMap<string, number>;
}

/**
 * The code of a session import's source: the one that its credential is bound to, otherwise the one that the call names.
 *
 * @returns null if the call names another source than the credential's: for that credential it does not exist
 * @throws Refusal `INVALID_REQUEST` if it must name one and does not
 */
function sourceCodeOf(grant: Grant, asked: string | undefined): string | null {
  const code = asked ?? grant.sourceCode;
  if (code === null) {
    refuseFields([{ path: 'source_code', message: MISSING }]);
  }
  return grant.sourceCode === null || grant.sourceCode === code ? code : null;
}

/**
 * The source, and the areas that its sessions may name.
 *
 * @param sourceCode null if the call names none
 * @throws Refusal `SOURCE_NOT_FOUND` for an unknown or inactive source
 */
async function readSessionTarget(
  db: D1Database,
  municipality: Municipality,
  sourceCode: string | null,
): Promise<SessionTarget> {
  if (sourceCode === null) {
    refuse('SOURCE_NOT_FOUND');
  }
  const { sourceId, areas } = await readSourceAndAreas(db, municipality, sourceCode);
  if (sourceId === null) {
    refuse('SOURCE_NOT_FOUND');
  }
  return { sourceId, sourceCode, areas };
}

type Target = SessionSource &
  SessionTarget & {
    /** The code of the municipality. */
    readonly municipality: string;
  };

/** Imports a file of one source's parking sessions, and stores the result for the source's freshness. */
export async function importSessionFile(
  c: Call<Validated<'query', typeof sessionImportQuery>>,
): Promise<Response> {
  const query = c.req.valid('query');
  const { dry_run: isDry } = query;
  const grant = await c.var.admission.granted;
  const sourceCode = sourceCodeOf(grant, query.source_code);
  const municipality = await importedInto(c, grant, query.municipality_code);
  const source = await limitTime(readSessionTarget(c.env.DB, municipality, sourceCode));
  const target = { municipality: municipality.code, municipalityId: municipality.id, ...source };

  const report = await importWithinBounds(c, grant, async (call) => {
    const file = await readFile(c.req.raw, IMPORT_BODY).catch(async (error: unknown) => {
      // A body that cannot be read is a failed import.
      if (error instanceof Refusal && !isDry) await record(call, target, 'failed');
      throw error;
    });
    const rejected = new RejectedPlates();
    const kind = sessions(call, target, rejected);
    const done = await runImport(file, isDry ? judgingAlone(kind) : kind, call.language, PACE);
    if (isDry) return done;
    // Before the source counts as fresh again.
    const of = { id: target.sourceId, code: target.sourceCode };
    await rememberRejected(call, PACE, { ...target, source: of }, rejected);
    await record(call, target, outcomeOf(done));
    return done;
  });
  return succeed(c, report);
}

function sessions(call: ImportCall, target: Target, rejected: RejectedPlates): ImportKind<SessionRow> {
  const { DB: db } = call.env;
  const { municipalityId, sourceCode } = target;
  const { erased, ...batches } = storeBatches(call, sessionRule, {
    db,
    from: { municipalityId, sourceCode, kind: 'parking_session' },
    read: (ids) => readSessions(db, target, ids),
    write: (rows, by, stored) => writeSessions(db, target, rows, stored, by),
    bound: sessionBound(db, municipalityId),
  });
  return {
    ...batches,
    shortestLine: SHORTEST_SESSION_LINE,
    keyOf: (line) => keyIn(line, 'session_id'),
    readLine: (value) => readSessionLine(value, target.areas),
    noteRejected: (line) => rejected.note(line),
    withoutErased: (row) => erased.inSession(row),
  };
}

/** An empty file succeeds: nothing was parked. One whose lines were all rejected fails. */
function outcomeOf({ received, rejected }: ImportReport): FinishedImport['outcome'] {
  return received > 0 && rejected === received ? 'failed' : 'succeeded';
}

async function record(
  { env, now, requestId }: ImportCall,
  target: Target,
  outcome: FinishedImport['outcome'],
): Promise<void> {
  const finished = { sourceId: target.sourceId, outcome, at: now };
  await limitTime(retry(() => recordImport(env.DB, finished, { requestId, clock: clockNow })));
}
