import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { CITIES, change, issue, outcomeOf, revoke, rotate } from '../credentials/support.ts';
import { Random } from '../domain/random.ts';
import { someOf } from '../support/run-form.ts';
import { seed } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import { unsteadyBindings } from '../support/unsteady.ts';

const SEEDS = someOf(
  Array.from({ length: 5 }, (_, index) => index + 1),
  1,
);
const CALLERS = 5;

beforeAll(() => seed(CITIES));

/** What holds of a credential after a step of the administrator's. */
interface Rule {
  readonly passing: readonly string[];
  /** What a token that is among these gets. */
  readonly outcome: string;
}

interface Step {
  readonly act: (service: Service, id: string) => Promise<Answer>;
  /** A token that the step itself makes joins those that pass. */
  readonly rule: (before: Rule) => Rule;
}

const OPEN = { scopes: ['plate_check'], ip_allowlist: null, expires_at: null, municipalities: ['H501'] };

const patch = (body: object, outcome: string): Step => ({
  act: (service, id) => change(service, id, { ...OPEN, ...body }),
  rule: ({ passing }) => ({ passing, outcome }),
});

const STEPS: readonly Step[] = [
  { act: (service, id) => rotate(service, id), rule: ({ outcome }) => ({ passing: [], outcome }) },
  { act: (service, id) => rotate(service, id, { overlap_seconds: 600 }), rule: (before) => before },
  patch({ scopes: ['report'] }, 'SCOPE_NOT_ALLOWED'),
  patch({ ip_allowlist: ['198.51.100.1'] }, 'IP_NOT_ALLOWED'),
  patch({ expires_at: '2020-01-01T00:00:00Z' }, 'TOKEN_EXPIRED'),
  patch({ municipalities: ['H501', 'L219'] }, 'MUNICIPALITY_REQUIRED'),
  patch({}, '200'),
  patch({}, '200'),
];

const REVOCATION: Step = {
  act: (service, id) => revoke(service, id),
  rule: ({ passing }) => ({ passing, outcome: 'TOKEN_REVOKED' }),
};

/** Only the newest of the tokens that were rotated away is known for revoked. */
const outcomesBy = ({ passing, outcome }: Rule, token: string): readonly string[] =>
  passing.includes(token) ? [outcome] : ['TOKEN_REVOKED', 'TOKEN_INVALID'];

it.each(SEEDS)(
  'Every call gets what the administrator was last answered, or is on the way to (seed %i)',
  async (number) => {
    const random = new Random(number);
    const office = new Service(unsteadyBindings(random));
    const isolates = [new Service(unsteadyBindings(random)), new Service(unsteadyBindings(random))];
    const { credentialId, accessToken } = await issue(office, {
      rate_limit: { limit: 10_000, window_seconds: 60 },
    });
    for (const isolate of isolates) expect(await outcomeOf(isolate, accessToken)).toBe('200');

    const tokens = [accessToken];
    let answered: Rule = { passing: [accessToken], outcome: '200' };
    /** From the one that was answered last when the oldest call under way began, to the one under way. */
    const rules: Rule[] = [answered];
    const seen = new Set<string>();
    const wrong: unknown[] = [];
    let over = false;

    async function callOnce(): Promise<void> {
      const token = random.oneIn(2) ? random.pick(tokens) : (tokens.at(-1) ?? accessToken);
      const from = rules.indexOf(answered);
      const outcome = await outcomeOf(random.pick(isolates), token);
      const right = rules.slice(from).flatMap((rule) => outcomesBy(rule, token));
      seen.add(outcome);
      if (!right.includes(outcome)) wrong.push({ outcome, right, token: tokens.indexOf(token) });
    }

    async function callAgainAndAgain(): Promise<void> {
      while (!over) {
        await scheduler.wait(random.below(10));
        await callOnce();
      }
    }

    async function administer(): Promise<void> {
      for (const step of [...random.list(8, () => random.pick(STEPS)), REVOCATION]) {
        await scheduler.wait(random.below(15));
        const next = step.rule(answered);
        rules.push(next);
        const { status, body } = await step.act(office, credentialId);
        expect(status).toBe(200);
        const made = body.access_token === undefined ? [] : [String(body.access_token)];
        tokens.push(...made);
        answered = { ...next, passing: [...next.passing, ...made] };
        rules.push(answered);
      }
      await scheduler.wait(20);
    }

    const callers = Promise.all(random.list(CALLERS, callAgainAndAgain));
    await administer().finally(() => {
      over = true;
    });
    await callers;
    expect(wrong).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining(['200', 'TOKEN_REVOKED']));
    await evictDurableObject(env.CREDENTIALS.getByName(credentialId));
    for (const token of tokens) expect(outcomesBy(answered, token)).toContain(await outcomeOf(office, token));
  },
);
