import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { changeOf, issueCredential } from '../support/credential.ts';
import { databaseDouble, writesCallLog } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { optionsLog } from './call-log-support.ts';

const { city, rows, onlyRow, lookUp, post, loggedOffer } = optionsLog();

describe('The call log of the options query', () => {
  it('holds the whole call before it is answered, and gives it back by its id', async () => {
    const sent = { plate: 'act-ive', terminal_code: 'T-1', anything: [1, { else: null }] };
    const { body } = await post(sent);
    expect(await lookUp(body.request_id)).toEqual({
      request_id: body.request_id,
      ...loggedOffer(),
      request: sent,
      response: body,
    });
  });

  it('keeps the request as it was sent, to the character', async () => {
    const sent = '{ "plate" : "NO\\u0042ODY", "n": 12345678901234567890, "e": "\\u00e9\\\\u0041\\n" }';
    await post(sent);
    expect((await onlyRow()).request).toBe(sent.replace('\\u0042', 'B'));
  });

  it('holds no token of a body in another encoding', async () => {
    const { accessToken } = city.credential;
    await post(new Uint8Array([...accessToken].flatMap((letter) => [letter.charCodeAt(0), 0])));
    expect(await onlyRow()).toMatchObject({ outcome: 'INVALID_JSON', request: 'pev_***' });
  });

  it('names no municipality that the credential has no more', async () => {
    const moved = await issueCredential();
    const ask = () => post({ plate: 'ACTIVE', municipality_code: 'H501' }, moved.headers);
    expect((await ask()).status).toBe(200);
    await changeOf(moved, (held) => ({ ...held, municipalities: [] }));
    await env.DB.prepare('delete from calls').run();
    expect((await ask()).status).toBe(403);
    expect(await onlyRow()).toMatchObject({ outcome: 'MUNICIPALITY_NOT_ALLOWED', municipality_code: null });
  });

  it('holds no token, wherever one was put and however it was written', async () => {
    const { accessToken, apiKey } = city.credential;
    const clipped = accessToken.slice(0, 60);
    const escaped = [...accessToken]
      .map((character) => `\\u00${character.charCodeAt(0).toString(16)}`)
      .join('');
    const bodies = [
      `{"plate":"A","terminal_code":"${clipped}","x":{"${apiKey}":["é${accessToken}\\n"]}}`,
      `{"plate":"A","y":"${escaped}","z":"${escaped.replaceAll('\\', '\\\\')}"}`,
      `no JSON, ${accessToken} ${escaped}`,
      `${'x'.repeat(1_500)}${accessToken}`,
    ];
    const written = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')];
    for (const body of bodies) await post(body);
    const all = await rows();
    expect(all).toHaveLength(4);
    expect(JSON.stringify([all, written.map(({ mock }) => mock.calls)])).not.toMatch(/pev_(?!\*)/);
    const [first, second] = ['"x":', '"y":'].map((part) =>
      all.find(({ request }) => request?.includes(part)),
    );
    expect(JSON.parse(first?.request ?? '')).toEqual({
      plate: 'A',
      terminal_code: 'pev_***',
      x: { 'pev_***': ['épev_***\n'] },
    });
    // The terminal is answered as it was sent, and written down masked.
    expect(JSON.parse(first?.response ?? '')).toMatchObject({ terminal_code: 'pev_***' });
    expect(JSON.parse(second?.request ?? '')).toMatchObject({ y: 'pev_***' });
  });
});

describe('The call log of the options query holds a refused call as well:', () => {
  const sent = { plate: 'A', terminal_code: 'T-1' };
  const own = async () => city.headers;
  it.each<[string, number, () => Promise<Record<string, string>>, object]>([
    ['MUNICIPALITY_NOT_ALLOWED', 403, own, { ...sent, municipality_code: 'NOSUB' }],
    ['SERVICE_DISABLED', 403, async () => (await issueCredential({}, [2])).headers, sent],
    ['INVALID_CONTENT_TYPE', 415, async () => ({ 'Content-Type': 'text/x' }), sent],
    ['INVALID_REQUEST', 422, own, { plate: 1 }],
    ['INVALID_PLATE', 422, own, { plate: '' }],
  ])('%s', async (outcome, status, headers, body) => {
    const answer = await post(body, await headers());
    expect(answer.status).toBe(status);
    expect(await lookUp(answer.body.request_id)).toMatchObject({
      outcome,
      http_status: status,
      credential_id: expect.any(String),
      tenant: 'acme',
      request: body,
      response: answer.body,
    });
  });

  it('a body that is no JSON, as the text that it was, or none at all', async () => {
    const broken = await post('{"plate":');
    expect(await lookUp(broken.body.request_id)).toMatchObject({
      outcome: 'INVALID_JSON',
      request: '{"plate":',
      response: broken.body,
    });
    await env.DB.prepare('delete from calls').run();
    await post('');
    expect(await onlyRow()).toMatchObject({ outcome: 'INVALID_JSON', request: '' });
  });

  it('a failure of ours', async () => {
    const DB = databaseDouble({
      around: (run, sql) => (writesCallLog(sql) ? run() : Promise.reject(new Error('D1 is away'))),
    });
    const answer = await post(sent, {}, new Service({ DB }));
    expect(await onlyRow()).toMatchObject({
      outcome: 'TEMPORARY_ERROR',
      request: JSON.stringify(sent),
      response: JSON.stringify(answer.body),
    });
  });
});
