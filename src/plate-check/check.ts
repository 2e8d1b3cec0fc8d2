import type { Grant } from '../access/grant.ts';
import { retried, TRIES_WHILE_WAITING } from '../db/retried.ts';
import { checkInstant } from '../domain/check-instant.ts';
import type { Instant } from '../domain/instant.ts';
import { normalizePlate, type Plate } from '../domain/plate.ts';
import { type FactsQuery, type PlateFacts, readPlateFacts } from '../entitlement/facts.ts';
import { type CheckedPlate, type CheckVersion, judgePlate } from '../entitlement/judge.ts';
import { Refusal } from '../errors/refusal.ts';
import { readBesideAdmission, readGranted } from '../lookups/located-municipality.ts';
import { type MunicipalitySearch, settlesMunicipality } from '../lookups/municipality-choice.ts';
import type { CredentialCallContext } from '../pipeline/operation.ts';
import { lookbackOf } from '../retention/retention-days.ts';
import type { PlateCheckRequest } from './contract.ts';

/** A finding is a value until it leaves: a refusal that was read from a replica may turn out to be none. */
export type Finding =
  | { readonly checked: CheckedPlate }
  | { readonly refused: Refusal; readonly municipality?: string; readonly plate: Plate };

/**
 * The plate check: reads what is known of the plate beside the admission, and judges it by what the admission grants.
 *
 * @throws Refusal of the plate, the instant or the area's absence, before anything is read
 */
export async function checkPlate(
  request: PlateCheckRequest,
  version: CheckVersion,
  context: CredentialCallContext,
): Promise<Finding> {
  const { env, deadline, admission } = context;
  const code = request.municipality_code;
  const query = queryOf(request, version, context);
  const judge = (facts: PlateFacts): Finding => {
    const judged = judgePlate(facts, query, request.event, version);
    return 'refused' in judged
      ? { ...judged, refused: new Refusal(judged.refused), plate: query.plate }
      : judged;
  };
  const mayReadReplica = env.READ_REPLICATION === 'on';

  const readFrom = (nearest: D1SessionConstraint) => (db: D1Database, search: MunicipalitySearch) => {
    const ask = (where: D1SessionConstraint) => readPlateFacts(db.withSession(where), search, query);
    // A read that was lost on the way is sent once more, to the primary: it has the last word.
    return deadline.race(
      retried((attempt) => ask(attempt === 1 ? nearest : 'first-primary'), TRIES_WHILE_WAITING),
    );
  };

  const reading = admission.beside(() =>
    readBesideAdmission(context, code, readFrom(mayReadReplica ? 'first-unconstrained' : 'first-primary')),
  );
  const grant = await admission.granted;
  requireWithinLookback(request, grant, context);
  if (grant.municipalities.length > 0) {
    const facts = await reading;
    if (settlesMunicipality(facts, grant)) {
      const finding = judge(facts);
      // A replica may lag behind: no negative leaves before the primary has said the same.
      if (isPositive(finding, version) || facts.fromPrimary || !mayReadReplica) {
        return finding;
      }
    }
  }
  const { found } = await readGranted(context, grant, code, readFrom('first-primary'));
  return judge(found);
}

/** What is wrong with the fields themselves comes before anything that is read, in the order of the error table. */
function queryOf(
  request: PlateCheckRequest,
  version: CheckVersion,
  context: CredentialCallContext,
): FactsQuery {
  const plate = normalizePlate(request.plate);
  if (plate === null) {
    throw new Refusal('INVALID_PLATE');
  }
  const at = instantOf(request, null, context);
  return { plate, areaCode: request.area_code ?? null, at, withSubscriptions: version === 'v2' };
}

/** What the credential itself bounds, and what is wrong behind that in the order of the error table. */
function requireWithinLookback(
  request: PlateCheckRequest,
  { historicalDaysAllowed }: Grant,
  context: CredentialCallContext,
): void {
  instantOf(request, historicalDaysAllowed, context);
  if (request.area_code === undefined && request.event !== 'verify') {
    throw new Refusal('AREA_CODE_REQUIRED');
  }
}

/**
 * The instant to verify.
 *
 * @param historicalDaysAllowed what the credential allows; null for no bound
 */
function instantOf(
  { checked_at }: PlateCheckRequest,
  historicalDaysAllowed: number | null,
  { env, now }: CredentialCallContext,
): Instant {
  const checked = checkInstant(checked_at ?? null, now, lookbackOf(env, historicalDaysAllowed));
  if ('refused' in checked) {
    throw new Refusal(checked.refused);
  }
  return checked.at;
}

/** Whether a finding may leave on a replica's word: it says yes to all that it is asked. */
function isPositive(finding: Finding, version: CheckVersion): boolean {
  if ('refused' in finding) {
    return false;
  }
  const { verdict, access } = finding.checked;
  const entitled = version === 'v1' ? verdict.hasValidParking : verdict.hasValidEntitlement;
  return entitled && access?.decision.granted !== false;
}
