import { causeOf } from '../../base/errors/call-subject.ts';
import { Refusal } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { whereWritable } from '../../storage/databases/municipality-moving.ts';
import { retry } from '../../storage/db/retry.ts';
import { AnonymousSessions } from './anonymous.ts';
import type { SessionImportQuery } from './contract.ts';
import { findCrowdedSessions } from './crowded-table.ts';
import { keyIn } from './fields.ts';
import { type FinishedImport, recordImport } from './freshness-table.ts';
import { type ImportCall, inMunicipality, limitTime } from './import-call.ts';
import { RejectedPlates } from './rejected-plates.ts';
import { rememberRejected } from './remember-rejected.ts';
import { sessionRule } from './rules.ts';
import { type ImportKind, type ImportReport, runImport } from './run-import.ts';
import { runInTurn } from './run-in-turn.ts';
import { readSessionLine, type SessionRow, SHORTEST_SESSION_LINE } from './session-line.ts';
import { readSessions, type SessionSource, writeSessions } from './sessions-table.ts';
import { storeBatches } from './stored-batches.ts';
import { readSessionTarget, type SessionTarget, sourceCodeOf } from './target.ts';

type Call = ImportCall<SessionImportQuery>;
type Target = SessionSource &
  SessionTarget & {
    readonly db: D1Database;
    /** The code of the municipality. */
    readonly municipality: string;
  };

/** A finished import. */
export interface Imported {
  readonly answer: ImportReport;
  /** The code of the municipality. */
  readonly municipality: string;
}

/** Imports a file of parking sessions of one source, and keeps how it went for the source's freshness. */
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
    if (cause instanceof Refusal && (cause.code === 'INVALID_JSON' || cause.code === 'REQUEST_TIMEOUT')) {
      await recordUnreadable(call);
    }
    throw error;
  }
}

/** A body that cannot be read, or came too slowly, counts as a failed import, where its source is known. */
async function recordUnreadable(call: Call): Promise<void> {
  try {
    await forTarget(call, (target) => record(call, target, 'failed'));
  } catch (error) {
    // A refusal here leaves nothing to record, and the first refusal is the answer.
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
  return inMunicipality(call, query.municipality_code, async ({ municipality, db }) => {
    const source = await limitTime(call, readSessionTarget(db, municipality, sourceCode));
    const place = { db, municipality: municipality.code, municipalityId: municipality.id };
    const answer = await work({ ...place, ...source });
    return { answer, municipality: municipality.code };
  });
}

function sessions(call: Call, target: Target, rejected: RejectedPlates): ImportKind<SessionRow> {
  const { env, now } = call.context;
  const { db, municipalityId, sourceCode } = target;
  const anonymous = new AnonymousSessions(env, now, target);
  const { erased, ...batches } = storeBatches(call, sessionRule, {
    db,
    from: { municipalityId, sourceCode, kind: 'parking_session' },
    read: (ids) => readSessions(db, target, ids),
    write: (rows, by, stored) => writeSessions(db, target, rows, stored, by),
    findCrowded: (changes) => findCrowdedSessions(db, municipalityId, changes),
  });
  return {
    ...batches,
    shortestLine: SHORTEST_SESSION_LINE,
    keyOf: (line) => keyIn(line, 'session_id'),
    readLine: (value) => readSessionLine(value, target.areas),
    noteRejected: (line) => rejected.note(line),
    withoutErased: (row) => anonymous.keep(erased.inSession(row), erased.stored),
  };
}

/** An empty file succeeds: nothing was parked. One whose lines were all rejected fails. */
function outcomeOf({ received, rejected }: ImportReport): FinishedImport['outcome'] {
  return received > 0 && rejected === received ? 'failed' : 'succeeded';
}

async function record(call: Call, target: Target, outcome: FinishedImport['outcome']): Promise<void> {
  const { now, requestId } = call.context;
  const finished = { sourceId: target.sourceId, outcome, at: now };
  await limitTime(
    call,
    whereWritable(() => retry(() => recordImport(target.db, finished, { requestId, clock: clockNow }))),
  );
}
