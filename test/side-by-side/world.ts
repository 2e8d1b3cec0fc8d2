import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { refreshSnapshots } from '../../src/core/snapshots/refresh.ts';
import { instant } from '../../src/domain/instant.ts';
import { ENTITLED_CITY } from '../suites/entitled-city.ts';
import { OPERATIONS } from '../suites/operations.ts';
import { rightAnswerOf } from '../suites/right-answers.ts';
import type { TestCredential } from '../support/credential.ts';
import { ROME, STREET, seed, TENANT } from '../support/seed.ts';
import type { Answer } from '../support/service.ts';
import { LateBindings } from './late-bindings.ts';

export const NOW = Date.now();
/** How long an isolate answers from a snapshot that it has read. */
export const HELD_MS = 5_000;

/** An operation that reads its facts during the admission. */
export interface Subject {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  readonly right: object;
  readonly factsAreIn: 'database' | 'snapshots';
  readonly maxBytes: number;
}

const FACTS_ARE_IN = {
  checkPlate: 'database',
  checkPlateV1: 'database',
  findSubscriptionOptions: 'database',
  reportActiveByArea: 'snapshots',
} as const;

export const SUBJECTS: readonly Subject[] = Object.entries(FACTS_ARE_IN).map(([id, factsAreIn]) => {
  const operation = OPERATIONS.find((candidate) => candidate.id === id) ?? expect.fail(id);
  const { path } = operation;
  const { body, right } = rightAnswerOf(operation);
  return {
    name: id,
    path,
    body: Object(body?.(1)),
    right,
    factsAreIn,
    maxBytes: operation.body?.maxBytes ?? 0,
  };
});

/** Their codes: of the same tenant, inactive, and of another tenant's. A credential of the tests has the first alone. */
export const OWN = 'H501';
export const NOT_OWN = ['NONE', 'OTHER', 'CLOSED', 'THEIRS', 'THEIRS_CLOSED'] as const;

/** A city with all that can be held, four more municipalities, and the snapshots of the active ones. */
export async function beginWorld(): Promise<void> {
  await seed({
    ...ENTITLED_CITY,
    tenants: [TENANT, { ...TENANT, id: 2, code: 'beta' }],
    municipalities: [
      ROME,
      { ...ROME, id: 2, code: 'OTHER' },
      { ...ROME, id: 3, code: 'CLOSED', active: false },
      { ...ROME, id: 4, code: 'THEIRS', tenantId: 2 },
      { ...ROME, id: 5, code: 'THEIRS_CLOSED', tenantId: 2, active: false },
    ],
    areas: [
      ...ENTITLED_CITY.areas,
      { ...STREET, id: 21, municipalityId: 2, code: 'S1' },
      { ...STREET, id: 41, municipalityId: 4, code: 'S1' },
    ],
  });
  await refreshSnapshots(env, () => instant(NOW));
}

/** An isolate that has seen nothing yet, and a call of a subject to it. */
export function isolateFor({ path, body, factsAreIn }: Subject) {
  const bindings = new LateBindings(factsAreIn);
  const ask = (
    { headers }: TestCredential,
    changed: object = { municipality_code: OWN },
    more: Record<string, string> = {},
  ): Promise<Answer> => bindings.service.post(path, { ...body, ...changed }, { ...headers, ...more });
  return { bindings, ask };
}

export const codeOf = ({ body }: Answer): unknown => (body.error as { code?: unknown } | undefined)?.code;

/** What the row has as the credential's municipality, of which its object hears nothing. */
export async function moveRow({ credentialId }: TestCredential, municipalityId: number): Promise<void> {
  await env.DB.prepare(
    `update credentials set record = json_set(record, '$.municipalities',
      json_array((select code from municipalities where id = ?))) where id = ?`,
  )
    .bind(municipalityId, credentialId)
    .run();
}
