import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import description from '../../src/serving/openapi/openapi.json' with { type: 'json' };
import { SECRETS, START_MS, type Started, start } from '../local/started.ts';
import { freePort } from '../support/free-port.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
}
interface Described {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example: unknown }>>;
  };
}

/** The outcome where it is not a success: what an example names is made up, or would change what the demonstration shows. */
const OUTCOMES: Readonly<Record<string, number>> = {
  issueCredential: 201,
  changeCredential: 404,
  revokeCredential: 404,
  rotateCredential: 404,
  getCall: 404,
  // It was reversed by the example before.
  settlePayment: 422,
  // The city is there, and nothing is under way.
  restoreMunicipality: 422,
  discardRestore: 404,
};

const stateDir = mkdtempSync(join(tmpdir(), 'tried-'));
let started: Started;
let address: string;
let token: string;

beforeAll(async () => {
  started = await start(await freePort(), stateDir, /^\{.*\}\n/m, ['--json']);
  const [line = ''] = /^\{"address.*$/m.exec(started.printed) ?? [];
  ({
    address,
    tokens: { office: token },
  } = JSON.parse(line));
}, START_MS);
afterAll(() => {
  started?.child.kill('SIGTERM');
  rmSync(stateDir, { recursive: true, force: true });
});

it('Each example of the reference has its outcome in the demonstration, with the token of its office', async () => {
  const seen: Record<string, number> = {};
  const expected: Record<string, number> = {};
  for (const [path, item] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(item as Record<string, Described>)) {
      const [[type, content] = []] = [Object.entries(operation.requestBody?.content ?? {})[0]];
      const { operationId } = operation;
      expected[operationId] = OUTCOMES[operationId] ?? 200;
      const response = await fetch(address + pathOf(path, operation), {
        method: method.toUpperCase(),
        headers: { ...headersOf(operation), ...(type !== undefined && { 'Content-Type': type }) },
        ...(content !== undefined && { body: bodyOf(content.example) }),
      });
      seen[operationId] = response.status;
      await response.arrayBuffer();
    }
  }
  expect(seen).toEqual(expected);
}, 120_000);

/** With the parameters that the reference fills in. */
function pathOf(path: string, { parameters }: Described): string {
  const given = (place: string) => parameters.filter((one) => one.in === place && one.example !== undefined);
  const filled = given('path').reduce(
    (rest, { name, example }) => rest.replace(`{${name}}`, encodeURIComponent(String(example))),
    path,
  );
  const query = given('query').map(({ name, example }): [string, string] => [name, String(example)]);
  return `${filled}?${new URLSearchParams(query)}`;
}

function headersOf({ parameters, security: [first = {}] }: Described): Record<string, string> {
  const filled = parameters.filter((one) => one.in === 'header' && one.example !== undefined);
  const bearer = 'AdministratorToken' in first ? SECRETS.ADMIN_TOKEN : token;
  return {
    ...Object.fromEntries(filled.map(({ name, example }) => [name, String(example)])),
    ...(Object.keys(first).length > 0 && { Authorization: `Bearer ${bearer}` }),
  };
}

/** An example as it is sent, but about now. */
function bodyOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const now = new Date().toISOString();
  return JSON.stringify(value, (name, inner) =>
    ['at', 'checked_at', 'seen_at', 'collected_at', 'reversed_at'].includes(name) ? now : inner,
  );
}
