import type { Scope } from '../wire-names.ts';

/** Whether an access token has a scope. */
export type Right = 'allowed' | 'not_allowed';

/** The findings about a secret. */
export interface SecretFinding {
  readonly kind: 'access' | 'admin';
  readonly state: 'works' | 'refused' | 'not_set' | 'unknown';
  /** The service's message if it refuses. */
  readonly code: string | null;
  /** An access token contains it in clear. */
  readonly credential_id: string | null;
  /** Of an access token; null if the service could not be asked. */
  readonly scopes: Readonly<Partial<Record<Scope, Right>>> | null;
  /** The service's answer about an access token's credential. */
  readonly credential: object | null;
}

/** Everything that calls depend on. */
export interface Findings {
  readonly parking: string;
  readonly profile: string | null;
  readonly from_environment: readonly string[];
  readonly url: string;
  readonly reachable: boolean;
  /** Why not. */
  readonly failure: string | null;
  readonly service_version: string | null;
  readonly answered_in_ms: number | null;
  /** How far this machine's clock is ahead of the service's, to the second; null: unknown. */
  readonly clock_ahead_seconds: number | null;
  readonly municipality: string | null;
  readonly secrets: readonly SecretFinding[];
}
