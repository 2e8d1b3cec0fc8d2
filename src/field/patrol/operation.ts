import { Refusal } from '../../base/errors/refusal.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { lookbackOf } from '../../base/platform/retention-days.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { operation, type ValidRequest } from '../../serving/pipeline/operation.ts';
import type { MunicipalityCallContext, MunicipalityReading } from '../../serving/pipeline/reading.ts';
import { digestKeys, plateDigests } from '../../storage/plate-digest/plate-digest.ts';
import { type Item, judgeItem } from './check.ts';
import { type PatrolRequest, patrolRequest, patrolResponse } from './contract.ts';
import { NOTHING_READ, type PatrolMunicipality, type PatrolQuery, readPatrol } from './facts.ts';
import { presentPatrol } from './present.ts';
import { readRejected } from './rejected-table.ts';

type Context = MunicipalityCallContext<PatrolQuery, PatrolMunicipality>;

const reads: MunicipalityReading<ValidRequest<PatrolRequest>, PatrolQuery, PatrolMunicipality> = {
  kind: 'municipality',
  // Reads nothing for a refused call, which may have many plates.
  early: false,
  retried: true,
  code: ({ body }) => body.municipality_code,
  query: ({ body }, { now }) => ({
    now,
    sightings: body.checks.map(({ plate, area_code, seen_at }) => ({
      plate: normalizePlate(plate),
      areaCode: area_code,
      seenAt: seen_at ?? now,
    })),
  }),
  read: readPatrol,
};

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
      return {
        refused: new Refusal('SERVICE_DISABLED'),
        plates: tracesOf(query, () => 'SERVICE_DISABLED'),
      };
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
        return 'refused' in item ? item.refused : item.conclusion.finding;
      }),
    };
  },
});

/** The traces that a call leaves in the call log: each plate, with its finding or the code of its refusal. */
const tracesOf = ({ sightings }: PatrolQuery, outcomeOf: (index: number) => string) =>
  sightings.flatMap(({ plate }, index) => (plate === null ? [] : [{ plate, outcome: outcomeOf(index) }]));

async function judgeAll(context: Context): Promise<readonly Item[]> {
  const { env, grant, now, municipality, query } = context;
  const lookback = lookbackOf(env, grant.historicalDaysAllowed);
  const isRejected = await lineRejectionOf(context);
  return query.sightings.map((asked, index) =>
    judgeItem(
      { municipality, grant, now, lookback, isRejected },
      asked,
      municipality.own[index] ?? NOTHING_READ,
    ),
  );
}

/**
 * Whether a rejected line has named a plate, or may have. Without a usable key the named plates are unknown:
 * any plate may have been named.
 */
async function lineRejectionOf(context: Context): Promise<(plate: Plate) => boolean> {
  const { env, now, municipality, query } = context;
  const keys = digestKeys(env);
  const { hasRejected, doubtsEveryPlate } = municipality;
  if (doubtsEveryPlate || !hasRejected || keys.length === 0) {
    return () => doubtsEveryPlate || hasRejected;
  }
  const plates = [...new Set(query.sightings.flatMap(({ plate }) => (plate === null ? [] : [plate])))];
  const digests = await Promise.all(plates.map((plate) => plateDigests(keys, municipality.code, plate)));
  const kept = await readRejected(env.DB, digests.flat(), now);
  const named = new Set(plates.filter((_, index) => digests[index]?.some((digest) => kept.has(digest))));
  return (plate) => named.has(plate);
}
