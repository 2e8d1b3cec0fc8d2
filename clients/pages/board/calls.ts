import type { components } from '../../types/schema.ts';

export type Credential = components['schemas']['OwnCredentialResponse']['credential'];
export type Report = components['schemas']['ReportResponse'];

/** What became of a call. */
export type Outcome<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** The token is of no use, now and later. */
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'limited' | 'away'; readonly retryAfterSeconds: number };

/** Where an answer does not say when to ask again. */
const RETRY_SECONDS = 60;
const WITHIN_MS = 20_000;

/** Whose token it is, and what it may do. */
export const askCredential = (token: string): Promise<Outcome<Credential>> =>
  call<{ credential: Credential }>('/api/v2/credential', token).then((outcome) =>
    outcome.kind === 'answer' ? { kind: 'answer', answer: outcome.answer.credential } : outcome,
  );

/** The names of the public municipalities; none where they cannot be read. */
export async function listNames(): Promise<readonly { readonly code: string; readonly name: string }[]> {
  try {
    const response = await fetch('/api/v2/public/municipalities', { signal: AbortSignal.timeout(WITHIN_MS) });
    return response.ok ? (await response.json()).municipalities : [];
  } catch {
    return [];
  }
}

/** The report of a municipality. */
export const askReport = (
  token: string,
  asked: {
    readonly municipality_code: string;
    readonly area_type: string;
    readonly source_id: number | null;
  },
): Promise<Outcome<Report>> => call('/api/v2/parking/reports/active-by-area', token, asked);

/** The token goes nowhere but into this header, to the page's own origin. */
async function call<Answer>(path: string, token: string, body?: object): Promise<Outcome<Answer>> {
  try {
    const response = await fetch(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    const retryAfterSeconds = Number(response.headers.get('Retry-After')) || RETRY_SECONDS;
    if (response.status === 429) return { kind: 'limited', retryAfterSeconds };
    if (response.status >= 500) return { kind: 'away', retryAfterSeconds };
    const answer = await response.json();
    if (response.ok) return { kind: 'answer', answer };
    return { kind: 'refused', code: String(answer.error?.code) };
  } catch {
    return { kind: 'away', retryAfterSeconds: RETRY_SECONDS };
  }
}
