import { env } from 'cloudflare:workers';

/** What a version says, by the names of an import's line, and since and until when it was so; null: until now. */
interface Version {
  readonly kind: (typeof KINDS)[number];
  /** Of the row whose version it is. A span that comes may have the number of one that has gone. */
  readonly row: string;
  readonly recorded_at: number;
  readonly replaced_at: number | null;
  readonly says: Record<string, unknown>;
}

/** But for the revision: a higher one alone makes no version. */
const SESSION = `'session_id', o.session_id, 'plate', s.plate, 'area_id', s.area_id, 'starts_at', s.starts_at, 'ends_at', s.ends_at,
  'cancelled_at', s.cancelled_at`;
const TITLE = `'number', o.subscription_number, 'type', s.type_id, 'approval', s.approval, 'areas', json(s.areas),
  'periods', json(s.periods), 'authorized_from', s.authorized_from, 'authorized_until', s.authorized_until,
  'suspended_from', s.suspended_from, 'suspended_until', s.suspended_until, 'revoked_at', s.revoked_at`;
const SPAN = `'number', o.subscription_number, 'plate', s.plate, 'valid_from', s.valid_from, 'valid_until', s.valid_until`;

/** The versions in a table of the present and in one of the past; `o` is the row whose versions they are. */
const versionsIn = (letter: string, present: string, past: string, of: string, says: string) =>
  `select '${letter}' || s.id as row, s.recorded_at, null as replaced_at, json_object(${says}) as says
    from ${present} as s join ${of}
    union all select '${letter}' || s.id, s.recorded_at, s.replaced_at, json_object(${says}) from ${past} as s join ${of}`;

const VERSIONS = {
  session: versionsIn(
    's',
    'parking_sessions',
    'past_parking_sessions',
    'parking_sessions as o on o.id = s.id',
    SESSION,
  ),
  subscription: versionsIn(
    'u',
    'subscriptions',
    'past_subscriptions',
    'subscriptions as o on o.id = s.id',
    TITLE,
  ),
  span: versionsIn(
    'p',
    'subscription_plates',
    'past_subscription_plates',
    'subscriptions as o on o.id = s.subscription_id',
    SPAN,
  ),
} as const;
const KINDS = ['session', 'subscription', 'span'] as const;

/** All versions of everything that imports store, or of one kind, in the order of recording. */
export async function versions(...kinds: readonly Version['kind'][]): Promise<Version[]> {
  const asked = kinds.length === 0 ? KINDS : kinds;
  const results = await env.DB.batch<Omit<Version, 'says' | 'kind'> & { says: string }>(
    asked.map((kind) => env.DB.prepare(`select * from (${VERSIONS[kind]}) order by recorded_at, row`)),
  );
  return asked
    .flatMap((kind, index) =>
      (results[index]?.results ?? []).map(({ says, ...version }) => ({
        ...version,
        kind,
        says: withoutNulls(JSON.parse(says)),
      })),
    )
    .sort((one, other) => one.recorded_at - other.recorded_at);
}

const withoutNulls = (says: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(says).filter(([, value]) => value !== null));

/** What these versions say was so at an instant, as texts in one order. */
export const asOf = (all: readonly Version[], at: number): string[] =>
  all
    .filter(({ recorded_at, replaced_at }) => recorded_at <= at && (replaced_at === null || replaced_at > at))
    .map(({ kind, says }) => `${kind} ${JSON.stringify(Object.entries(says).sort())}`)
    .sort();

/** What is so now, by the tables of the present alone. */
export const present = (all: readonly Version[]): string[] =>
  asOf(
    all.filter(({ replaced_at }) => replaced_at === null),
    Number.POSITIVE_INFINITY,
  );

/** The instants at which something was changed. */
export async function changesRecorded(): Promise<number[]> {
  return (await env.DB.prepare('select recorded_at from changes order by 1').raw<[number]>()).flat();
}

/**
 * What is wrong with the histories: a version whose instants no change has, or whose successor does not begin where it ends.
 * Spans have no successors.
 */
export async function brokenHistories(): Promise<string[]> {
  const recorded = new Set(await changesRecorded());
  const broken: string[] = [];
  for (const [row, own] of Map.groupBy(await versions(), (version) => version.row)) {
    for (const [index, { kind, recorded_at, replaced_at }] of own.entries()) {
      const next = own[index + 1]?.recorded_at ?? null;
      const isChange = recorded.has(recorded_at) && (replaced_at === null || recorded.has(replaced_at));
      if (!isChange || (kind !== 'span' && replaced_at !== next)) {
        broken.push(`${row}: ${recorded_at} to ${replaced_at}, then ${next}`);
      }
    }
  }
  return broken;
}
