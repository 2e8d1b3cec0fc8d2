import { platesOneSlipAway } from '../domain/patrol/similar-plates.ts';
import { normalizePlate, type Plate } from '../domain/plate.ts';
import { Refusal } from '../errors/refusal.ts';
import { QUERY_BODY } from '../http/body.ts';
import { operation, type ValidRequest } from '../pipeline/operation.ts';
import type { MunicipalityCallContext, MunicipalityReading } from '../pipeline/reading.ts';
import { digestKeys } from '../plate-digest/digest-keys.ts';
import { plateDigests } from '../plate-digest/plate-digest.ts';
import { logEvent } from '../platform/log-event.ts';
import { lookbackOf } from '../retention/retention-days.ts';
import { type Item, judgeItem, outcomeOf } from './check.ts';
import { type PatrolRequest, patrolRequest, patrolResponse } from './contract.ts';
import { type Asked, type PatrolMunicipality, type PatrolQuery, readPatrol, readRejected } from './facts.ts';
import { presentPatrol } from './present.ts';

type Context = MunicipalityCallContext<PatrolQuery, PatrolMunicipality>;

const reads: MunicipalityReading<ValidRequest<PatrolRequest>, PatrolQuery, PatrolMunicipality> = {
  kind: 'municipality',
  // Nothing is read for a call that is refused: the plates may be many.
  early: false,
  retried: true,
  replica: false,
  code: ({ body }) => body.municipality_code,
  query: ({ body }, { now }) => ({
    now,
    sightings: body.checks.map(({ plate, area_code, seen_at, alternatives }): Asked => {
      const normal = normalizePlate(plate);
      return {
        plate: normal,
        areaCode: area_code,
        seenAt: seen_at ?? now,
        similar: normal === null ? [] : similarTo(normal, alternatives),
      };
    }),
  }),
  read: readPatrol,
};

/** What a plate may have been taken for: a camera's other readings, and what one slip makes of it. */
function similarTo(plate: Plate, alternatives: readonly string[]): readonly Plate[] {
  const read = alternatives.map(normalizePlate).filter((other) => other !== null && other !== plate);
  return [...new Set([...(read as Plate[]), ...platesOneSlipAway(plate)])];
}

/** What an officer may conclude from what was seen on the street. */
export const patrol = operation({
  id: 'checkPatrol',
  method: 'POST',
  path: '/api/v2/patrol/checks',
  access: {
    by: 'credential',
    scope: 'patrol',
    budget: 'patrol',
    tokenHeaders: 'authorization_only',
    whenObjectIsAway: 'fail',
  },
  deadlineMs: 5_000,
  body: { kind: 'json', schema: patrolRequest, maxBytes: QUERY_BODY },
  cost: { field: 'checks', of: ({ checks }: PatrolRequest) => checks.length },
  reads,
  answer: patrolResponse,
  errors: ['SERVICE_DISABLED'],
  log: { operation: 'patrol' },
  takesOfficer: true,
  handle: async ({ body: { checks } }, context) => {
    const { municipality, query, now, language } = context;
    if (!municipality.plateCheckEnabled) {
      return { refused: new Refusal('SERVICE_DISABLED'), plates: platesOf(query, () => 'SERVICE_DISABLED') };
    }
    const items = await judgeAll(context);
    for (const item of items) {
      if ('refused' in item && item.cause !== undefined) {
        const { name, message, source } = item.cause;
        logEvent('error', 'failure', {
          request_id: context.requestId,
          operation: 'patrol',
          name,
          message,
          municipality_code: municipality.code,
          source_code: source,
        });
      }
    }
    return {
      answer: presentPatrol(municipality, checks, items, now, language),
      plates: platesOf(query, (index) => outcomeOf(items[index] ?? { refused: 'TEMPORARY_ERROR' })),
    };
  },
});

const platesOf = ({ sightings }: PatrolQuery, outcome: (index: number) => string) =>
  sightings.flatMap(({ plate }, index) => (plate === null ? [] : [{ plate, outcome: outcome(index) }]));

async function judgeAll(context: Context): Promise<readonly Item[]> {
  const { env, grant, now, municipality, query } = context;
  const lookback = lookbackOf(env, grant.historicalDaysAllowed);
  const rejected = municipality.hasRejected ? await rejectedPlates(context) : new Set<Plate>();
  return query.sightings.map((asked, index) => {
    const lineRejected = asked.plate !== null && rejected.has(asked.plate);
    return judgeItem(municipality, index, asked, lookback, now, lineRejected);
  });
}

/** Which of the plates a rejected line has named. Without a usable key nothing was kept of them. */
async function rejectedPlates({ env, db, now, municipality, query }: Context): Promise<ReadonlySet<Plate>> {
  const keys = digestKeys(env);
  const plates = [...new Set(query.sightings.flatMap(({ plate }) => (plate === null ? [] : [plate])))];
  const digests = await Promise.all(plates.map((plate) => plateDigests(keys, municipality.code, plate)));
  const kept = await readRejected(db, municipality, digests.flat(), now);
  return new Set(plates.filter((_, index) => digests[index]?.some((digest) => kept.has(digest))));
}
