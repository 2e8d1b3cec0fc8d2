import { sourceOfMost, UnreadError } from '../../base/errors/unread.ts';
import { type CheckedPlate, judgePlate } from '../../core/entitlement/judge.ts';
import { checkInstant, type Lookback } from '../../domain/check-instant.ts';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import { type Conclusion, conclude } from '../../domain/patrol/finding.ts';
import { paymentDue } from '../../domain/patrol/paid-hours.ts';
import {
  mayBePaid,
  mayBeRenewed,
  type Rights,
  type SeenIn,
  standingOf,
} from '../../domain/patrol/standing.ts';
import type { Plate } from '../../domain/plate.ts';
import { type Grant, mayName } from '../../serving/access/grant.ts';
import type { ItemRefusal } from './contract.ts';
import type { Asked, OwnFacts, PatrolArea, PatrolMunicipality, SimilarFacts } from './facts.ts';

/** How far back a sighting may lie, whatever the credential allows, since officers ask about it again. */
const MIN_LOOKBACK_MS = 2 * DAY_MS;

/** A sighting that was refused alone. */
interface RefusedItem {
  readonly refused: ItemRefusal;
  /** For the structured log. */
  readonly cause?: UnreadError;
}

/** A sighting that could be judged. */
interface JudgedItem {
  readonly plate: Plate;
  readonly seenAt: Instant;
  readonly area: PatrolArea;
  readonly verdict: CheckedPlate['verdict'];
  readonly paymentDue: boolean;
  readonly conclusion: Conclusion;
  /** The names of the other areas in doubts, by code. */
  readonly areaNames: ReadonlyMap<string, string>;
}

export type Item = RefusedItem | JudgedItem;

/** What all sightings of a call share. */
interface Judging {
  readonly municipality: PatrolMunicipality;
  readonly grant: Pick<Grant, 'areas'>;
  readonly now: Instant;
  readonly lookback: Lookback;
  /** Whether a rejected line has named a plate, or may have. */
  readonly isRejected: (plate: Plate) => boolean;
}

/** Judges a sighting by its facts. */
export function judgeItem(judging: Judging, asked: Asked, own: OwnFacts): Item {
  const { municipality, grant, now, lookback } = judging;
  const { plate, areaCode } = asked;
  if (plate === null) {
    return { refused: 'INVALID_PLATE' };
  }
  const instant = checkInstant(asked.seenAt, now, { ...lookback, atLeastMs: MIN_LOOKBACK_MS });
  if ('refused' in instant) {
    return instant;
  }
  if (!mayName(grant, areaCode)) {
    return { refused: 'AREA_FORBIDDEN' };
  }
  const area = municipality.areas.get(areaCode);
  if (area?.active !== true) {
    return { refused: 'AREA_NOT_FOUND' };
  }
  try {
    return judge(judging, area, { ...asked, plate, seenAt: instant.at }, own);
  } catch (error) {
    if (error instanceof UnreadError) {
      return { refused: 'TEMPORARY_ERROR', cause: error };
    }
    throw error;
  }
}

function judge(
  { municipality, grant, now, isRejected }: Judging,
  area: PatrolArea,
  asked: Asked & { readonly plate: Plate },
  own: OwnFacts,
): Item {
  const { plate, seenAt } = asked;
  const { tolerance, timeZone, holidays } = municipality;
  const here = rightsIn(own, area.code);
  const standing = standingOf(here, area, seenAt, tolerance);
  const due = paymentDue({ paidHours: area.paidHours, holidays, timeZone }, seenAt);
  if (standing !== 'entitled' && own.unread.length > 0) {
    throw new UnreadError(municipality.code, own.unread, sourceOfMost(own.sessions));
  }
  const needsDoubts = standing === null && due;
  const others = needsDoubts
    ? otherAreas(municipality, grant, own, area.code, seenAt)
    : new Map<string, string>();
  const conclusion = conclude(
    {
      seenAt,
      standing,
      paymentDue: due,
      sources: municipality.sources,
      lineRejected: isRejected(plate),
      paymentUnsettled: mayBePaid(own.unsettledPayments, seenAt),
      subscriptionMayBeRenewed: needsDoubts && mayBeRenewed(own.subscriptions, area.code, seenAt),
      similarPlateEntitled: needsDoubts && isSimilarEntitled(municipality, own.similar, area, seenAt),
      validIn: [...others.keys()],
    },
    tolerance,
    now,
  );
  return {
    plate,
    seenAt,
    area,
    verdict: verdictOf(municipality, area, { plate, seenAt }, own),
    paymentDue: due,
    conclusion,
    areaNames: others,
  };
}

const rightsIn = ({ sessions, subscriptions }: OwnFacts, areaCode: string): Rights => ({
  sessions: sessions.filter(({ area }) => area.code === areaCode),
  subscriptions,
});

/** The plate check's verdict at that instant. */
function verdictOf(
  { own: _, areas: __, sources: ___, ...municipality }: PatrolMunicipality,
  area: PatrolArea,
  { plate, seenAt }: { readonly plate: Plate; readonly seenAt: Instant },
  { sessions, subscriptions, unread }: OwnFacts,
): CheckedPlate['verdict'] {
  const judged = judgePlate(
    {
      ...municipality,
      area,
      sessions: sessions
        .filter((session) => session.area.code === area.code)
        .map((session, index) => ({ ...session, sessionId: String(index), plate })),
      subscriptions,
      unread,
    },
    { plate, areaCode: area.code, at: seenAt, withSubscriptions: true },
    'verify',
    'v2',
  );
  if ('refused' in judged) {
    throw new Error(`a plate in an active area is refused with ${judged.refused}`);
  }
  return judged.checked.verdict;
}

/** Whether a look-alike plate is entitled here. */
function isSimilarEntitled(
  municipality: PatrolMunicipality,
  similar: readonly SimilarFacts[],
  area: SeenIn,
  seenAt: Instant,
): boolean {
  const { tolerance } = municipality;
  const rightsHere = ({ sessions, subscriptions }: SimilarFacts): Rights => ({
    sessions: sessions.filter(({ areaCode }) => areaCode === area.code),
    subscriptions,
  });
  const isEntitled = similar.some((facts) => standingOf(rightsHere(facts), area, seenAt, tolerance) !== null);
  if (!isEntitled && similar.some(({ isWhole }) => !isWhole)) {
    throw new UnreadError(municipality.code, ['sessions', 'subscriptions']);
  }
  return isEntitled;
}

/** Returns the other active areas in which the plate is entitled and about which the caller may ask: names by code. */
function otherAreas(
  { tolerance }: PatrolMunicipality,
  grant: Judging['grant'],
  own: OwnFacts,
  here: string,
  seenAt: Instant,
): ReadonlyMap<string, string> {
  const areas = new Map<string, SeenIn & { readonly name: string }>([
    ...[...own.limitedTo].map(([code, name]) => [code, { code, name, facility: null }] as const),
    ...own.sessions.filter(({ area }) => area.active).map(({ area }) => [area.code, area] as const),
  ]);
  const valid = [...areas.values()].filter(
    (area) =>
      area.code !== here &&
      mayName(grant, area.code) &&
      standingOf(rightsIn(own, area.code), area, seenAt, tolerance) !== null,
  );
  return new Map(valid.map(({ code, name }) => [code, name]));
}
