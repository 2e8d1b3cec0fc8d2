import { Random } from '../domain/random.ts';
import { CREDENTIAL_OPERATIONS, type CredentialOperation } from '../suites/operations.ts';
import type { TestCredential } from '../support/credential.ts';
import { type Cost, countedBindings } from '../support/doubles.ts';
import type { Service } from '../support/service.ts';
import { AREAS, NOW, OTHERS, OWN, PLATES } from './world.ts';

/** A call of a credential, by its place in the list. */
interface PlannedCall {
  readonly by: number;
  readonly operation: CredentialOperation;
  readonly path: string;
  readonly body: string;
  readonly language: string;
}

const at = (ms: number): string => new Date(ms).toISOString();
const CODES = [...Object.values(OWN), ...Object.values(OWN), ...OTHERS, null];
const INSTANTS = [null, at(NOW), at(NOW - 3_600_000), at(NOW + 9_000_000), at(NOW - 90_000_000_000)];
/** Ids of the own municipalities, of others', and of none. */
const SOURCES = [null, 11, 12, 21, 211, 311, 999];

/** The calls of a seed, the same ones for whoever asks. */
export function plannedCalls(seed: number, count: number, credentials: number): PlannedCall[] {
  const random = new Random(seed);
  return random.list(count, () => {
    const operation = random.pick(CREDENTIAL_OPERATIONS);
    const code = random.pick(CODES);
    return {
      by: random.below(credentials),
      operation,
      ...choiceOf(operation, code, random),
      language: random.pick(['en', 'it']),
    };
  });
}

function choiceOf(operation: CredentialOperation, code: string | null, random: Random) {
  switch (operation.scope) {
    case 'import':
      return importOf(operation, code, random);
    case 'entitlement_list':
      return listOf(operation, code, random);
    case 'patrol':
      return patrolOf(operation, code, random);
    case 'subscription_payments':
      return paymentOf(operation, code, random);
    default:
      return queryOf(operation, code, random);
  }
}

function listOf({ path }: CredentialOperation, code: string | null, random: Random) {
  const query = new URLSearchParams({
    ...(code !== null && { municipality_code: code }),
    ...(random.oneIn(3) && { limit: random.pick(['1', '0']) }),
  });
  return { path: `${path.replace('P1', random.pick([...AREAS, 'P1', 'NONE']))}?${query}`, body: '' };
}

function patrolOf({ path }: CredentialOperation, code: string | null, random: Random) {
  const checks = random.list(1 + random.below(3), (index) => ({
    id: String(index),
    area_code: random.pick([...AREAS, 'NONE']),
    seen_at: random.pick(INSTANTS),
    plate: random.pick(PLATES),
  }));
  return { path, body: JSON.stringify({ checks, municipality_code: code }) };
}

/** What a collector says of when, whichever operation it calls. */
const collectedAt = (path: string, ms: number): object => {
  if (path.endsWith('/search')) return {};
  return path.endsWith('/reverse') ? { reversed_at: at(ms) } : { collected_at: at(ms) };
};

function paymentOf({ path }: CredentialOperation, code: string | null, random: Random) {
  const body = {
    payment_id: random.pick(['p-0', 'p-1', 'p-2']),
    ...(!/search|reverse/.test(path) && {
      ...{ plate: random.pick(PLATES), codice_tariffa: '101', importo_eurocent: 2_500 },
    }),
    ...collectedAt(path, NOW - random.below(3) * 60_000),
  };
  return { path, body: JSON.stringify({ ...body, municipality_code: code }) };
}

function queryOf({ path, scope }: CredentialOperation, code: string | null, random: Random) {
  const body =
    scope === 'report'
      ? { area_type: random.pick(['street', 'facility', null]), source_id: random.pick(SOURCES) }
      : {
          plate: random.pick(PLATES),
          area_code: random.pick([...AREAS, 'NONE', null]),
          event: random.pick(['verify', 'entry', 'exit', null]),
          ...(scope === 'evidence'
            ? { at: random.pick(INSTANTS) ?? at(NOW), known_at: random.pick(INSTANTS) }
            : { checked_at: random.pick(INSTANTS) }),
        };
  return { path, body: JSON.stringify({ ...body, municipality_code: code }) };
}

function importOf({ path }: CredentialOperation, code: string | null, random: Random) {
  const [pathAlone] = path.split('?');
  const isSessions = pathAlone?.endsWith('sessions') === true;
  const query = new URLSearchParams({
    ...(code !== null && { municipality_code: code }),
    ...(isSessions && { source_code: random.pick(['app1', 'old', 'none']) }),
  });
  const lines = random.list(random.below(4), () =>
    JSON.stringify(isSessions ? session(random) : subscription(random)),
  );
  return { path: `${pathAlone}?${query}`, body: lines.join('\n') };
}

const session = (random: Random) => ({
  session_id: random.pick(['s-0', 's-1', 's-2']),
  plate: random.pick(PLATES),
  area_code: random.pick([...AREAS, 'NONE']),
  starts_at: at(NOW - random.below(9) * 600_000),
  ends_at: at(NOW + random.below(9) * 600_000 + 1),
});

const subscription = (random: Random) => ({
  subscription_number: random.pick(['R-1', 'R-2']),
  type: random.pick(['RES', 'NONE']),
  plates: [{ plate: random.pick(PLATES) }],
  approval: 'approved',
  areas: random.pick(['all', ['P1'], ['NONE']]),
  periods: [],
});

/** An answer with nothing left out but its id, and what it took to make. */
export interface Outcome {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
  /** What a call begins during an admission that is refused, ends after its answer: to be looked at when all has. */
  readonly cost: Readonly<Omit<Cost, 'rowsRead'>>;
}

/** Makes the call, and waits for all that it means to do after its answer. */
export async function settleCall(
  service: Service,
  { operation, path, body, language }: PlannedCall,
  { headers: own }: TestCredential,
): Promise<Outcome> {
  const { cost, bindings } = countedBindings();
  const request = new Request(`https://parking.test${path}`, {
    method: operation.method,
    headers: {
      'Content-Type': operation.contentType,
      'CF-Connecting-IP': '203.0.113.7',
      'Accept-Language': language,
      ...own,
    },
    ...(operation.takesBody && { body }),
  });
  const { status, headers, text, settled } = await service.send(request, bindings);
  await settled();
  // How many rows were read may depend on others, how often somebody was asked may not.
  Object.defineProperty(cost, 'rowsRead', { enumerable: false });
  return {
    status,
    headers: [...headers].filter(([name]) => name !== 'x-request-id'),
    text: withoutRandom(text, operation),
    cost,
  };
}

/** What two equal lives have of their own: ids of calls and credentials; of a list, what is keyed by the token or sealed. */
const withoutRandom = (text: string, { answersLines, scope }: CredentialOperation): string =>
  (scope === 'evidence' ? withSortedChecks(text) : text)
    .replaceAll(/"(request_id|credential_id)":"[\w-]+"/g, '"$1"')
    .replaceAll(/"(id|plate|key_id|cursor)":"[\w-]+"/g, answersLines ? '"$1"' : '$&');

/** Checks of one millisecond are in the order of their ids, which are random. */
function withSortedChecks(text: string): string {
  const body: { readonly checks?: readonly { readonly operation: string; readonly outcome: string }[] } =
    JSON.parse(text);
  const key = ({ operation, outcome }: { readonly operation: string; readonly outcome: string }) =>
    `${operation} ${outcome}`;
  return JSON.stringify({
    ...body,
    ...(body.checks && { checks: body.checks.toSorted((a, b) => key(a).localeCompare(key(b))) }),
  });
}
