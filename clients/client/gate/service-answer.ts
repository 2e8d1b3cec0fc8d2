import type { AccessEvent, AccessReasonCode } from '../../../src/domain/facility-access.ts';
import type { Plate } from '../../../src/domain/plate.ts';
import type { Answer } from '../operation-types.ts';
import { failed, type Result } from '../result.ts';

/**
 * Takes the decision from an answer of the service: one about this car, at this gate.
 *
 * @returns a failure for an answer about another car, area or event, and for one without a decision: the area
 * is then not a facility
 */
export function decisionIn(
  result: Result<Answer<'checkPlate'>>,
  plate: Plate,
  areaCode: string,
  event: AccessEvent,
): Result<{ readonly verdict: boolean; readonly reasonCode: AccessReasonCode }> {
  if (!result.ok) return result;
  const { answer } = result;
  if (answer.plate !== plate || answer.area?.code !== areaCode) {
    return failed('unavailable', 'NOT_OUR_ANSWER', 'The answer is about another car or area.');
  }
  const { access_granted: verdict, access_reason_code: reasonCode } = answer;
  if (verdict === undefined || reasonCode === undefined) {
    return failed('misconfigured', 'NO_FACILITY', 'The area is not a facility, so it has no gate.');
  }
  if (answer.access_event !== event || typeof verdict !== 'boolean') {
    return failed('unavailable', 'NOT_OUR_ANSWER', 'The answer is about another event, or no verdict.');
  }
  return { ...result, answer: { verdict, reasonCode } };
}
