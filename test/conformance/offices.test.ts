import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { AdministratorAccess } from '../../src/serving/contract.ts';
import { type Example, exampleOf, expectRight, prepareExamples, send } from '../faults/calls.ts';
import { OPERATIONS } from '../suites/operations.ts';
import type { RightAnswer } from '../suites/right-answer.ts';
import { rightAnswerOf } from '../suites/right-answers.ts';
import { CALLERS_SCOPES, issueCredential, type TestCredential } from '../support/credential.ts';
import { ROME, seed } from '../support/seed.ts';
import { ADMIN, type Answer, type Call, Service } from '../support/service.ts';
import { expectRefusal } from './envelope.ts';

/** Another tenant, and its city. */
const OTHERS = {
  tenants: [{ id: 2, code: 'other', name: 'Other', active: true }],
  municipalities: [{ ...ROME, id: 2, tenantId: 2, code: 'L219', name: 'Torino' }],
};

/** Who calls, by the scopes of a credential of which tenant. */
const CALLERS = {
  office: { tenantId: 1, scopes: ['office'] },
  reader: { tenantId: 1, scopes: ['office_read'] },
  'the other scopes': { tenantId: 1, scopes: CALLERS_SCOPES },
  'another tenant’s office': { tenantId: 2, scopes: ['office', ...CALLERS_SCOPES] },
  'another tenant’s reader': { tenantId: 2, scopes: ['office_read'] },
} as const;
type Caller = keyof typeof CALLERS;

interface Administered {
  readonly name: string;
  readonly method: string;
  readonly office: AdministratorAccess['office'];
  readonly example: Example;
  readonly others: RightAnswer['toOthersOffice'];
  readonly isLogged: boolean;
}

const administered = (): Administered[] =>
  OPERATIONS.flatMap((of) =>
    of.access.by === 'administrator'
      ? [
          {
            ...{ name: of.id, method: of.method },
            office: of.access.office,
            example: exampleOf(of),
            others: rightAnswerOf(of).toOthersOffice,
            isLogged: of.log !== undefined,
          },
        ]
      : [],
  );

/** Every administrator's operation, by everybody who may hold a token. */
const service = new Service();
const credentials = new Map<Caller, TestCredential>();
const headersOf = (caller: Caller) => credentials.get(caller)?.headers ?? expect.fail(caller);

type Sent = Call & { readonly path: string };

/** A call as a credential makes it in the administrator's place. */
const sendAs = (headers: Record<string, string>, sent: Sent, to = service): Promise<Answer> => {
  const { Authorization: _, ...others } = sent.headers ?? {};
  return send({ ...sent, headers: { ...others, ...headers } }, to);
};
const as = async (headers: Record<string, string>, { next }: Example): Promise<Answer> =>
  sendAs(headers, await next());

beforeAll(async () => {
  await prepareExamples();
  await seed(OTHERS);
  for (const [name, { tenantId, scopes }] of Object.entries(CALLERS) as [
    Caller,
    (typeof CALLERS)[Caller],
  ][]) {
    credentials.set(name, await issueCredential({ tenantId, scopes }, [tenantId]));
  }
});

