import { describe, expect, it } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble, writesCallLog } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { optionsLog } from './call-log-support.ts';

const { credential, onlyRow, lookUp, post } = optionsLog();

describe('The call log of the options query holds a refused call as well:', () => {
  const sent = { plate: 'A', terminal_code: 'T-1' };
  it.each<[string, number, () => Promise<Record<string, string>>, object]>([
    [
      'MUNICIPALITY_NOT_ALLOWED',
      403,
      async () => credential().headers,
      { ...sent, municipality_code: 'NOSUB' },
    ],
    ['SERVICE_DISABLED', 403, async () => (await issueCredential({}, [2])).headers, sent],
    ['INVALID_CONTENT_TYPE', 415, async () => ({ ...credential().headers, 'Content-Type': 'text/x' }), sent],
    ['INVALID_REQUEST', 422, async () => credential().headers, { plate: 1 }],
    ['INVALID_PLATE', 422, async () => credential().headers, { plate: '' }],
    ['MUNICIPALITY_REQUIRED', 422, async () => (await issueCredential({}, [1, 2])).headers, sent],
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

  it('a body that is no JSON, as the text that it was', async () => {
    const answer = await post('{"plate":');
    expect(await lookUp(answer.body.request_id)).toMatchObject({
      outcome: 'INVALID_JSON',
      request: '{"plate":',
      response: answer.body,
    });
  });

  it('no body at all', async () => {
    await post('');
    expect(await onlyRow()).toMatchObject({ outcome: 'INVALID_JSON', request: '' });
  });

  it('a failure of ours', async () => {
    const DB = databaseDouble({
      around: (run, sql) => (writesCallLog(sql) ? run() : Promise.reject(new Error('D1 is away'))),
    });
    const answer = await post(sent, credential().headers, new Service({ DB }));
    expect(await onlyRow()).toMatchObject({
      outcome: 'TEMPORARY_ERROR',
      request: JSON.stringify(sent),
      response: JSON.stringify(answer.body),
    });
  });
});
