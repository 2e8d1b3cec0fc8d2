import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import description from '../../src/serving/openapi/openapi.json' with { type: 'json' };
import {
  CITY,
  FACILITY,
  SMALL_FACILITY,
  SOURCE,
  TENANT,
} from '../../tools/description/document/examples/city.ts';
import { Stage } from '../parking/examples.ts';
import { ADMIN_TOKEN } from '../parking/office.ts';
import { desk, openOffice, START_MS, service } from '../parking/opened-office.ts';
import { someOf } from '../support/run-form.ts';

interface Described {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
}
const OPERATIONS: readonly Described[] = Object.values(description.paths).flatMap((item) =>
  Object.values(item as Record<string, Described>),
);
const samplesOf = (wanted: string): [id: string, source: string][] =>
  OPERATIONS.flatMap(({ operationId, 'x-codeSamples': samples }) =>
    samples
      .filter(({ label }) => label === wanted)
      .map(({ source }): [string, string] => [operationId, source]),
  );

openOffice(2);
/** Of the city that examples name: what names none is about the only one. */
let token: string;
let barrier: string;
let stage: Stage;

beforeAll(async () => {
  await service.administrate('PUT', 'configuration', {
    tenants: [{ code: TENANT, name: 'Demonstration' }],
    municipalities: [
      {
        ...{ ...CITY, timezone: 'Europe/Rome', tenant: TENANT },
        services: { public_occupancy: true },
        areas: [
          // What the files at the desk name.
          { code: 'S1', name: 'Via Po', area_type: 'street' },
          { ...FACILITY, area_type: 'facility', capacity: 300 },
          { ...SMALL_FACILITY, area_type: 'facility', capacity: 100 },
        ],
        sources: [{ ...SOURCE, category: 'app' }],
        subscription_types: [{ code: 'RES', name: 'Residents' }],
      },
    ],
  });
  await service.cron();
  const issue = (name: string, scopes: readonly string[]) =>
    service.administrate('POST', 'credentials', {
      ...{ tenant: TENANT, name, municipalities: [CITY.code], scopes },
    });
  const scopes = [
    ...['plate_check', 'subscription_options', 'subscription_payments', 'report', 'import', 'evidence'],
    ...['patrol', 'entitlement_list', 'office'],
  ];
  token = String((await issue('Everything', scopes)).access_token);
  barrier = String((await issue('Barrier', ['report'])).credential_id);
  stage = await Stage.open(desk, service, { tenant: TENANT, municipality: CITY.code });
  const line = {
    ...{ subscription_number: 'SUB-DE101MO-1', type: 'RES', approval: 'approved', areas: 'all', periods: [] },
    plates: [{ plate: 'DE101MO' }],
  };
  await fetch(`${service.address}/api/v2/imports/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: JSON.stringify(line),
  });
}, START_MS);

/** An answer's status: of a sample whose ids and instants are those of here and now. */
async function statusOf(sample: string): Promise<string> {
  const ran = sample
    .replace('curl', "curl --silent --show-error --output /dev/null --write-out '%{http_code}'")
    .replaceAll('5f0c1b7e9a3d4c2b8e6f0a1d', barrier)
    .replaceAll(/"(at|seen_at|collected_at|reversed_at)":"[^"]+"/g, `"$1":"${new Date().toISOString()}"`);
  const env = { PATH: process.env.PATH, URL: service.address, TOKEN: token, ADMIN_TOKEN };
  const child = spawn('sh', ['-c', ran], { env });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out + err;
}

describe('The samples of the description', () => {
  it('in curl are taken by the service, each by a success where its example is there', async () => {
    const EXPECTED: Readonly<Record<string, string>> = {
      // It is an asset, which this service is run without.
      getDescription: '500',
      // A call that nobody made.
      getCall: '404',
      issueCredential: '201',
      // The sample before has reversed it.
      settlePayment: '422',
      // It was revoked by the sample before.
      rotateCredential: '422',
      // The city is there, and nothing of it is being brought back.
      restoreMunicipality: '409',
      discardRestore: '404',
    };
    for (const [id, source] of samplesOf('curl')) {
      const status = await statusOf(source);
      // By now the move may have come to its end.
      if (id === 'callOffMove') expect(['200', '404']).toContain(status);
      else expect({ id, status }, source).toEqual({ id, status: EXPECTED[id] ?? '200' });
    }
  }, 120_000);

  it('of the command end as they should', async () => {
    const EXPECTED: Readonly<Record<string, number>> = {
      // Somebody would be asked.
      ...{ revokeCredential: 2, erasePlate: 2 },
      ...{ restoreMunicipality: 2, discardRestore: 2, rotateCredential: 2 },
      // No move is under way.
      callOffMove: 1,
      // It is reversed, or not there.
      settlePayment: 1,
    };
    for (const [id, source] of someOf(samplesOf('parking'), 5)) {
      const { code, err } = await stage.play(source, null);
      expect({ id, code }, err).toEqual({ id, code: EXPECTED[id] ?? 0 });
    }
  }, 120_000);
});
