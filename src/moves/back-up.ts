import { getDatabase } from '../databases/bindings.ts';
import { KNOWN_SCHEMA } from '../db/schema/index.ts';
import { refuse } from '../errors/refusal.ts';
import { IMPORT_BODY } from '../http/body.ts';
import type { CallContext } from '../pipeline/reading.ts';
import { pauseAfter } from '../platform/pause.ts';
import { afterOf, type BackupState, stateOf } from './backup-state.ts';
import { type BackupStep, readBackupStep, readBeginning } from './backup-table.ts';
import type { BackupHeader, PartEnd } from './contract.ts';
import { COPIED, type CopiedKind, type Rows } from './copied-rows.ts';
import { CONFIGURATION } from './copy-statements.ts';
import type { StepSize } from './copy-table.ts';
import { type Located, locate } from './locate.ts';
import { readTenant } from './moves-table.ts';
import { FIRST_SESSION } from './unchanged-sessions-table.ts';

/** What one call reads, in milliseconds, unless the part is full before. */
const PART_MS = 3_000;
/** Steps of one part: each takes some of the 1,000 statements that an invocation has. */
const MAX_STEPS = 50;
/** Of the time that a step has taken. */
const PAUSE_FACTOR = 2;
/** A part that has so much goes no further: another step may have as much again. */
const ENOUGH_BYTES = IMPORT_BODY / 2 - 64 * 1024;

/**
 * Without what is read in pages (digests of erased plates), and what a restored municipality begins again (its anonymization).
 * Digests of rejected plates are in no backup: nobody could say which of these an erasure has taken since.
 */
const LEFT_OUT: readonly CopiedKind[] = ['erased_plate', 'anonymization'];
const configuration = CONFIGURATION.filter(({ kind }) => !LEFT_OUT.includes(kind));

/** The sizes of a step, each to be tried where the one before brings too much. */
const SIZES: readonly StepSize[] = [
  { range: 1_000, subscriptions: 100, configuration },
  { range: 50, subscriptions: 10, configuration },
  { range: 1, subscriptions: 1, configuration },
];

const COLUMNS = Object.fromEntries(COPIED.map(({ kind, columns }) => [kind, [...columns]]));

/**
 * The next part of a municipality's backup, as lines. The parts together are the municipality as it was when the last one was
 * read, whatever is written meanwhile: a row is in them again when it has changed.
 *
 * @param after what the part before says; the first part without it
 * @throws Refusal `NOT_FOUND`; `MOVE_IN_PROGRESS` where it is being restored; `CURSOR_GONE` where a plate was erased meanwhile,
 *   the municipality has moved, or its database was put back to an earlier time
 */
export async function readBackupPart(
  { env, now }: CallContext,
  code: string,
  after: string | undefined,
): Promise<string> {
  const located = await locate(env, code);
  const db = getDatabase(env, located.name);
  const begun = after === undefined ? await begin(db, located, now) : await stateOf(after, code, env);
  if (begun.database !== located.name || begun.stay !== located.row.stay || begun.step === 'done') {
    refuse('CURSOR_GONE');
  }
  const header: BackupHeader = {
    type: 'backup',
    format: 1,
    schema: KNOWN_SCHEMA,
    backup_id: begun.id,
    part: begun.parts + 1,
    begun_at: new Date(begun.begunAt).toISOString(),
    tenant: (await readTenant(env.DB, located.row.tenantId)).code,
    municipality_code: code,
    municipality_id: located.row.id,
    after: after ?? null,
    columns: COLUMNS,
  };
  const { texts, state } = await readRows(db, located.row.id, { ...begun, parts: begun.parts + 1 });
  const end: PartEnd = { type: 'part', after: await afterOf(state, code, env), more: state.step !== 'done' };
  return `${JSON.stringify(header)}\n${texts.join('')}${JSON.stringify(end)}\n`;
}

async function begin(db: D1Database, { name, row }: Located, now: number): Promise<BackupState> {
  const beginning = await readBeginning(db);
  return {
    id: crypto.randomUUID(),
    parts: 0,
    database: name,
    stay: row.stay,
    begunAt: now,
    ...beginning,
    step: 'copy',
    copy: {
      step: 'configuration',
      subscription: null,
      sequence: 0,
      begunAt: beginning.newest.sequence,
      configuredAt: 0,
      sessions: FIRST_SESSION,
    },
    erased: 0,
  };
}

/** As many steps as a part has room for, with pauses between them: a backup may take its time, and a check may not. */
async function readRows(db: D1Database, id: number, begun: BackupState) {
  const texts: string[] = [];
  const endsAtMs = performance.now() + PART_MS;
  let state = begun;
  for (let [bytes, steps] = [0, 0]; steps < MAX_STEPS; steps += 1) {
    const startedAtMs = performance.now();
    const step = await readWithin(db, id, state);
    texts.push(step.text);
    bytes += step.bytes;
    state = step.state;
    if (state.step === 'done' || bytes >= ENOUGH_BYTES || performance.now() >= endsAtMs) {
      break;
    }
    await pauseAfter(startedAtMs, PAUSE_FACTOR);
  }
  return { texts, state };
}

/** A step that a part has room for, whatever it has already. */
async function readWithin(db: D1Database, id: number, state: BackupState) {
  for (const [index, size] of SIZES.entries()) {
    const step: BackupStep = await readBackupStep(db, id, state, size);
    const text = step.rows.map(linesOf).join('');
    const bytes = encoder.encode(text).byteLength;
    if (bytes <= ENOUGH_BYTES || index === SIZES.length - 1) {
      return { text, bytes, state: step.state };
    }
  }
  throw new Error('a step has no size');
}

const encoder = new TextEncoder();

const linesOf = ({ kind, items }: Rows): string =>
  items.map((item) => `{"type":"row","kind":"${kind}","values":${item}}\n`).join('');
