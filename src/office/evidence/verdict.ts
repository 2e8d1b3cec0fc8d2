import type { Language } from '../../base/text/text.ts';
import type { Judgement } from '../../core/entitlement/judge.ts';
import { presentVerdict } from '../../core/entitlement/present.ts';
import type { Verdict, VerdictRefusal } from './contract.ts';

export const presentJudgement = (judged: Judgement, language: Language): Verdict =>
  'refused' in judged
    ? { refused: judged.refused as VerdictRefusal }
    : presentVerdict(judged.checked, language);

/** Whether two verdicts differ, apart from their lists. */
export const areDifferent = (a: Verdict, b: Verdict): boolean =>
  JSON.stringify(gistOf(a)) !== JSON.stringify(gistOf(b));

const gistOf = (verdict: Verdict): readonly unknown[] =>
  'refused' in verdict
    ? [verdict.refused]
    : [
        verdict.has_valid_entitlement,
        verdict.has_valid_parking,
        verdict.has_valid_subscription,
        verdict.access_granted,
        verdict.access_reason_code,
      ];
