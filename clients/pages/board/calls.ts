import type { components } from '../../types/schema.ts';
import { isHeaderText, language } from '../language.ts';

export type Credential = components['schemas']['OwnCredentialResponse']['credential'];
export type Report = components['schemas']['ReportResponse'];

export interface Refused {
  readonly kind: 'refused';
  readonly code: string;
  /** The service's words, in the page's language. */
  readonly message: string;
}

/** A call to be made again later. */
export interface Waiting {
  readonly kind: 'limited' | 'away';
  readonly retryAfterSeconds: number;
}

/** What became of a call. */
export type Outcome<Answer> = { readonly kind: 'answer'; readonly answer: Answer } | Refused | Waiting;

/** Where an answer does not say when to ask again. */
const RETRY_SECONDS = 60;
const WITHIN_MS = 20_000;

/** Whose token it is, and what it may do. */
export const askCredential = (token: string): Promise<Outcome<{ readonly credential: Credential }>> =>
  call('/api/v2/credential', token);

/** The report of a municipality. */
export const askReport = (token: string, asked: object): Promise<Outcome<Report>> =>
  call('/api/v2/parking/reports/active-by-area', token, asked);

/** The names of the public municipalities; none if they cannot be read. */
export async function listNames(): Promise<readonly { readonly code: string; readonly name: string }[]> {
  try {
    const response = await fetch('/api/v2/public/municipalities', { signal: AbortSignal.timeout(WITHIN_MS) });
    return response.ok ? (await response.json()).municipalities : [];
  } catch {
    return [];
  }
}

/** The token goes nowhere but into this header, to the page's own origin. */
async function call<Answer>(path: string, token: string, body?: object): Promise<Outcome<Answer>> {
  if (!isHeaderText(token)) return { kind: 'refused', code: 'TOKEN_INVALID', message: '' };
  try {
    const response = await fetch(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Accept-Language': language,
      },
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
    const { code, message } = answer.error;
    return { kind: 'refused', code, message };
  } catch {
    return { kind: 'away', retryAfterSeconds: RETRY_SECONDS };
  }
}
