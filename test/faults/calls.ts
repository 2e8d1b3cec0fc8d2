import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { expect } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import type { Access, Contract as Operation } from '../../src/serving/contract.ts';
import { calls } from '../../src/storage/db/schema/index.ts';
import { bodyMediaType } from '../../tools/description/document/openapi/parts.ts';
import { expectRefusal } from '../conformance/envelope.ts';
import { ENTITLED_CITY } from '../suites/entitled-city.ts';
import { OPERATIONS } from '../suites/operations.ts';
import type { PathParameter, RightAnswer } from '../suites/right-answer.ts';
import { rightAnswerOf } from '../suites/right-answers.ts';
import { idOf } from '../support/calls.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, FACILITY, importEnded, seed, TENANT } from '../support/seed.ts';
import { ADMIN, type Answer, type Call, type Service } from '../support/service.ts';

/** A call of an operation whose right answer says yes: no failure can be taken for it, and no negative. */
export interface Example {
  readonly name: string;
  /** Within it the answer is there. */
  readonly deadlineMs: number;
  readonly asksObject: boolean;
  /** Else its answer stands without a database. */
  readonly asksDatabase: boolean;
  /** Whether its last round trips only renew what follows from the others: it is a success without them. */
  readonly renewsLast: boolean;
  /** Else the administrator makes it. */
  readonly hasCredential: boolean;
  readonly takesBody: boolean;
  /** Whether its right answer has a row in the call log. */
  readonly isLogged: boolean;
  /** A call that has not been made yet: what it stores is new, what it changes is there. */
  readonly next: () => Promise<Call & { readonly path: string }>;
  readonly right: { readonly status: number; readonly body: object };
}

const REQUEST_ID = '6f1f3c1e-0000-4000-8000-000000000001';

let credential: TestCredential;
let serial = 0;

/** To be called before the first example. */
export async function prepareExamples(): Promise<void> {
  await seed({ ...ENTITLED_CITY, imports: [importEnded(Date.now())] });
  credential = await issueCredential();
  await drizzle(env.DB)
    .insert(calls)
    .values({
      id: idOf(REQUEST_ID),
      at: instant(Date.now()),
      operation: 'plate_check',
      httpStatus: 200,
      outcome: 'OK',
      durationMs: 1,
      tenant: TENANT.code,
    });
}

/** A call of an operation, by its right answer. */
export function exampleOf(operation: Operation): Example {
  const { access, body, deadlineMs, status = 200, log } = operation;
  const known = rightAnswerOf(operation);
  return {
    name: operation.id,
    // A call that is logged whole has the time of its log too.
    deadlineMs: log?.whole ? 2_000 : deadlineMs,
    asksObject: known.asksObject === true,
    asksDatabase: known.asksDatabase !== false,
    renewsLast: known.renewsLast === true,
    hasCredential: access.by === 'credential',
    takesBody: body !== undefined,
    // A report that is answered has none.
    isLogged: log !== undefined && log.operation !== 'active_by_area',
    right: { status: known.status ?? status, body: known.right },
    next: async () => {
      serial += 1;
      const sent = known.body?.(serial);
      return {
        path: await pathOf(operation, known),
        method: operation.method,
        headers: {
          // A credential has one import at a time.
          ...(body?.kind === 'lines' && access.by === 'credential'
            ? (await issueCredential()).headers
            : headersOf(access)),
          ...(sent !== undefined && { 'Content-Type': bodyMediaType(operation) ?? '' }),
        },
        ...(sent !== undefined && { body: sent }),
      };
    },
  };
}

function headersOf(access: Access): Record<string, string> {
  switch (access.by) {
    case 'anybody':
      return {};
    case 'administrator':
      return ADMIN;
    case 'credential':
      return credential.headers;
    default:
      return access satisfies never;
  }
}

async function pathOf({ path }: Operation, { path: parameters = {}, query }: RightAnswer): Promise<string> {
  let called = path;
  for (const [name, stands] of Object.entries(parameters)) {
    called = called.replace(`:${name}`, await standIn(stands));
  }
  return query === undefined ? called : `${called}?${new URLSearchParams(query)}`;
}

async function standIn(stands: PathParameter): Promise<string> {
  switch (stands) {
    case 'a call':
      return REQUEST_ID;
    case 'a public municipality':
      return CITY.municipalities[0].code;
    case 'a facility':
      return FACILITY.code;
    case 'a credential':
    case 'a revoked credential':
      return (await issueCredential()).credentialId;
    default:
      return stands satisfies never;
  }
}

/** Every operation that asks a database, an object or a store. */
export const EXAMPLES: readonly Example[] = OPERATIONS.filter(({ access }) => access.by !== 'anybody').map(
  (operation) => exampleOf(operation),
);

export const send = (
  { path, ...call }: Call & { readonly path: string },
  service: Service,
): Promise<Answer> => service.call(path, call);

export function expectRight({ right }: Example, { status, body }: Answer): void {
  expect([status, body]).toMatchObject([right.status, right.body]);
}

export function expectFailure(answer: Answer): void {
  expectRefusal(answer, 500, 'TEMPORARY_ERROR');
  expect(answer.headers.get('Retry-After')).toBe('1');
}

/** For a fault that may be overcome: nothing but the right answer and the failure will do. */
export function expectRightOrFailure(example: Example, answer: Answer): void {
  if (answer.status === 500) {
    expectFailure(answer);
  } else {
    expectRight(example, answer);
  }
}
