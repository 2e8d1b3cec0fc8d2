import { env } from 'cloudflare:workers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DAY_MS } from '../../src/domain/instant.ts';
import { Random } from '../domain/random.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import { type CheckBody, firstDocument, lastDocument, nextStep, pause, type Step, V1 } from './histories.ts';
import { EVIDENCE } from './support.ts';

const HISTORIES = shortOrThorough(2, 250);
const STEPS = 60;
const CONFIGURATION = '/api/v2/admin/configuration';
/** Every check of a history has the time to be written to the call log. */
const AFTERWARDS_MS = 2 * 60 * 60 * 1_000;

/** A live answer, kept. */
interface Kept {
  readonly path: string;
  readonly body: CheckBody;
  readonly language: string;
  /** When it was asked. */
  readonly madeAt: number;
  readonly answer: Answer;
}

type Fields = Record<string, unknown>;

/** The clock of all histories: the instants of changes never go back. */
let now = Date.UTC(2026, 2, 7, 7, 39);
const iso = (at: number): string => new Date(at).toISOString();

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
});
afterAll(() => vi.useRealTimers());

function setClock(at: number): void {
  now = at;
  vi.setSystemTime(at);
}

/** A history of its own municipality: what happens, and what was answered meanwhile. */
async function live(seed: number) {
  const random = new Random(seed);
  const service = new Service();
  const code = `R${seed}`;
  setClock(now + DAY_MS);
  await put(service, firstDocument(code));
  const { id } = (await env.DB.prepare('select id from municipalities where code = ?1')
    .bind(code)
    .first<{ id: number }>()) ?? { id: 0 };
  const credential = await issueCredential({ tenantId: await tenantId(), historicalDaysAllowed: null }, [id]);
  const kept: Kept[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    // Storing takes its time: what one millisecond stores has instants behind that millisecond.
    setClock(now + 10 + pause(random));
    const answer = await take(nextStep(random, code, now), service, credential, code);
    if (answer !== null) kept.push(answer);
  }
  setClock(now + AFTERWARDS_MS);
  await put(service, lastDocument(code));
  setClock(now + 1);
  return { service, credential, code, kept };
}

async function tenantId(): Promise<number> {
  return (await env.DB.prepare("select id from tenants where code = 'acme'").first<number>('id')) ?? 0;
}

async function put(service: Service, document: object): Promise<void> {
  const { status, body } = await service.settle(CONFIGURATION, {
    method: 'PUT',
    headers: ADMIN,
    body: document,
  });
  expect(status, JSON.stringify(body)).toBe(200);
}

