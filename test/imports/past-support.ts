import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, vi } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import { APP1_SESSIONS, file, SUBSCRIPTIONS, send } from './support.ts';

/** When the first import of a test comes. */
export const NOW = Date.UTC(2026, 2, 10, 11);

interface Imports {
  importInto(path: string, lines: readonly object[], service?: Service): Promise<Answer>;
  sessions(...lines: readonly object[]): Promise<Answer>;
  subscriptions(...lines: readonly object[]): Promise<Answer>;
}

/** Registers a new city before each test, whose clock stands at {@link NOW} until the test moves it. */
export function importingCity(): Imports {
  beforeEach(async () => {
    await freshDatabase(CITY);
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  // Each by a credential of its own, so that one may come while another is under way.
  const importInto = async (path: string, lines: readonly object[], service = new Service()) =>
    send(service, path, file(lines), (await issueCredential()).headers);
  return {
    importInto,
    sessions: (...lines) => importInto(APP1_SESSIONS, lines),
    subscriptions: (...lines) => importInto(SUBSCRIPTIONS, lines),
  };
}

/** What a version says, by the names of an import's line, and since and until when it was so; null: until now. */
interface Version {
  readonly kind: 'session' | 'subscription' | 'span' | 'import';
  /** Of the row whose version it is. A span that comes may have the number of one that has gone. */
  readonly row: string;
  readonly recorded_at: number;
  readonly replaced_at: number | null;
  readonly says: Record<string, unknown>;
}

const SHARED = `'type', (select code from subscription_types where id = s.type_id), 'approval', s.approval,
  'areas', iif(s.all_areas, 'all', (select json_group_array(a.code order by a.code) from subscription_areas as sa
    join areas as a on a.id = sa.area_id where sa.subscription_id = s.id)),
  'periods', (select json_group_array(json_array(starts_at, ends_at, paid_by) order by starts_at)
    from subscription_periods where subscription_id = s.id)`;
const SPAN = `'number', s.subscription_number, 'plate', p.plate, 'valid_from', p.valid_from, 'valid_until', p.valid_until`;
const SESSION = `'session_id', o.session_id, 'plate', s.plate, 'area_id', s.area_id, 'starts_at', s.starts_at, 'ends_at', s.ends_at,
  'cancelled_at', s.cancelled_at, 'revision', s.revision`;
const OPTIONAL = [
  'authorized_from',
  'authorized_until',
  'suspended_from',
  'suspended_until',
  'revoked_at',
  'revision',
];
const IMPORT = `'last_outcome', last_outcome, 'last_finished_at', last_finished_at, 'last_successful_at', last_successful_at`;

/** Each kind's tables: of the present, and of the past. D1 takes no compound select of them all. */
const VERSIONS: Readonly<Record<Version['kind'], string>> = {
  session: `select 's' || s.id as row, s.recorded_at, null as replaced_at, json_object(${SESSION}) as says
    from parking_sessions as s join parking_sessions as o on o.id = s.id
    union all select 's' || s.id, s.recorded_at, s.replaced_at, json_object(${SESSION})
    from past_parking_sessions as s join parking_sessions as o on o.id = s.id`,
  subscription: `select 'u' || id as row, recorded_at, null as replaced_at, json_object('number', subscription_number, ${SHARED},
      ${OPTIONAL.map((name) => `'${name}', ${name}`).join(', ')}) as says from subscriptions as s
    union all select 'u' || v.id, v.recorded_at, v.replaced_at, json_patch(json_object('number', s.subscription_number), v.record)
    from past_subscriptions as v join subscriptions as s on s.id = v.id`,
  span: `select 'p' || p.id as row, p.recorded_at, null as replaced_at, json_object(${SPAN}) as says
    from subscription_plates as p join subscriptions as s on s.id = p.subscription_id
    union all select 'p' || p.id, p.recorded_at, p.replaced_at, json_object(${SPAN})
    from past_subscription_plates as p join subscriptions as s on s.id = p.subscription_id`,
  import: `select 'i' || source_id as row, recorded_at, null as replaced_at, json_object(${IMPORT}) as says from source_imports
    union all select 'i' || source_id, recorded_at, replaced_at, json_object(${IMPORT}) from past_source_imports`,
};
const KINDS = ['session', 'subscription', 'span', 'import'] as const;

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
