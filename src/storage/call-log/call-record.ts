import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import type { Instant } from '../../domain/instant.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { digestKeys, plateDigest } from '../plate-digest/plate-digest.ts';
import type { AdminAction, OperationName } from './operation-names.ts';

interface PlateOutcome {
  readonly plate: Plate;
  readonly outcome: string;
}

/** The description of a call while it runs. Middleware and handlers add to it. */
export interface CallDescription {
  /** Null if the path has no operation, or the operation is not logged. */
  operation: OperationName | null;
  credentialId: string | null;
  /** The code of the credential's tenant, or of the only tenant that an administrator's write is about. */
  tenant: string | null;
  /**
   * The code of a municipality that the credential may name, or of the only one that an administrator's write is about:
   * never another.
   */
  municipalityCode: string | null;
  /** Null except in the administrator's calls. */
  action: AdminAction | null;
  /** What the action is about: a credential's id, or codes of municipalities. */
  target: string | null;
  /**
   * The plate that a plate check or a search for evidence is about, once its municipality is known. The row stores its
   * keyed digest instead; the log line has neither.
   */
  plate: Plate | null;
  /** The plates of a call about many, each with its own outcome. Stored and logged like `plate`. */
  plates: readonly PlateOutcome[];
  /** The caller's pseudonym for the officer who looked. Only in the row, never in a log line. */
  officerReference: string | null;
  /** The error code; else the result code of an options query, the reason code of a gate decision, or `OK`. */
  outcome: string;
  /** Whether it has passed its credential's budget, or is the administrator's: other calls get no row. */
  isAdmitted: boolean;
}

/** A finished call. */
export interface CallRecord extends CallDescription {
  readonly requestId: string;
  readonly at: Instant;
  /** `CF-Connecting-IP`. */
  readonly address: string | null;
  readonly httpStatus: number;
  readonly durationMs: number;
}

/** A finished call with its bodies, every token masked. Null if there was none. */
export interface WholeCall extends CallRecord {
  readonly request: string | null;
  readonly response: string | null;
}

/** A call as its row stores it: with a digest instead of the plate. */
export type CallRow<Call extends CallRecord = CallRecord> = Omit<Call, 'plate' | 'plates'> & {
  readonly plateDigest: string | null;
};

/** The row of one plate of a call about many. */
export interface CallPlateRow {
  readonly requestId: string;
  readonly position: number;
  readonly plateDigest: string;
  readonly outcome: string;
}

/** Makes the rows of a call's plates. Returns an empty list without a usable key. */
export async function digestPlates(call: CallRecord, env: Env): Promise<CallPlateRow[]> {
  const [key] = digestKeys(env);
  const place = placeOf(call);
  if (key === undefined || place === null) {
    return [];
  }
  const { requestId } = call;
  const rows = await Promise.all(
    call.plates.map(async ({ plate, outcome }, position) => {
      const digest = await digestOrNull(key, place, plate);
      return digest === null ? [] : [{ requestId, position, plateDigest: digest, outcome }];
    }),
  );
  return rows.flat();
}

/**
 * Makes the row of a call. If its digest cannot be made, the row goes without: no answer depends on it.
 */
export async function digestCall<Call extends CallRecord>(call: Call, env: Env): Promise<CallRow<Call>> {
  const [key] = digestKeys(env);
  const { plate, plates: _, ...rest } = call;
  const place = placeOf(call);
  const about = plate ?? plateIn(call);
  const canBeMade = key !== undefined && place !== null && about !== null;
  return { ...rest, plateDigest: canBeMade ? await digestOrNull(key, place, about) : null };
}

async function digestOrNull(key: string, place: string, plate: Plate): Promise<string | null> {
  try {
    return await plateDigest(key, place, plate);
  } catch (error) {
    logEvent('error', 'digest_failed', { message: errorMessage(error) });
    return null;
  }
}

/** The digests of options queries and payments are by tenant: a refused one may have no municipality. */
function placeOf({
  operation,
  tenant,
  municipalityCode,
}: Omit<CallRecord, 'plate' | 'plates'>): string | null {
  return operation === 'subscription_options' || operation === 'subscription_payment'
    ? tenant
    : municipalityCode;
}

/**
 * The plate that the body of a whole call names, or null. A number counts, too: such a call is refused, but is still about
 * the plate.
 */
function plateIn(call: CallRecord | WholeCall): Plate | null {
  try {
    const request: unknown = 'request' in call ? JSON.parse(call.request ?? '') : null;
    const plate =
      typeof request === 'object' && request !== null && 'plate' in request ? request.plate : null;
    return typeof plate === 'string' || typeof plate === 'number' ? normalizePlate(String(plate)) : null;
  } catch {
    return null;
  }
}
