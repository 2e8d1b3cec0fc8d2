import type { RatePolicy } from '../../domain/budget.ts';
import type { Credential } from '../../serving/access/credential-record.ts';
import type { ChangeRequest, IssueRequest } from './contract.ts';

/** Two calls a second: more than a busy gate needs. */
const DEFAULT_RATE: RatePolicy = { limit: 120, windowSeconds: 60 };
/** Enough to look into a disputed fine of yesterday, too little to track a person. */
const DEFAULT_HISTORICAL_DAYS = 1;

/** Of a new credential, unless its request says otherwise. */
const DEFAULTS = {
  ...{ version: 1, revokedAt: null, previous: [] },
  historicalDaysAllowed: DEFAULT_HISTORICAL_DAYS,
  ...{ sourceCode: null, areas: null, ipAllowlist: null, expiresAt: null },
  rate: DEFAULT_RATE,
} as const;

/** The credential that a request asks for. */
export const newCredential = (
  { location = null, ...request }: IssueRequest,
  own: Pick<Credential, 'credentialId' | 'tenantCode' | 'createdAt' | 'current'>,
): Credential => {
  const { name, municipalities, scopes } = request;
  return withRequested({ ...DEFAULTS, ...own, name, municipalities, scopes, location }, request);
};

/** The credential with the changes of a request: an absent property stays as it is, null resets it. */
export function withRequested(held: Credential, request: ChangeRequest): Credential {
  return {
    ...held,
    name: request.name ?? held.name,
    municipalities: request.municipalities?.toSorted() ?? held.municipalities,
    scopes: request.scopes ?? held.scopes,
    historicalDaysAllowed: valueOr(request.historical_days_allowed, held.historicalDaysAllowed),
    sourceCode: valueOr(request.source_code, held.sourceCode),
    areas: request.areas === undefined ? held.areas : (request.areas?.toSorted() ?? null),
    ipAllowlist: valueOr(request.ip_allowlist, held.ipAllowlist),
    expiresAt: valueOr(request.expires_at, held.expiresAt),
    rate: request.rate_limit === undefined ? held.rate : rateOf(request.rate_limit),
  };
}

const valueOr = <Value>(value: Value | undefined, kept: Value): Value => (value === undefined ? kept : value);

const rateOf = (asked: { limit: number; window_seconds: number } | null): RatePolicy =>
  asked === null ? DEFAULT_RATE : { limit: asked.limit, windowSeconds: asked.window_seconds };
