import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, vi } from 'vitest';
import { DAY_MS } from '../../src/domain/instant.ts';
import { file, send } from '../imports/support.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { configurationVersion } from '../support/past.ts';
import { CITY, MONTHLY, RESIDENTS, ROME, type Seed } from '../support/seed.ts';
import { type Answer, bearer, Service } from '../support/service.ts';

/** A Saturday in Rome: 17:44:12. */
export const NOW = Date.UTC(2026, 2, 7, 16, 44, 12);

export const PAYMENTS = '/api/v2/parking-meters/subscription-payments';
export const REVERSE = `${PAYMENTS}/reverse`;
export const SEARCH = `${PAYMENTS}/search`;
export const OPTIONS = '/api/v2/parking-meters/subscription-options';
export const OFFICE_SEARCH = '/api/v2/admin/payments/search';
export const SETTLE = '/api/v2/admin/payments/settle';
export const OFFICE_REVERSE = '/api/v2/admin/payments/reverse';
export const IMPORT = '/api/v2/imports/subscriptions';
export const CHECK = '/api/v2/parking/check-plate';

const FREE = { ...RESIDENTS, id: 2, code: 'FREE', freelySold: true };
const CLOSED = { ...RESIDENTS, id: 3, code: 'CLOSED', renewalAllowed: false };

/** Rome, with a plan of a month and one of a day. */
export const OFFICE = {
  ...CITY,
  municipalities: [ROME, { ...ROME, id: 2, code: 'F205', name: 'Milano' }],
  configurationVersions: [configurationVersion(0)],
  subscriptionTypes: [RESIDENTS, FREE, CLOSED],
  plans: [
    { ...MONTHLY, id: 1 },
    { ...MONTHLY, id: 2, code: '102', duration: 'P1D', amountCents: 300, description: 'GIORNALIERO' },
  ],
} satisfies Seed;

/** A line of a title that waits for its first payment. */
export const aTitle = (number: string, plate: string, deviation: object = {}): object => ({
  subscription_number: number,
  type: 'RES',
  plates: [{ plate }],
  approval: 'approved',
  areas: 'all',
  periods: [],
  ...deviation,
});

export const iso = (ms: number): string => new Date(ms).toISOString();

/** What a collector sends. */
export const aPayment = (deviation: Record<string, unknown> = {}): Record<string, unknown> => ({
  payment_id: 'P-1',
  plate: 'AB123CD',
  codice_tariffa: '101',
  importo_eurocent: 2_500,
  collected_at: iso(NOW),
  ...deviation,
});

interface PaidCity {
  pay(body: Record<string, unknown>, service?: Service): Promise<Answer>;
  reverse(body: Record<string, unknown>, service?: Service): Promise<Answer>;
  search(body: Record<string, unknown>): Promise<Answer>;
  admin(path: string, body: unknown, service?: Service): Promise<Answer>;
  importTitles(...lines: readonly object[]): Promise<Answer>;
  post(path: string, body: unknown, service?: Service): Promise<Answer>;
  credential(): TestCredential;
}

/** Registers a new city before each test, whose clock stands at {@link NOW} until the test moves it. */
export function payingCity(): PaidCity {
  let credential: TestCredential;

  beforeEach(async () => {
    await freshDatabase(OFFICE);
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    credential = await issueCredential();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const post = (path: string, body: unknown, service = new Service()) =>
    service.post(path, body, credential.headers);
  return {
    post,
    pay: (body, service) => post(PAYMENTS, body, service),
    reverse: (body, service) => post(REVERSE, body, service),
    search: (body) => post(SEARCH, body),
    admin: (path, body, service = new Service()) => service.post(path, body, bearer(env.ADMIN_TOKEN ?? '')),
    importTitles: (...lines) => send(new Service(), IMPORT, file(lines), credential.headers),
    credential: () => credential,
  };
}

/** The periods of titles: those of lines, and what is left of paid ones. */
export async function storedPeriods(): Promise<unknown[]> {
  const { results } = await env.DB.prepare(
    `select s.subscription_number as number, value ->> 0 as starts_at, value ->> 1 as ends_at, null as paid_by
     from subscriptions as s, json_each(s.periods)
     union all
     select s.subscription_number, p.starts_at, min(p.ends_at, coalesce(p.reversal_recorded_at, p.ends_at)), p.payment_id
     from payments as p join subscriptions as s on s.id = p.subscription_id
     where p.starts_at < coalesce(p.reversal_recorded_at, p.ends_at)
     order by 1, 2`,
  ).all();
  return results;
}

export const DAYS = (count: number): number => count * DAY_MS;
