import { env } from 'cloudflare:workers';
import { file, send } from '../imports/support.ts';
import { City } from '../support/city.ts';
import { configurationVersion } from '../support/past.ts';
import { CITY, MONTHLY, RESIDENTS, ROME, type Seed } from '../support/seed.ts';
import { ADMIN, type Answer, type Service } from '../support/service.ts';

/** A Saturday in Rome: 17:44:12. */
export const NOW = Date.UTC(2026, 2, 7, 16, 44, 12);

export const PAYMENTS = '/api/v2/parking-meters/subscription-payments';
export const REVERSE = `${PAYMENTS}/reverse`;
const SEARCH = `${PAYMENTS}/search`;
export const OPTIONS = '/api/v2/parking-meters/subscription-options';
export const OFFICE_SEARCH = '/api/v2/admin/payments/search';
export const SETTLE = '/api/v2/admin/payments/settle';
export const OFFICE_REVERSE = '/api/v2/admin/payments/reverse';
const IMPORT = '/api/v2/imports/subscriptions';
export const CHECK = '/api/v2/parking/check-plate';

const FREE = { ...RESIDENTS, id: 2, code: 'FREE', freelySold: true };
const CLOSED = { ...RESIDENTS, id: 3, code: 'CLOSED', renewalAllowed: false };

/** Rome, with a plan of a month and one of a day. */
const OFFICE = {
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

/** Registers a new city before each test, whose clock stands at {@link NOW} until the test moves it. */
export function payingCity() {
  const city = new City(OFFICE, { now: NOW, anew: true });
  const post = (path: string, body: unknown, service?: Service): Promise<Answer> =>
    city.post(path, body, {}, service);
  return {
    post,
    pay: (body: object, service?: Service) => post(PAYMENTS, body, service),
    reverse: (body: object, service?: Service) => post(REVERSE, body, service),
    search: (body: object) => post(SEARCH, body),
    admin: (path: string, body: object) => city.post(path, body, ADMIN),
    importTitles: (...lines: readonly object[]) => send(city.service, IMPORT, file(lines), city.headers),
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
