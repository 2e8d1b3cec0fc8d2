import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectRefusal } from '../conformance/envelope.ts';
import { changeOf, issueCredential } from '../support/credential.ts';
import { type Answer, Service } from '../support/service.ts';
import { stopClock } from '../support/stopped-clock.ts';
import { Late, meanwhile, neverComes } from './late-bindings.ts';
import { beginWorld, codeOf, HELD_MS, isolateFor, NOT_OWN, NOW, SUBJECTS } from './world.ts';

beforeAll(beginWorld);
beforeEach(() => {
  stopClock(NOW);
  return () => vi.useRealTimers();
});

const CASES = SUBJECTS.map((subject) => [subject.name, subject] as const);

/** An answer without what is its own: the id, and what is left of the budget. */
function withoutId({ status, headers, body }: Answer) {
  const own = ['x-request-id', 'ratelimit'];
  return { status, headers: [...headers].filter(([name]) => !own.includes(name)), error: body.error };
}

describe.each(CASES)('A refused call of %s', (_, subject) => {
  it.each<[string, Parameters<typeof issueCredential>[0], status: number]>([
    ['TOKEN_REVOKED', { revokedAt: 1 }, 401],
    ['SCOPE_NOT_ALLOWED', { scopes: ['import'] }, 403],
  ])('awaits no facts, though they never come: %s', async (code, changed, status) => {
    const { bindings, ask } = isolateFor(subject);
    bindings.facts = neverComes;
    expectRefusal(await ask(await issueCredential(changed)), status, code);
    expect(bindings.begun).toMatchObject({ object: 1, facts: 1 });
  });

  it('awaits no facts over its budget either', async () => {
    const credential = await issueCredential({ rateLimit: 1 });
    await new Service().post(subject.path, subject.body, credential.headers);
    const { bindings, ask } = isolateFor(subject);
    bindings.facts = neverComes;
    const answer = await ask(credential);
    expectRefusal(answer, 429, 'RATE_LIMIT_EXCEEDED');
    expect(answer.headers.get('Retry-After')).toBe('60');
  });

  it('says the same of every municipality that is not its own, for the same round trips', async () => {
    const credential = await issueCredential();
    const answers = [];
    for (const code of NOT_OWN) {
      const { bindings, ask } = isolateFor(subject);
      const answer = await ask(credential, { municipality_code: code });
      expectRefusal(answer, 403, 'MUNICIPALITY_NOT_ALLOWED');
      // What is in the store of a code is read as well, and never waited for: see the next test.
      const { facts, ...awaited } = bindings.begun;
      answers.push({ ...withoutId(answer), ...awaited, ...(subject.factsAreIn === 'database' && { facts }) });
    }
    for (const one of answers) {
      expect(one).toEqual(answers[0]);
    }
  });

  it('does not wait for what was read of what is not its own', async () => {
    for (const code of NOT_OWN) {
      const { bindings, ask } = isolateFor(subject);
      bindings.firstFacts = [neverComes];
      const answer = await ask(await issueCredential(), { municipality_code: code });
      expectRefusal(answer, 403, 'MUNICIPALITY_NOT_ALLOWED');
      expect(bindings.begun.facts).toBeGreaterThan(0);
    }
  });
});

describe.each(CASES)('A caller of %s that was refused a moment ago', (_, subject) => {
  it('costs no database while it is refused, and is forgotten after ten seconds', async () => {
    const credential = await issueCredential({ revokedAt: 1 });
    const { bindings, ask } = isolateFor(subject);
    const factsAt = async (ms: number) => {
      vi.setSystemTime(NOW + ms);
      bindings.forget();
      expect(codeOf(await ask(credential))).toBe('TOKEN_REVOKED');
      expect(bindings.begun.object).toBe(1);
      return bindings.begun.facts;
    };
    const facts = [];
    for (const ms of [0, 5_000, 9_999, 19_998, 29_998]) facts.push(await factsAt(ms));
    expect(facts).toEqual([1, 0, 0, 0, 1]);
  });

  it('costs no database over its budget either', async () => {
    const { bindings, ask } = isolateFor(subject);
    const credential = await issueCredential({ rateLimit: 1 });
    await ask(credential);
    expect(codeOf(await ask(credential))).toBe('RATE_LIMIT_EXCEEDED');
    bindings.forget();
    expect(codeOf(await ask(credential))).toBe('RATE_LIMIT_EXCEEDED');
    expect(bindings.begun).toEqual({ object: 1, facts: 0, database: 0 });
  });

  it('costs none before its object lets it in again, and is then like any other', async () => {
    const credential = await issueCredential({ revokedAt: 1 });
    const { bindings, ask } = isolateFor(subject);
    await ask(credential);
    await changeOf(credential, (held) => ({ ...held, revokedAt: null }));
    vi.setSystemTime(NOW + HELD_MS);
    bindings.forget();
    const late = new Late();
    bindings.object = late.fate;
    const answer = ask(credential);
    await bindings.asked('object');
    await meanwhile();
    expect(bindings.begun).toEqual({ object: 1, facts: 0, database: 0 });
    late.arrive();
    expect((await answer).body).toMatchObject(subject.right);
    expect(bindings.begun).toMatchObject({ object: 1, facts: 1 });

    vi.setSystemTime(NOW + 2 * HELD_MS);
    bindings.forget();
    const again = new Late();
    bindings.object = again.fate;
    const next = ask(credential);
    await bindings.asked('object', 'facts');
    again.arrive();
    expect((await next).body).toMatchObject(subject.right);
  });
});

describe.each(CASES)('A body of %s that is wrong', (_, subject) => {
  const { path, maxBytes } = subject;
  const json = { 'Content-Type': 'application/json' };
  const WRONG: readonly [number, string, Record<string, string>, unknown][] = [
    [413, 'PAYLOAD_TOO_LARGE', json, new Uint8Array(maxBytes + 1)],
    [422, 'INVALID_REQUEST', json, '{"unknown":1}'],
  ];

  it.each(WRONG)('has its %d %s only after the admission, costs one call, and no facts', async (...wrong) => {
    const [status, code, headers, body] = wrong;
    const credential = await issueCredential({ rateLimit: 1 });
    const { bindings } = isolateFor(subject);
    const late = new Late();
    bindings.object = late.fate;
    const send = () => bindings.service.post(path, body, { ...headers, ...credential.headers });
    let answered = false;
    const answer = send().finally(() => {
      answered = true;
    });
    await bindings.asked('object');
    await meanwhile();
    expect(answered).toBe(false);
    late.arrive();
    const refused = await answer;
    expectRefusal(refused, status, code);
    expect(refused.headers.get('RateLimit')).toContain('r=0');
    expectRefusal(await send(), 429, 'RATE_LIMIT_EXCEEDED');
    expect(bindings.begun).toEqual({ object: 2, facts: 0, database: 0 });
  });
});
