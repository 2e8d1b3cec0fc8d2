import { causeOf } from '../../base/errors/call-subject.ts';
import { Refusal, refuse, refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import type { Grant } from '../../serving/access/grant.ts';
import { MISSING } from '../../serving/http/validation.ts';
import { retry } from '../../storage/db/retry.ts';
import { keyIn, type SessionImportQuery } from './contract.ts';
import { sessionBound } from './crowded-table.ts';
import { type FinishedImport, recordImport } from './freshness-table.ts';
import { type ImportCall, inMunicipality, limitTime } from './import-call.ts';
import { RejectedPlates, rememberRejected } from './rejected-plates.ts';
import { sessionRule } from './rules.ts';
import { type ImportKind, type ImportReport, runImport } from './run-import.ts';
import { runInTurn } from './run-in-turn.ts';
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

type Call = ImportCall<SessionImportQuery>;
type Target = SessionSource &
  SessionTarget & {
    /** The code of the municipality. */
    readonly municipality: string;
  };

/** A finished import. */
export interface Imported {
  readonly answer: ImportReport;
  /** The code of the municipality. */
  readonly municipality: string;
}

/** Imports a file of one source's parking sessions, and stores the result for the source's freshness. */
export async function importSessionFile(call: Call): Promise<Imported> {
  const { language } = call.context;
  try {
    return await runInTurn(call, (file, pace) =>
      forTarget(call, async (target) => {
        const rejected = new RejectedPlates();
        const report = await runImport(file, sessions(call, target, rejected), language, pace);
        const source = { id: target.sourceId, code: target.sourceCode };
        // Before the source counts as fresh again.
        await rememberRejected(call, pace, { ...target, source }, rejected);
        await record(call, target, outcomeOf(report));
        return report;
      }),
    );
  } catch (error) {
    const cause = causeOf(error);
    if (cause instanceof Refusal && cause.code === 'INVALID_JSON') {
      await recordUnreadable(call);
    }
    throw error;
  }
}

/** Counts a body that cannot be read as a failed import, if its source is known. */
async function recordUnreadable(call: Call): Promise<void> {
  try {
    await forTarget(call, (target) => record(call, target, 'failed'));
  } catch (error) {
    // If this is refused too, there is nothing to record, and the first refusal is the answer.
    if (!(causeOf(error) instanceof Refusal)) {
      throw error;
    }
  }
}

async function forTarget<T>(
  call: Call,
  work: (target: Target) => Promise<T>,
): Promise<{ readonly answer: T; readonly municipality: string }> {
  const query = await call.request.readQuery();
  const sourceCode = sourceCodeOf(call.context.grant, query.source_code);
  return inMunicipality(call, query.municipality_code, async (municipality) => {
    const source = await limitTime(call, readSessionTarget(call.context.env.DB, municipality, sourceCode));
    const place = { municipality: municipality.code, municipalityId: municipality.id };
    const answer = await work({ ...place, ...source });
    return { answer, municipality: municipality.code };
  });
}

function sessions(call: Call, target: Target, rejected: RejectedPlates): ImportKind<SessionRow> {
  const { DB: db } = call.context.env;
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

async function record(call: Call, target: Target, outcome: FinishedImport['outcome']): Promise<void> {
  const { env, now, requestId } = call.context;
  const finished = { sourceId: target.sourceId, outcome, at: now };
  await limitTime(
    call,
    retry(() => recordImport(env.DB, finished, { requestId, clock: clockNow })),
  );
}
