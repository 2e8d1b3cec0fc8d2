import { describe, expect, it } from 'vitest';
import { type FailureKind, mayIssue, nextStep, type PatrolAnswer } from '../../clients/client/index.ts';

const NOW = Date.parse('2026-03-07T12:00:00Z');

const item = (id: string, finding: string, changed: object = {}) => ({
  id,
  plate: 'AB123CD',
  area: { code: 'S1', name: 'Via Roma', area_type: 'street' },
  seen_at: new Date(NOW).toISOString(),
  finding,
  look_again_at: null as string | null,
  payment_due: true,
  has_valid_entitlement: false,
  has_valid_parking: false,
  has_valid_subscription: false,
  doubts: [],
  ...changed,
});
const refused = (id: string, code: string) => ({ id, refused: { code, message: 'no' } });
const answerOf = (results: object[]) => ({
  ...{ success: true, ok: true, request_id: crypto.randomUUID(), api_version: '1.0', timezone: 'UTC' },
  ...{
    municipality: { code: 'H501', name: 'Roma' },
    generated_at: new Date(NOW).toISOString(),
    sources: [],
    results,
  },
});
// The shape is the description's.
const success = (...results: object[]) =>
  ({ ok: true, answer: answerOf(results), requestId: null, tookMs: 1 }) as unknown as PatrolAnswer;
const failure = (kind: FailureKind): PatrolAnswer => ({ ok: false, failure: kind, code: 'NETWORK_ERROR' });

describe('A fine may be issued', () => {
  it.each([
    ['for no entitlement in a whole answer', success(item('1', 'no_entitlement')), '1', 'issue'],
    [
      'where the call had one sighting, without its id',
      success(item('1', 'no_entitlement')),
      undefined,
      'issue',
    ],
    [
      'not without an id among several',
      success(item('1', 'no_entitlement'), item('2', 'no_entitlement')),
      undefined,
      'look_again',
    ],
    [
      'not for an id that is there twice',
      success(item('1', 'no_entitlement'), item('1', 'no_entitlement')),
      '1',
      'look_again',
    ],
    ['not for one that is not there', success(item('1', 'no_entitlement')), '2', 'look_again'],
    ['not for a refused item', success(refused('1', 'AREA_NOT_FOUND')), '1', 'officer_decides'],
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
