import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Instant } from '../../../src/domain/instant.ts';
import type { ServiceClient } from '../service-client.ts';
import { type SessionLine, type SubscriptionLine, TimesAround } from './lines.ts';
import { SHOWCASE_CITY } from './showcase.ts';

const FACILITY = 'MADAMA-CRISTINA';
/** The exit tolerance at the time of the checks, and now. */
const EXIT_GRACE = { before: 45, now: 15 };
const SOURCE = 'booking';

/** The data of a plate at a time. */
interface Known {
  readonly session?: Omit<SessionLine, 'session_id' | 'area_code'>;
  readonly subscription?: Partial<SubscriptionLine>;
}

/** An objection to judge: an officer or a gate asked, and later the data or the configuration changed. */
export interface Objection {
  readonly plate: string;
  readonly title: string;
  readonly event: 'verify' | 'exit';
  readonly before: (t: TimesAround) => Known;
  readonly after: (t: TimesAround) => Known;
  /** Fields of the evidence, by their paths. */
  readonly outcome: Readonly<Record<string, string | boolean | number>>;
}

export const OBJECTIONS: readonly Objection[] = [
  {
    plate: 'DE501MO',
    title: 'An objection: the session arrived after the officer’s check',
    event: 'verify',
    before: () => ({}),
    after: (t) => ({
      session: { plate: 'DE501MO', starts_at: t.inMinutes(-6), ends_at: t.inHours(1) },
    }),
    outcome: {
      'as_known_then.has_valid_entitlement': false,
      'as_known_now.has_valid_entitlement': true,
      differs: true,
      'history.0.known_then': false,
      checks_count: 1,
    },
  },
  {
    plate: 'DE502MO',
    title: 'An objection: the session’s extension arrived late',
    event: 'verify',
    before: (t) => ({ session: { plate: 'DE502MO', starts_at: t.inHours(-2), ends_at: t.inHours(-1) } }),
    after: (t) => ({ session: { plate: 'DE502MO', starts_at: t.inHours(-2), ends_at: t.inHours(1) } }),
    outcome: {
      'as_known_then.has_valid_entitlement': false,
      'as_known_now.has_valid_entitlement': true,
      history_count: 2,
      'history.1.known_then': false,
    },
  },
  {
    plate: 'DE503MO',
    title: 'An objection: the driver typed a zero for an O, which was corrected later',
    event: 'verify',
    before: (t) => ({ session: { plate: 'DE503M0', starts_at: t.inHours(-1), ends_at: t.inHours(1) } }),
    after: (t) => ({ session: { plate: 'DE503MO', starts_at: t.inHours(-1), ends_at: t.inHours(1) } }),
    outcome: {
      'as_known_then.has_valid_entitlement': false,
      'as_known_now.has_valid_entitlement': true,
      history_count: 1,
      'history.0.known_then': false,
    },
  },
  {
    plate: 'DE504MO',
    title: 'An objection: the subscription was revoked later, with effect from before the check',
    event: 'verify',
    before: () => ({ subscription: {} }),
    after: (t) => ({ subscription: { revoked_at: t.inDays(-1) } }),
    outcome: {
      'as_known_then.subscriptions.0.reason_code': 'VALID_SUBSCRIPTION',
      'as_known_now.subscriptions.0.reason_code': 'SUBSCRIPTION_REVOKED',
      differs: true,
    },
  },
  {
    plate: 'DE505MO',
    title: 'An objection: the gate let the car out, and its tolerance was shortened later',
    event: 'exit',
    before: (t) => ({ session: { plate: 'DE505MO', starts_at: t.inHours(-2), ends_at: t.inMinutes(-30) } }),
    after: (t) => ({ session: { plate: 'DE505MO', starts_at: t.inHours(-2), ends_at: t.inMinutes(-30) } }),
    outcome: {
      'as_known_then.access_granted': true,
      'as_known_then.access_control.exit_grace_minutes': EXIT_GRACE.before,
      'as_known_now.access_granted': false,
      'as_known_now.access_control.exit_grace_minutes': EXIT_GRACE.now,
      history_count: 1,
    },
  },
];

/** The body of the search for an objection's evidence. */
export const evidenceBody = ({ plate, event }: Objection, askedAt: string) => ({
  plate,
  at: askedAt,
  area_code: FACILITY,
  event,
});

interface Clients {
  readonly administrator: ServiceClient;
  readonly importer: ServiceClient;
  /** Checks plates. */
  readonly officer: ServiceClient;
}

const kept = z.object({ asked_at: z.string() });
const checked = z.object({ checked_at: z.string() });

/**
 * Stages the objections, once: imports the data before, makes the officer's checks, and imports the data after.
 *
 * @returns when the officer made the checks; kept for later starts
 */
export async function stageObjections(clients: Clients, stateDir: string, now: Instant): Promise<string> {
  const file = join(stateDir, 'demonstration-objections.json');
  if (existsSync(file)) {
    return kept.parse(JSON.parse(readFileSync(file, 'utf8'))).asked_at;
  }
  const times = new TimesAround(now);
  await setExitGrace(clients, EXIT_GRACE.before);
  await importKnown(clients, ({ before }) => before(times), times);
  let asked_at = '';
  for (const { plate, event } of OBJECTIONS) {
    const body = { municipality_code: SHOWCASE_CITY, plate, area_code: FACILITY, event };
    // The last check's instant: the data is the same at all of them.
    ({ checked_at: asked_at } = checked.parse(
      await clients.officer.succeed('POST', '/api/v2/parking-entitlements/search', body),
    ));
  }
  await importKnown(clients, ({ after }) => after(times), times);
  await setExitGrace(clients, EXIT_GRACE.now);
  writeFileSync(file, `${JSON.stringify({ asked_at })}\n`);
  return asked_at;
}

async function setExitGrace({ administrator }: Clients, exit_grace_minutes: number): Promise<void> {
  const areas = [{ code: FACILITY, facility: { exit_grace_minutes } }];
  await administrator.succeed('PUT', '/api/v2/admin/configuration', {
    municipalities: [{ code: SHOWCASE_CITY, areas }],
  });
}

async function importKnown(
  { importer }: Clients,
  known: (objection: Objection) => Known,
  times: TimesAround,
): Promise<void> {
  const all = OBJECTIONS.map((objection) => ({ plate: objection.plate, ...known(objection) }));
  const sessions = all.flatMap(({ plate, session }) =>
    session ? [{ session_id: `${plate}-1`, area_code: FACILITY, ...session }] : [],
  );
  const subscriptions = all.flatMap(({ plate, subscription }) =>
    subscription ? [{ ...subscriptionOf(plate, times), ...subscription }] : [],
  );
  const place = `municipality_code=${SHOWCASE_CITY}`;
  await importer.succeed(
    'POST',
    `/api/v2/imports/sessions?${place}&source_code=${SOURCE}`,
    linesOf(sessions),
  );
  await importer.succeed('POST', `/api/v2/imports/subscriptions?${place}`, linesOf(subscriptions));
}

const linesOf = (lines: readonly object[]): string => lines.map((line) => JSON.stringify(line)).join('\n');

const subscriptionOf = (plate: string, times: TimesAround): SubscriptionLine => ({
  subscription_number: `SUB-${plate}-1`,
  type: 'RES',
  plates: [{ plate }],
  approval: 'approved',
  authorized_from: times.inDays(-200),
  authorized_until: times.inDays(200),
  areas: 'all',
  periods: [{ starts_at: times.inDays(-10), ends_at: times.inDays(20) }],
});
