import { expect, it } from 'vitest';
import { plansFor } from './describe-requests.ts';
import { CONTENT_TYPES } from './headers.ts';
import { rightTexts, TARGETS, type Target } from './operations.ts';
import type { Caller, Plan } from './requests.ts';

const CALLER: Caller = {
  headers: { Authorization: 'Bearer own' },
  tokens: ['own-token', 'strange-token'],
  ids: { CREDENTIAL: 'credential-id', REVOKED: 'revoked-id', CALL: 'call-id' },
  right: rightTexts(0),
};

const rightPath = ({ path }: Target): string =>
  Object.entries(CALLER.ids).reduce((filled, [name, id]) => filled.replace(name, id), path);
const textOf = ({ body }: Plan): string => new TextDecoder().decode(body ?? new Uint8Array());
const names = ({ headers }: Plan): string[] => headers.map(([name]) => name);

function isUtf8({ body }: Plan): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body ?? new Uint8Array());
    return true;
  } catch {
    return false;
  }
}

/** Ways in which a request is wrong, or in none. */
const KINDS: Readonly<Record<string, (plan: Plan, target: Target) => boolean>> = {
  'right in method and path': (plan, target) =>
    plan.method === target.method && plan.path.split('?')[0] === rightPath(target),
  'another method': (plan, target) => plan.method !== target.method,
  'a twisted path': (plan, target) =>
    plan.path.length > rightPath(target).length + 7_000 || plan.path.includes('//'),
  'a strange id': (plan, target) => target.path.includes('CREDENTIAL') && plan.path.includes('%00'),
  'a token in the query': (plan) => plan.path.includes('=own-token'),
  'a parameter that nobody asked for': (plan) => plan.path.includes('__proto__='),
  'no credential': (plan, target) => target.caller === 'credential' && !names(plan).includes('Authorization'),
  'a strange credential': (plan) =>
    plan.headers.some(([name, value]) => name === 'Authorization' && value !== 'Bearer own'),
  'a strange content type': (plan) =>
    plan.headers.some(([name, value]) => name === 'Content-Type' && CONTENT_TYPES.includes(value)),
  'a body that is not UTF-8': (plan) => !isUtf8(plan),
  'a body with a mark of the byte order': ({ body }) => body?.[0] === 0xef && body[1] === 0xbb,
  'a body of values in thousands of others': (plan) => textOf(plan).includes('['.repeat(3_000)),
  'a body with half a character': (plan) => /\\ud[89a-f]/.test(textOf(plan)),
  'a body with a very long text': (plan) => textOf(plan).length > 10_000,
  'a body with a token': (plan) => textOf(plan).includes('strange-token'),
  'a property that there must not be': (plan) => textOf(plan).includes('"__proto__":'),
  'a number that is none': (plan) => textOf(plan).includes('1e400'),
  'a body that comes in pieces': ({ sent, body }) => sent === 'streamed' && body !== null,
  'a body that is broken off': ({ sent, body }) => sent === 'broken_off' && body !== null,
};

const PLANS = TARGETS.flatMap((target, place) =>
  plansFor(target, place, CALLER).map((plan) => ({ plan, target })),
);

it.each(Object.keys(KINDS))('Among what is sent there is %s', (kind) => {
  const found = PLANS.filter(({ plan, target }) => KINDS[kind]?.(plan, target));
  expect(found.length).toBeGreaterThan(0);
});
