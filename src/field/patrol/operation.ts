import { Refusal } from '../../base/errors/refusal.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { lookbackOf } from '../../base/platform/retention-days.ts';
import { platesOneSlipAway } from '../../domain/patrol/similar-plates.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { operation, type ValidRequest } from '../../serving/pipeline/operation.ts';
import type { MunicipalityCallContext, MunicipalityReading } from '../../serving/pipeline/reading.ts';
import { digestKeys } from '../../storage/plate-digest/digest-keys.ts';
import { plateDigests } from '../../storage/plate-digest/plate-digest.ts';
import { type Item, judgeItem, outcomeOf, toldBy } from './check.ts';
import { type PatrolRequest, patrolRequest, patrolResponse } from './contract.ts';
import { type Asked, type PatrolMunicipality, type PatrolQuery, readPatrol } from './facts.ts';
import { presentPatrol } from './present.ts';
import { readRejected } from './rejected-table.ts';

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
      const others = otherReadings(normal, alternatives);
      return {
        plate: normal,
        areaCode: area_code,
        seenAt: seen_at ?? now,
        alternatives: others,
        similar: normal === null ? [] : [...new Set([...others, ...platesOneSlipAway(normal)])],
      };
    }),
  }),
  read: readPatrol,
};

/** The alternatives that are plates, each once, without the plate itself. */
function otherReadings(plate: Plate | null, alternatives: readonly string[]): readonly Plate[] {
  const read = alternatives.flatMap((text) => normalizePlate(text) ?? []);
  return [...new Set(read)].filter((other) => other !== plate);
}

/** A sighting costs one for its plate and one for each alternative, whatever becomes of them. */
const costOf = ({ checks }: PatrolRequest): number =>
  checks.reduce((sum, { alternatives }) => sum + 1 + alternatives.length, 0);

/** What an officer may conclude from a sighting on the street. */
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
  cost: { field: 'checks', of: costOf },
  reads,
  answer: patrolResponse,
  errors: ['SERVICE_DISABLED'],
  log: { operation: 'patrol' },
  takesOfficer: true,
  handle: async ({ body: { checks } }, context) => {
    const { municipality, query, now, language } = context;
    if (!municipality.plateCheckEnabled) {
      const plates = tracesOf(query, () => ({ outcome: 'SERVICE_DISABLED', told: [] }));
      return { refused: new Refusal('SERVICE_DISABLED'), plates };
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
      plates: tracesOf(query, (index) => {
        const item = items[index] ?? { refused: 'TEMPORARY_ERROR' };
        return { outcome: outcomeOf(item), told: toldBy(item) };
      }),
    };
  },
});

/** What a sighting has said. */
interface Said {
  readonly outcome: string;
  readonly told: readonly Plate[];
}

/**
 * The traces that a call leaves in the call log: of each plate with its finding, of its alternatives, and of
 * the plates whose entitlement was revealed.
 */
const tracesOf = ({ sightings }: PatrolQuery, saidOf: (index: number) => Said) =>
  sightings.flatMap(({ plate, alternatives }, index) => {
    const { outcome, told } = saidOf(index);
    const others = [...new Set([...alternatives, ...told])];
    return [
      ...(plate === null ? [] : [{ plate, outcome }]),
      ...others.map((other) => ({ plate: other, outcome: 'ALTERNATIVE' })),
    ];
  });

async function judgeAll(context: Context): Promise<readonly Item[]> {
  const { env, grant, now, municipality, query } = context;
  const lookback = lookbackOf(env, grant.historicalDaysAllowed);
  const isRejected = await lineRejectionOf(context);
  return query.sightings.map((asked, index) => {
    const lineRejected = asked.plate !== null && isRejected(asked.plate);
    return judgeItem({ municipality, grant, now, lineRejected }, index, asked, lookback);
  });
}

/**
 * Whether a rejected line has named a plate, or may have. Without a usable key the named plates are unknown:
 * any plate may have been named.
 */
async function lineRejectionOf(context: Context): Promise<(plate: Plate) => boolean> {
  const { env, db, now, municipality, query } = context;
  const keys = digestKeys(env);
  const { hasRejected, doubtsEveryPlate } = municipality;
  if (doubtsEveryPlate || !hasRejected || keys.length === 0) {
    return () => doubtsEveryPlate || hasRejected;
  }
  const plates = [...new Set(query.sightings.flatMap(({ plate }) => (plate === null ? [] : [plate])))];
  const digests = await Promise.all(plates.map((plate) => plateDigests(keys, municipality.code, plate)));
  const kept = await readRejected(db, municipality, digests.flat(), now);
  const named = new Set(plates.filter((_, index) => digests[index]?.some((digest) => kept.has(digest))));
  return (plate) => named.has(plate);
}