describe.each(administered())('The administrator’s $name', ({ office, example, others, isLogged }) => {
  it('is answered to the administrator', async () => {
    expectRight(example, await as(ADMIN, example));
  });

  it.each(['office', 'reader'] as const)(
    'is answered to its tenant’s %s as its access says',
    async (caller) => {
      const answer = await as(headersOf(caller), example);
      if (office === 'reads' || (office === 'changes' && caller === 'office')) {
        expectRight(example, answer);
        expect(answer.headers.get('RateLimit')).toMatch(/^"office";/);
      } else {
        expectRefusal(answer, 403, 'SCOPE_NOT_ALLOWED');
      }
    },
  );

  it('is refused to every other scope', async () => {
    expectRefusal(await as(headersOf('the other scopes'), example), 403, 'SCOPE_NOT_ALLOWED');
  });

  it.each(['another tenant’s office', 'another tenant’s reader'] as const)(
    'tells %s and changes nothing of this tenant’s',
    async (caller) => {
      const sent = await example.next();
      const before = await stored();
      const answer = await sendAs(headersOf(caller), sent);
      if (office === 'nothing' || (office === 'changes' && caller.endsWith('reader'))) {
        expectRefusal(answer, 403, 'SCOPE_NOT_ALLOWED');
      } else if (Array.isArray(others)) {
        expect(answer.status).toBe(200);
        expect(JSON.stringify(answer.body)).not.toMatch(/acme|H501/);
      } else {
        const code = String(others ?? expect.fail('the operation has no entry for others’ offices'));
        expectRefusal(answer, code === 'NOT_FOUND' ? 404 : 403, code);
        expect(withoutId(await sendAs(headersOf(caller), aboutNothing(sent)))).toEqual(withoutId(answer));
      }
      expect(await stored()).toEqual(before);
    },
  );

  it('is 401 to an office whose token has expired or was revoked', async () => {
    const scopes = ['office'];
    const expired = await issueCredential({ scopes, expiresAt: 1 });
    const revoked = await issueCredential({ scopes, revokedAt: 1 });
    expectRefusal(await as(expired.headers, example), 401, 'TOKEN_EXPIRED');
    expectRefusal(await as(revoked.headers, example), 401, 'TOKEN_REVOKED');
  });

  it('takes an office’s token from Authorization alone, and no key', async () => {
    const { accessToken, apiKey } = credentials.get('office') ?? expect.fail();
    for (const headers of [{ 'X-Service-Token': accessToken }, { 'X-Api-Key': apiKey }]) {
      expectRefusal(await as(headers, example), 401, 'TOKEN_MISSING');
    }
    expectRefusal(await as({ Authorization: `Bearer ${apiKey}` }, example), 401, 'TOKEN_INVALID');
  });

  it('is there for an office where the administrator’s secret is unset', async () => {
    const without = new Service({ ADMIN_TOKEN: '' });
    const sent = await example.next();
    const answer = await sendAs(headersOf('office'), sent, without);
    if (office === 'nothing') {
      expectRefusal(answer, 403, 'SCOPE_NOT_ALLOWED');
    } else {
      expectRight(example, answer);
    }
    expectRefusal(await sendAs(ADMIN, sent, without), 401, 'TOKEN_INVALID');
  });

  if (office !== 'nothing') {
    it('is refused to the office of a tenant that is switched off', async () => {
      await env.DB.prepare('update tenants set active = 0 where id = 1').run();
      expectRefusal(await as(headersOf('office'), example), 403, 'TENANT_DISABLED');
      await env.DB.prepare('update tenants set active = 1 where id = 1').run();
    });

    it('is logged as the administrator’s, with the office and its own tenant', async () => {
      const reference = { 'Officer-Reference': 'badge-7' };
      const sent = await example.next();
      const { Authorization: _, ...others } = sent.headers ?? {};
      for (const [caller, tenant] of [
        ['office', 'acme'],
        ['another tenant’s office', 'other'],
      ] as const) {
        const headers = { ...others, ...headersOf(caller), ...reference };
        const { headers: answered } = await service.settle(sent.path, { ...sent, headers });
        const { credentialId } = credentials.get(caller) ?? expect.fail();
        const row = {
          ...{ operation: 'admin', credential_id: credentialId, tenant, officer_reference: 'badge-7' },
          ...{ action: expect.any(String) },
        };
        await vi.waitFor(async () =>
          expect(await loggedCall(answered.get('X-Request-Id') ?? '')).toEqual(isLogged ? row : null),
        );
      }
    });

    it('takes no other officer’s reference than one', async () => {
      const answer = await as({ ...headersOf('office'), 'Officer-Reference': 'two words' }, example);
      expectRefusal(answer, 422, 'INVALID_REQUEST');
    });
  }
});

describe('The administration', () => {
  it('is all below its path, and nothing else is', () => {
    const below = OPERATIONS.filter(({ path }) => path.startsWith('/api/v2/admin/'));
    expect(below).toEqual(OPERATIONS.filter(({ access }) => access.by === 'administrator'));
  });

  it('lets no office read what changes something', () => {
    const read = administered().filter(({ office }) => office === 'reads');
    // An export is a POST for the plate, which stands in no address.
    const named = read.filter(({ method }) => method !== 'GET').map(({ name }) => name);
    expect(named.sort()).toEqual(['exportPlate', 'exportSubscription', 'findPaymentsForOffice']);
  });
});

/** The same call about what does not exist: it must be answered alike. */
function aboutNothing<Sent extends Call & { readonly path: string }>({ path, body, ...sent }: Sent) {
  const rename = (text: string) =>
    text
      .replaceAll('acme', 'nobody')
      .replaceAll('H501', 'NOWHERE')
      .replace(/[0-9a-f]{24}(?=$|\/)/, 'f'.repeat(24))
      .replace(/calls\/.*$/, 'calls/6f1f3c1e-0000-4000-8000-00000000000f');
  return {
    ...sent,
    path: rename(path),
    ...(body !== undefined && { body: JSON.parse(rename(JSON.stringify(body))) }),
  };
}

const withoutId = ({ status, body: { request_id: _, ...body } }: Answer) => ({ status, body });

const loggedCall = (requestId: string) =>
  env.DB.prepare(
    'select operation, credential_id, tenant, officer_reference, action from logged_calls where request_id = ?',
  )
    .bind(requestId)
    .first();

/** What an office of another tenant could have changed. */
async function stored(): Promise<unknown> {
  const tables = ['tenants', 'municipalities', 'areas', 'sources', 'credentials', 'parking_sessions'];
  const read = await env.DB.batch(tables.map((table) => env.DB.prepare(`select * from ${table}`)));
  return read.map(({ results }) => results);
}
