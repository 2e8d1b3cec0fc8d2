import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { changeOf, issueCredential } from '../support/credential.ts';
import { databaseDouble, writesCallLog } from '../support/doubles.ts';
import { bearer, Service } from '../support/service.ts';
import { optionsLog } from './call-log-support.ts';
import { asker, PATH } from './support.ts';

const { service, credential, rows, onlyRow, lookUp, post, loggedOffer } = optionsLog();
const ask = asker(service, credential);

describe('The call log of the options query', () => {
  it('holds the whole call before it is answered, and gives it back by its id', async () => {
    const sent = { plate: 'act-ive', terminal_code: 'T-1', anything: [1, { else: null }] };
    const { body } = await ask(sent);
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

  it('says how long the call took', async () => {
    const DB = databaseDouble({
      around: async (run, sql) => {
        await (writesCallLog(sql) ? undefined : scheduler.wait(60));
        return run();
      },
    });
    await post({ plate: 'A' }, credential().headers, new Service({ DB }));
    expect(await onlyRow()).toMatchObject({ duration_ms: expect.toSatisfy((ms: number) => ms >= 55) });
  });

  it('leaves what strangers could flood it with to the structured log', async () => {
    const log = vi.spyOn(console, 'log');
    const { headers } = await issueCredential({ rateLimit: 1 });
    await post({ plate: 'A' }, { Authorization: '' });
    await post({ plate: 'A' }, bearer('x'));
    await service.call(`${PATH}/x`, { method: 'POST' });
    await service.call(PATH);
    await post({ plate: 'A' }, headers);
    await post({ plate: 'A' }, headers);
    expect(await onlyRow()).toMatchObject({ outcome: 'SUBSCRIPTION_NOT_FOUND' });
    expect(log.mock.calls.map(([line]) => JSON.parse(String(line)).outcome)).toEqual([
      'TOKEN_MISSING',
      'TOKEN_INVALID',
      'NOT_FOUND',
      'METHOD_NOT_ALLOWED',
      'SUBSCRIPTION_NOT_FOUND',
      'RATE_LIMIT_EXCEEDED',
    ]);
    expect(JSON.stringify(log.mock.calls)).not.toContain('plate"');
  });

  it('holds no token of a body in another encoding', async () => {
    const utf16 = new Uint8Array(
      [...credential().accessToken].flatMap((letter) => [letter.charCodeAt(0), 0]),
    );
    await post(utf16);
    const row = await onlyRow();
    expect(row).toMatchObject({ outcome: 'INVALID_JSON', request: 'pev_***' });
  });

  it('names no municipality that the credential has no more', async () => {
    const moved = await issueCredential();
    const service = new Service();
    const ask = () => service.post(PATH, { plate: 'ACTIVE', municipality_code: 'H501' }, moved.headers);
    expect((await ask()).status).toBe(200);
    await changeOf(moved, (held) => ({ ...held, municipalities: [] }));
    await env.DB.prepare('delete from calls').run();
    expect((await ask()).status).toBe(403);
    expect(await onlyRow()).toMatchObject({ outcome: 'MUNICIPALITY_NOT_ALLOWED', municipality_code: null });
  });

  it('holds no token, wherever one was put and however it was written', async () => {
    const { accessToken, apiKey } = credential();
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
    for (const body of bodies) {
      await post(body);
    }
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