/** Takes a step. What is refused is part of the history: an area or a tenant may be switched off. */
async function take(
  step: Step,
  service: Service,
  { headers }: TestCredential,
  code: string,
): Promise<Kept | null> {
  switch (step.kind) {
    case 'configuration': {
      // What has become a street takes no facility's settings: such a document changes nothing.
      const { status } = await service.settle(CONFIGURATION, {
        method: 'PUT',
        headers: ADMIN,
        body: step.document,
      });
      expect([200, 422]).toContain(status);
      return null;
    }
    case 'sessions':
    case 'subscriptions': {
      const query = new URLSearchParams({
        municipality_code: code,
        ...(step.kind === 'sessions' && { source_code: step.source }),
      });
      const { status } = await service.settle(`/api/v2/imports/${step.kind}?${query}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-ndjson', ...headers },
        body: step.lines.map((line) => JSON.stringify(line)).join('\n'),
      });
      expect(status).toBeLessThan(500);
      return null;
    }
    case 'check': {
      const { path, body, language } = step;
      const answer = await service.settle(path, {
        method: 'POST',
        headers: { ...headers, 'Accept-Language': language },
        body,
      });
      expect(answer.status).toBeLessThan(500);
      return { path, body, language, madeAt: now, answer };
    }
    default:
      return step satisfies never;
  }
}

/** The plate check's fields from `verification_scope` to the end (V1 has none: all); of one that was refused, why. */
function verdictOf({ status, body }: Answer): Fields {
  if (status !== 200) {
    return { refused: (body.error as Fields).code };
  }
  const names = Object.keys(body);
  return Object.fromEntries(Object.entries(body).slice(Math.max(0, names.indexOf('verification_scope'))));
}

/** What V1 says too: it knows sessions alone. */
const ofV1 = ({ has_valid_parking, sessions_count, valid_sessions_count, sessions }: Fields): Fields => ({
  has_valid_parking,
  sessions_count,
  valid_sessions_count,
  sessions,
});

/** What of a verdict and of a live answer can be compared. */
function comparable(check: Kept, verdict: Fields): Fields {
  return check.path === V1 && !('refused' in verdict) ? ofV1(verdict) : verdict;
}

/** Asks for the evidence of a check that was made before. */
async function evidenceOf(
  { body, language, madeAt, path }: Kept,
  service: Service,
  { headers }: TestCredential,
  code: string,
): Promise<Answer> {
  const { checked_at, event = 'verify', ...rest } = body;
  const at = Math.min(checked_at === undefined ? madeAt : Date.parse(checked_at), madeAt);
  return service.call(EVIDENCE, {
    method: 'POST',
    headers: { ...headers, 'Accept-Language': language },
    body: {
      ...rest,
      municipality_code: code,
      event: path === V1 ? 'verify' : event,
      at: iso(at),
      known_at: iso(madeAt),
    },
  });
}

/** How the checks of histories ended, so that each way is seen to have been compared. */
const seen = new Map<string, number>();
const note = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1);

async function compare(check: Kept, life: Awaited<ReturnType<typeof live>>, index: number): Promise<void> {
  const { service, credential, code } = life;
  const { status, body } = await evidenceOf(check, service, credential, code);
  const found = comparable(check, verdictOf(check.answer));
  const what = `${code}, check ${index}: ${JSON.stringify(check.body)} at ${iso(check.madeAt)}`;
  if (status !== 200) {
    // Nobody ever configured that area. The check may have been refused for something else before.
    note('an area that never was');
    const isGate = check.path !== V1 && check.body.event !== 'verify';
    expect((body.error as Fields).code, what).toBe(isGate ? 'FACILITY_REQUIRED' : 'AREA_NOT_FOUND');
    expect(found, what).toEqual({ refused: expect.any(String) });
    expect(check.body.area_code, what).toBeOneOf(['NONE', 'P9']);
    return;
  }
  note(
    'refused' in found
      ? String(found.refused)
      : `${check.path === V1 ? 'V1' : '2.0'} ${found.access_reason_code ?? ''}`,
  );
  note(`differs ${String(body.differs)}`);
  const then = comparable(check, body.as_known_then as Fields);
  expect(then, what).toEqual(found);
  expect(Object.keys(then), what).toEqual(Object.keys(found));
  await compareWithToday(check, body, life, what);
  if (found.refused !== 'MUNICIPALITY_NOT_ALLOWED') {
    const madeWithin = Math.abs(check.madeAt - Date.parse(String(body.at))) < DAY_MS;
    const ids = (body.checks as { request_id: string }[]).map(({ request_id }) => request_id);
    expect(ids.includes(String(check.answer.body.request_id)), what).toBe(madeWithin);
  }
}

/** `as_known_now` is what the same check says now. */
async function compareWithToday(
  check: Kept,
  evidence: Fields,
  { service, credential, code }: Awaited<ReturnType<typeof live>>,
  what: string,
): Promise<void> {
  const today = await service.call(check.path, {
    method: 'POST',
    headers: { ...credential.headers, 'Accept-Language': check.language },
    body: { ...check.body, municipality_code: code, checked_at: iso(Date.parse(String(evidence.at))) },
  });
  expect(comparable(check, evidence.as_known_now as Fields), what).toEqual(
    comparable(check, verdictOf(today)),
  );
}

describe(`Evidence of a random history (TEST_SEED=${RUN_SEED})`, () => {
  it.each(Array.from({ length: HISTORIES }, (_, index) => RUN_SEED + index))(
    'tells of every live check what it was answered (%i)',
    async (seed) => {
      const life = await live(seed);
      for (const [index, check] of life.kept.entries()) {
        await compare(check, life, index);
      }
    },
    120_000,
  );

  it('was compared for answers of many kinds', () => {
    console.info(JSON.stringify(Object.fromEntries([...seen].sort())));
    expect(seen.get('differs true')).toBeGreaterThan(0);
    expect(seen.get('differs false')).toBeGreaterThan(0);
    expect(seen.size).toBeGreaterThan(shortOrThorough(4, 8));
  });
});
