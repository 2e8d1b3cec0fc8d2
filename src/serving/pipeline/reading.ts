import type { Deadline } from '../../base/platform/deadline.ts';
import type { Isolate } from '../../base/platform/isolate.ts';
import type { Language } from '../../base/text/text.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import type { Bounds } from '../access/bounds.ts';
import type { Grant } from '../access/grant.ts';
import type { FoundMunicipality, MunicipalityFinding, MunicipalitySearch } from '../lookups/municipality.ts';

/** What every handler gets. */
export interface CallContext {
  readonly env: Env;
  /** The instant of the call: the clock is read once. */
  readonly now: Instant;
  readonly requestId: string;
  readonly language: Language;
  readonly deadline: Deadline;
  /** Lets work go on after the answer. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** This isolate's state between calls. */
  readonly isolate: Isolate;
}

/** The context of an administrator's operation that an office may call. */
export interface BoundedCallContext extends CallContext {
  readonly bounds: Bounds;
}

/** The context of an admitted call of a credential. */
export interface GrantedCallContext extends CallContext {
  readonly grant: Grant;
  /** SHA-256 of the token as it was sent, hexadecimal. */
  readonly tokenHash: string;
}

/** The context of a call whose municipality is chosen, granted and active. */
export interface MunicipalityCallContext<Query, Municipality> extends GrantedCallContext {
  readonly query: Query;
  readonly municipality: Municipality;
}

/** What an operation reads of its call's municipality. The pipeline chooses the municipality: see handling.ts. */
export interface MunicipalityReading<Request, Query, Municipality extends FoundMunicipality> {
  readonly kind: 'municipality';
  /** Whether a municipality that the call names may be read while the admission is being decided, which saves a round trip. */
  readonly early: boolean;
  /** Whether a read that was lost on the way is sent again. */
  readonly retried: boolean;
  /** The code that the request names, if any. */
  code(request: Request): string | null | undefined;
  /**
   * What to read, from the fields alone.
   *
   * @throws Refusal of a field
   */
  query(request: Request, context: CallContext): Query;
  /**
   * Checks the fields against what the credential allows.
   *
   * @throws Refusal of a field
   */
  judgeByGrant?(request: Request, grant: Grant, context: CallContext): void;
  /**
   * Reads the facts, with the municipality's own row in the same statement.
   *
   * @param grant null while the admission is being decided
   */
  read(
    db: D1Database,
    search: MunicipalitySearch,
    query: Query,
    grant: Grant | null,
  ): Promise<MunicipalityFinding<Municipality>>;
}

/** What an operation reads while the admission is being decided. The handler gets it only with the grant. */
export interface EarlyReading<Request, Early> {
  readonly kind: 'early';
  read(request: Request, context: CallContext): Promise<Early>;
}

/** The context of an admitted call that began to read before the grant. */
export interface EarlyCallContext<Early> extends GrantedCallContext {
  readonly early: Promise<Early>;
}

/** The two kinds of reading: of the municipality, or early. */
export type Reading =
  | MunicipalityReading<never, unknown, FoundMunicipality>
  | EarlyReading<never, unknown>
  | null;
