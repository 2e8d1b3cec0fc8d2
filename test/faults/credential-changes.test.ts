import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CredentialObject } from '../../src/serving/access/credential-object.ts';
import {
  CITIES,
  CREDENTIALS,
  change,
  type Issued,
  issue,
  outcomeOf,
  outcomeOfKey,
  revoke,
  rotate,
} from '../credentials/support.ts';
import { someOf } from '../support/run-form.ts';
import { seed } from '../support/seed.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import { answerLost, Breakable, evictedBefore, type Fault, from, LOST, only, throws } from './breakable.ts';
import { expectFailure } from './calls.ts';

const sound = new Service();
beforeAll(() => seed(CITIES));
afterEach(() => vi.restoreAllMocks());

interface Change {
  readonly act: (service: Service, id: string) => Promise<Answer>;
  /** What the old pair gets once the change has been answered with 200. */
  readonly oldPair: string;
}

const CHANGES: Readonly<Record<string, Change>> = {
  'a revocation': { act: (service, id) => revoke(service, id), oldPair: 'TOKEN_REVOKED' },
  'a rotation': { act: (service, id) => rotate(service, id), oldPair: 'TOKEN_REVOKED' },
  'a rotation with overlap': {
    act: (service, id) => rotate(service, id, { overlap_seconds: 600 }),
    oldPair: '200',
  },
  'a change of scopes': {
    act: (service, id) => change(service, id, { scopes: ['report'] }),
    oldPair: 'SCOPE_NOT_ALLOWED',
  },
  'a change of municipalities': {
    act: (service, id) => change(service, id, { municipalities: ['H501', 'L219'] }),
    oldPair: 'MUNICIPALITY_REQUIRED',
  },
};

/** What of a way something happens to: one round trip alone, or all from there on. */
const EXTENTS = { only, from };

type Way = 'objects' | 'rows';

interface Case {
  readonly name: string;
  readonly change: Change;
  readonly way: Way;
  readonly extent: keyof typeof EXTENTS;
  readonly faultName: keyof typeof FAULTS;
}

const FAULTS = {
  refused: () => throws('out of reach'),
  lost: () => answerLost(LOST),
  // Not the shared one, which ends with the file: an object's own promise has nobody there to hear of it.
  hanging: () => () => new Promise(() => {}),
  'met by an eviction': evictedBefore,
} satisfies Readonly<Record<string, (credentialId: string) => Fault>>;

const CASES: readonly Case[] = Object.entries(CHANGES).flatMap(([name, change]) =>
  (['objects', 'rows'] as const).flatMap((way) =>
    (['only', 'from'] as const).flatMap((extent) =>
      (Object.keys(FAULTS) as (keyof typeof FAULTS)[])
        // The runtime evicts no object that is at work.
        .filter((faultName) => way === 'objects' || faultName !== 'met by an eviction')
        .map((faultName) => ({ name, change, way, extent, faultName })),
    ),
  ),
);

/** An isolate whose ways to the credential, and the credential's to the database, can break. */
async function prepared(): Promise<{ isolate: Breakable; issued: Issued }> {
  const issued = await issue(sound);
  expect(await outcomeOf(sound, issued.accessToken)).toBe('200');
  const isolate = new Breakable();
  await isolate.breakRowOf(issued.credentialId);
  return { isolate, issued };
}

const heldBy = (credentialId: string) =>
  runInDurableObject(env.CREDENTIALS.getByName(credentialId), (object: CredentialObject) => object.read());

async function listed(credentialId: string): Promise<Record<string, unknown> | undefined> {
  const { body } = await sound.call(`${CREDENTIALS}?limit=200&tenant=acme`, { headers: ADMIN });
  const rows = body.credentials as Record<string, unknown>[];
  return rows.find((row) => row.credential_id === credentialId);
}

/** How many round trips there are on a way when nothing breaks. */
async function tripsOf({ change, way }: Case): Promise<number> {
  const { isolate, issued } = await prepared();
  expect((await change.act(isolate.service, issued.credentialId)).status).toBe(200);
  return isolate.trips[way];
}

/** So many that each fault of each way and extent is met by a change at least. */
const TRIED = someOf(CASES, 14);

describe.each(TRIED)('$name, $extent one round trip of its $way on $faultName,', (each) => {
  it('leaves no token that passes and is listed as revoked, no fleet outside, and nothing half done', async () => {
    await env.DB.prepare('delete from credential_municipalities').run();
    await env.DB.prepare('delete from credentials').run();
    const trips = await tripsOf(each);
    expect(trips).toBeGreaterThan(0);
    for (let number = 1; number <= trips; number++) {
      await expectSound(each, number);
    }
  });
});

async function expectSound({ change, way, extent, faultName }: Case, number: number): Promise<void> {
  const { isolate, issued } = await prepared();
  const { credentialId, accessToken, apiKey } = issued;
  isolate[way] = EXTENTS[extent](number, FAULTS[faultName](credentialId));
  const { answer } = await isolate.byFakeTimers(() => change.act(isolate.service, credentialId));

  const at = `${way} ${number}`;
  const old = [await outcomeOf(sound, accessToken), await outcomeOfKey(sound, apiKey)];
  if ((await listed(credentialId))?.status === 'revoked') {
    expect([at, old]).toEqual([at, ['TOKEN_REVOKED', 'TOKEN_REVOKED']]);
  }
  if (answer.status === 200) {
    expect([at, old]).toEqual([at, [change.oldPair, change.oldPair]]);
    if (answer.body.access_token !== undefined) {
      expect([at, await outcomeOf(sound, String(answer.body.access_token))]).toEqual([at, '200']);
      expect([at, await outcomeOfKey(sound, String(answer.body.api_key))]).toEqual([at, '200']);
    }
  } else {
    expectFailure(answer);
    // It holds already, or not at all.
    expect(
      ['200', change.oldPair].map((outcome) => [outcome, outcome]),
      at,
    ).toContainEqual(old);
  }

  isolate[way] = (run) => run();
  expect((await change.act(sound, credentialId)).status, at).toBe(200);
  const held = await heldBy(credentialId);
  expect(
    await env.DB.prepare('select version, revoked_at from credentials where id = ?')
      .bind(credentialId)
      .first(),
  ).toEqual({
    version: held?.record.credential.version,
    revoked_at: held?.record.revokedAt,
  });
}
