import { describe, expect, it } from 'vitest';
import {
  type FailureKind,
  mayIssue,
  type NextStep,
  nextStep,
  type PatrolAnswer,
} from '../../clients/client/index.ts';

const item = (id: string, finding: string) => ({ id, finding });
const REFUSED = { id: '1', refused: { code: 'AREA_NOT_FOUND', message: 'no' } };
/** An answer with these results; nothing else of it matters. */
const success = (...results: object[]) =>
  ({ ok: true, answer: { results }, requestId: null, tookMs: 1 }) as unknown as PatrolAnswer;
const failure = (kind: FailureKind): PatrolAnswer => ({ ok: false, failure: kind, code: 'NETWORK_ERROR' });
const ISSUE = item('1', 'no_entitlement');

describe('A fine may be issued', () => {
  it.each<[string, PatrolAnswer, string | undefined, NextStep]>([
    ['for no entitlement in a whole answer', success(ISSUE), '1', 'issue'],
    ['where the call had one sighting, without its id', success(ISSUE), undefined, 'issue'],
    ['not without an id among several', success(ISSUE, item('2', 'entitled')), undefined, 'look_again'],
    ['not for an id that is there twice', success(ISSUE, ISSUE), '1', 'look_again'],
    ['not for one that is not there', success(ISSUE), '2', 'look_again'],
    ['not for a refused item', success(REFUSED), '1', 'officer_decides'],
    ['not for an entitled one', success(item('1', 'entitled')), '1', 'let_go'],
    ['not for a tolerated one', success(item('1', 'tolerated')), '1', 'let_go'],
    ['not where nothing is due', success(item('1', 'not_due')), '1', 'let_go'],
    ['not while it is to be looked at again', success(item('1', 'look_again')), '1', 'look_again'],
    ['not where the officer decides', success(item('1', 'officer_decides')), '1', 'officer_decides'],
    ['not for a finding of a newer service', success(item('1', 'towed')), '1', 'officer_decides'],
    ['not after a refusal', failure('refused'), '1', 'look_again'],
    ['not over the budget', failure('limited'), '1', 'look_again'],
    ['not without an answer', failure('unavailable'), '1', 'look_again'],
    ['not with a wrong setting', failure('misconfigured'), '1', 'look_again'],
  ])('%s', (_, result, id, step) => {
    expect(nextStep(result, id)).toBe(step);
    expect(mayIssue(result, id)).toBe(step === 'issue');
  });
});
