import type { Language } from '../../base/text/text.ts';
import type { CheckedPlate } from '../entitlement/judge.ts';
import { presentPlace, presentSessions, presentVerdict } from '../entitlement/present.ts';
import type { PlateCheckResponse, PlateCheckV1Response } from './contract.ts';

/** The answer of the plate check 2.0, instants in the municipality's time zone. */
export function presentPlateCheck(checked: CheckedPlate, language: Language): PlateCheckResponse {
  return { api_version: '2.0', ...presentPlace(checked), ...presentVerdict(checked, language) };
}

/** The answer of V1: parking sessions only. */
export function presentPlateCheckV1(checked: CheckedPlate): PlateCheckV1Response {
  const { verdict } = checked;
  return {
    api_version: '1.0',
    ...presentPlace(checked),
    has_valid_parking: verdict.hasValidParking,
    sessions_count: verdict.sessionsCount,
    valid_sessions_count: verdict.validSessionsCount,
    sessions: presentSessions(checked),
  };
}
