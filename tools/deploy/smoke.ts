import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from './environment.ts';

/** A version is reached some seconds after it was deployed; a location may take longer. */
const REACHED_WITHIN_MS = 60_000;
const EVERY_MS = 500;
const ANSWER_WITHIN_MS = 10_000;

interface Answer {
  readonly status: number;
  readonly version: string | null;
  readonly text: string;
}

/**
 * Tests a version: that it answers, that it is ready, its description, and one plate check if the environment
 * has a credential for it.
 *
 * @param alone whether to reach it by the platform's override, since it gets no calls
 * @returns the calls, for the person at the terminal
 * @throws Error that names the failure
 */
export async function smokeTest(
  { worker, address, check }: Environment,
  version: string,
  { alone }: { readonly alone: boolean },
): Promise<readonly string[]> {
  const headers = alone ? { 'Cloudflare-Workers-Version-Overrides': `${worker}="${version}"` } : {};
  const ask = (path: string, init: RequestInit = {}) =>
    answerOf(address + path, { ...init, headers: { ...headers, ...init.headers } });

  await reached(() => ask('/health'), version);
  const required: readonly (readonly [string, () => Promise<Answer>])[] = [
    ['/health', () => ask('/health')],
    ['/ready', () => ask('/ready')],
    ['/api/v2/openapi.json', () => ask('/api/v2/openapi.json')],
    ...(check === null ? [] : [['a plate check', () => ask(CHECK_PATH, checkRequest(check))] as const]),
  ];
  for (const [name, call] of required) {
    const { status, version: from, text } = await call();
    if (status !== 200) throw new Error(`${name} answered ${status}: ${text.slice(0, 500)}`);
    if (from !== version) throw new Error(`${name} was answered by version ${from}, not by ${version}`);
  }
  return required.map(([name]) => name);
}

const CHECK_PATH = '/api/v2/parking-entitlements/search';

const checkRequest = ({ token, plate }: { readonly token: string; readonly plate: string }): RequestInit => ({
  method: 'POST',
  headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ plate }),
});

/** Waits until this version answers: an answer of another one says nothing about it. */
async function reached(ask: () => Promise<Answer>, version: string): Promise<void> {
  const until = Date.now() + REACHED_WITHIN_MS;
  for (;;) {
    const answer = await ask().catch((error: unknown) => error);
    if (isAnswer(answer) && answer.version === version) return;
    if (Date.now() >= until) {
      const last = isAnswer(answer) ? `${answer.status} of version ${answer.version}` : String(answer);
      throw new Error(
        `version ${version} was not reached in ${REACHED_WITHIN_MS / 1_000} s; the last answer: ${last}`,
      );
    }
    await wait(EVERY_MS);
  }
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && 'version' in value;

async function answerOf(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  return {
    status: response.status,
    version: response.headers.get('X-Service-Version'),
    text: await response.text(),
  };
}
