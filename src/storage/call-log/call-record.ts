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
  readonly requestId: string;
  readonly at: Instant;
  /** `CF-Connecting-IP`. */
  readonly address: string | null;
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
  readonly httpStatus: number;
  readonly durationMs: number;
  /** The bodies of a call that is kept whole, every token masked. Null also if there was none. */
  readonly request: string | null;
  readonly response: string | null;
}

/** A call as it is stored, and its plates: with digests instead of plates. Without a usable key it has none. */
export function rowsOf(call: CallRecord, env: Env) {
  const [key] = digestKeys(env);
  const { plate, plates, ...rest } = call;
  const place = placeOf(call);
  const about = plate ?? plateIn(call);
  if (key === undefined || place === null) return { row: { ...rest, plateDigest: null }, plates: [] };
  return {
    row: { ...rest, plateDigest: about && plateDigest(key, place, about) },
    /** Of a call about many, a row each. */
    plates: plates.map((one, position) => ({
      ...{ requestId: call.requestId, position, outcome: one.outcome },
      plateDigest: plateDigest(key, place, one.plate),
    })),
  };
}

/** What {@link rowsOf} makes of a call. */
export type CallRows = ReturnType<typeof rowsOf>;

/** The digests of options queries and payments are by tenant: a refused one may have no municipality. */
const placeOf = ({ operation, tenant, municipalityCode }: CallRecord): string | null =>
  operation === 'subscription_options' || operation === 'subscription_payment' ? tenant : municipalityCode;

/**
 * The plate that the body of a whole call names, or null. A number counts, too: such a call is refused, but is still about
 * the plate.
 */
function plateIn({ request }: CallRecord): Plate | null {
  try {
    const plate: unknown = JSON.parse(request ?? 'null')?.plate;
    return typeof plate === 'string' || typeof plate === 'number' ? normalizePlate(String(plate)) : null;
  } catch {
    return null;
  }
}
