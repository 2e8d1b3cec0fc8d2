import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import { changeOf, issueCredential } from '../support/credential.ts';
import { Service } from '../support/service.ts';
import { stopClock } from '../support/stopped-clock.ts';
import { Late, meanwhile } from './late-bindings.ts';
import { beginWorld, codeOf, HELD_MS, isolateFor, moveRow, NOT_OWN, NOW, OWN, SUBJECTS } from './world.ts';

beforeAll(beginWorld);
beforeEach(() => {
  stopClock(NOW);
  return () => vi.useRealTimers();
});

const CASES = SUBJECTS.map((subject) => [subject.name, subject] as const);

describe.each(CASES)('%s of no named municipality', (_, subject) => {
  it('reads its facts once the object has said which', async () => {
    const { bindings, ask } = isolateFor(subject);
    const late = new Late();
    bindings.object = late.fate;
    const answer = ask(await issueCredential(), {});
    await bindings.asked('object');
    await meanwhile();
    expect(bindings.begun).toEqual({ object: 1, facts: 0, database: 0 });
    late.arrive();
    expect((await answer).body).toMatchObject(subject.right);
    expect(bindings.begun).toMatchObject({ object: 1, facts: 1 });
  });

  it('is judged by what the object has, whatever the row has', async () => {
    const credential = await issueCredential();
    await moveRow(credential, 2);
    const answer = await isolateFor(subject).ask(credential, {});
    expect(answer.body).toMatchObject({ ...subject.right, municipality: { code: OWN } });
    const closed = await issueCredential({}, [3]);
    await moveRow(closed, 1);
    expect(codeOf(await isolateFor(subject).ask(closed, {}))).toBe('MUNICIPALITY_NOT_ALLOWED');
  });
});

describe.each(CASES)('A credential of %s that an isolate has admitted before', (_, subject) => {
  it('is judged by the municipalities that it has now', async () => {
    const { ask } = isolateFor(subject);
    const credential = await issueCredential();
    expect((await ask(credential, {})).body).toMatchObject({ municipality: { code: OWN } });
    await moveRow(credential, 2);
    await changeOf(credential, (held) => ({ ...held, municipalities: ['OTHER'] }));
    expect(codeOf(await ask(credential))).toBe('MUNICIPALITY_NOT_ALLOWED');
    expect(codeOf(await ask(credential, { municipality_code: 'OTHER' }))).not.toBe(
      'MUNICIPALITY_NOT_ALLOWED',
    );
  });

  it('learns nothing once it is revoked: what was read during the admission is thrown away', async () => {
    const { bindings, ask } = isolateFor(subject);
    const credential = await issueCredential();
    expect((await ask(credential)).body).toMatchObject(subject.right);
    await changeOf(credential, (held) => ({ ...held, revokedAt: instant(NOW) }));
    vi.setSystemTime(NOW + HELD_MS);
    bindings.forget();
    const answer = await ask(credential);
    expect(answer.body).toMatchObject({ success: false, error: { code: 'TOKEN_REVOKED' } });
    expect(answer.headers.get('WWW-Authenticate')).toContain('invalid_token');
    expect(Object.keys(answer.body)).toEqual(['success', 'ok', 'request_id', 'error']);
    expect(bindings.begun).toMatchObject({ object: 1, facts: 1 });
  });

  it('may name a municipality of its tenant once it has been given it, and not before', async () => {
    const { bindings, ask } = isolateFor(subject);
    const credential = await issueCredential({}, [2]);
    expect(codeOf(await ask(credential))).toBe('MUNICIPALITY_NOT_ALLOWED');
    await moveRow(credential, 1);
    expect(codeOf(await ask(credential))).toBe('MUNICIPALITY_NOT_ALLOWED');
    await changeOf(credential, (held) => ({ ...held, municipalities: [OWN] }));
    vi.setSystemTime(NOW + 2 * HELD_MS);
    bindings.forget();
    expect((await ask(credential)).body).toMatchObject(subject.right);
    expect(bindings.begun).toMatchObject({ object: 1, facts: 1 });
    for (const code of NOT_OWN) {
      expect(codeOf(await ask(credential, { municipality_code: code }))).toBe('MUNICIPALITY_NOT_ALLOWED');
    }
  });
});

describe('A plate check', () => {
  const [[, check] = expect.fail('no check')] = CASES;

  it('is judged by the historical days that its credential has now', async () => {
    const service = new Service();
    const credential = await issueCredential({ historicalDaysAllowed: 0 });
    const yesterday = { plate: 'A', checked_at: new Date(NOW - 86_000_000).toISOString() };
    const ask = (body: object) => service.post(check.path, body, credential.headers);
    expect((await ask({ plate: 'A' })).status).toBe(200);
    expect(codeOf(await ask(yesterday))).toBe('CHECKED_AT_OUT_OF_RANGE');
    await changeOf(credential, (held) => ({ ...held, historicalDaysAllowed: 1 }));
    expect((await ask(yesterday)).status).toBe(200);
  });

  it('is refused for its plate or its instant only after the admission, without its facts', async () => {
    for (const [body, code] of [
      [{ plate: ' ' }, 'INVALID_PLATE'],
      [{ plate: 'A', checked_at: new Date(NOW + 60_000).toISOString() }, 'CHECKED_AT_IN_FUTURE'],
    ] as const) {
      const { bindings } = isolateFor(check);
      const revoked = await issueCredential({ revokedAt: 1 });
      const admitted = await issueCredential();
      expect(codeOf(await bindings.service.post(check.path, body, revoked.headers))).toBe('TOKEN_REVOKED');
      expect(codeOf(await bindings.service.post(check.path, body, admitted.headers))).toBe(code);
      expect(bindings.begun).toEqual({ object: 2, facts: 0, database: 0 });
    }
  });
});
