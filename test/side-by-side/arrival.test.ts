import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectRefusal } from '../conformance/envelope.ts';
import { issueCredential } from '../support/credential.ts';
import type { Answer } from '../support/service.ts';
import { stopClock } from '../support/stopped-clock.ts';
import { fails, Late, type Side } from './late-bindings.ts';
import { beginWorld, isolateFor, NOW, SUBJECTS, type Subject } from './world.ts';

beforeAll(beginWorld);
beforeEach(() => {
  stopClock(NOW);
  return () => vi.useRealTimers();
});

const ORDERS: readonly (readonly [Side, Side])[] = [
  ['object', 'facts'],
  ['facts', 'object'],
];

/** Something that arrives when the test lets it, as what it is or as a failure. */
const lateOrFailing = (isFailing: boolean): Late => (isFailing ? new Late(fails) : new Late());

type ObjectSays = 'admits' | 'refuses' | 'fails';
type Expected = (answer: Answer, subject: Subject) => void;

const isRight: Expected = ({ status, body }, { right }) => expect([status, body]).toMatchObject([200, right]);
const isRevoked: Expected = (answer) => expectRefusal(answer, 401, 'TOKEN_REVOKED');
const isFailure: Expected = (answer) => expectRefusal(answer, 500, 'TEMPORARY_ERROR');
/** A report without its snapshot is made from the database. */
const isRightInReport: Expected = (answer, subject) =>
  subject.factsAreIn === 'snapshots' ? isRight(answer, subject) : isFailure(answer, subject);

const OUTCOMES: readonly (readonly [ObjectSays, 'come' | 'fail', Expected])[] = [
  ['admits', 'come', isRight],
  ['admits', 'fail', isRightInReport],
  ['refuses', 'come', isRevoked],
  ['refuses', 'fail', isRevoked],
  ['fails', 'come', isFailure],
  ['fails', 'fail', isFailure],
];

/** How many round trips for facts there may be. Of two snapshots the other is looked for where one cannot be read. */
const mayRead = (facts: 'come' | 'fail', { factsAreIn }: Subject): number[] =>
  facts === 'fail' && factsAreIn === 'snapshots' ? [1, 2] : [1];

describe.each(SUBJECTS.map((subject) => [subject.name, subject] as const))('%s', (_, subject) => {
  describe.each(ORDERS)(
    'asks its object and its facts side by side; when the %s is there first,',
    (...order) => {
      it.each(OUTCOMES)(
        'the object %s and the facts %s, it has the answer of both',
        async (says, facts, holds) => {
          const credential = await issueCredential({ revokedAt: says === 'refuses' ? 1 : null });
          const { bindings, ask } = isolateFor(subject);
          const late = { object: lateOrFailing(says === 'fails'), facts: lateOrFailing(facts === 'fail') };
          bindings.object = late.object.fate;
          bindings.facts = late.facts.fate;
          const answer = ask(credential);
          await bindings.asked('object', 'facts');
          expect(bindings.begun).toMatchObject({ object: 1, facts: 1 });
          for (const side of order) {
            late[side].arrive();
            await scheduler.wait(1);
          }
          holds(await answer, subject);
          expect(bindings.begun.object).toBe(1);
          expect(mayRead(facts, subject)).toContain(bindings.begun.facts);
        },
      );
    },
  );

  it('tells a failure of its admission once in the log', async () => {
    const { bindings, ask } = isolateFor(subject);
    bindings.object = fails;
    bindings.facts = fails;
    const log = vi.spyOn(console, 'error');
    isFailure(await ask(await issueCredential()), subject);
    expect(log.mock.calls.map(([line]) => JSON.parse(String(line)).event)).toEqual(['failure']);
    log.mockRestore();
  });
});
