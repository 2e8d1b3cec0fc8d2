import { SHOWN } from '../../src/storage/configuration/shown.ts';
import { databaseDouble } from '../support/doubles.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';

export const PATH = '/api/v2/admin/configuration';

/** What an area says to the public alone, by its declarations: nothing. */
export const NOTHING_SAID: Readonly<Record<string, null>> = Object.fromEntries(
  SHOWN.map(([name]) => [name, null]),
);

/** One tenant, and one municipality with one of everything. Tests change one thing at a time. */
export const CITY = {
  tenants: [{ code: 'acme', name: 'Acme Parking', active: true }],
  municipalities: [
    {
      code: 'H501',
      name: 'Roma',
      timezone: 'Europe/Rome',
      country: 'IT',
      public_max_age_minutes: 60,
      data_protection_url: 'https://comune.example/privacy',
      accessibility_url: null,
      holidays: ['2026-12-25'],
      observation_minutes: 5,
      overstay_minutes: 10,
      tenant: 'acme',
      active: true,
      services: {
        plate_check: true,
        subscriptions: true,
        subscription_options: true,
        report: true,
        public_occupancy: false,
      },
      areas: [
        {
          code: 'P1',
          name: 'Parcheggio Centro',
          area_type: 'facility',
          capacity: 300,
          latitude: 41.9028,
          longitude: 12.4964,
          ...NOTHING_SAID,
          paid_hours: [
            { days: ['mon', 'holiday'], from: '08:00', to: '24:00' },
            { days: ['mon'], from: '23:59', to: '24:00' },
          ],
          active: true,
          facility: {
            service_enabled: true,
            plate_control_enabled: true,
            subscription_access: true,
            entry_grace_minutes: 10,
            exit_grace_minutes: 15,
            offline_minutes: 720,
          },
        },
        {
          ...{ code: 'S1', name: 'Via Roma', area_type: 'street', capacity: 40 },
          ...{ latitude: null, longitude: null, ...NOTHING_SAID, paid_hours: null, active: true },
        },
      ],
      sources: [
        {
          code: 'app1',
          name: 'App One',
          category: 'app',
          is_system: false,
          active: true,
          stale_after_minutes: 20,
          report_delay_minutes: 10,
          open_session_max_hours: 48,
        },
      ],
      subscription_types: [
        {
          code: 'RES',
          name: 'Residents',
          freely_sold: false,
          renewal_allowed: true,
          renewal_opens_days_before: 30,
          sold_within_authorization: false,
        },
      ],
      plans: [
        {
          codice_tariffa: '101',
          subscription_type: 'RES',
          importo_eurocent: 2500,
          duration: 'P1M',
          descrizione: 'RESIDENTI MENSILE',
          operations: ['first_activation', 'renewal'],
          on_parking_meter: true,
          active: true,
        },
      ],
    },
  ],
};

/** The items that {@link CITY} names. */
export const CITY_ITEMS = 7;

export const put = (document: unknown, service = new Service(), headers: Record<string, string> = {}) =>
  service.call(PATH, { method: 'PUT', body: document, headers: { ...ADMIN, ...headers } });

export const get = (code: string, service = new Service()) =>
  service.call(`${PATH}?municipality_code=${encodeURIComponent(code)}`, { headers: ADMIN });

/** A service in which something else happens between what a document reads and what it writes. */
export function overtaken(between: () => Promise<unknown>): Service {
  let roundTrips = 0;
  const DB = databaseDouble({
    around: async (run) => {
      roundTrips += 1;
      if (roundTrips === 2) await between();
      return run();
    },
  });
  return new Service({ DB });
}

/** Puts what must be right. */
export async function mustPut(document: unknown, service?: Service): Promise<Counts> {
  return countsOf(await put(document, service));
}

/** The configuration of a municipality that must be there. */
export async function configurationOf(code: string): Promise<Form> {
  const { status, body } = await get(code);
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  // The tests compare it whole.
  return body.configuration as Form;
}

/** The municipality of {@link CITY}, as it now stands. */
export async function storedRome() {
  const [municipality] = (await configurationOf('H501')).municipalities;
  if (municipality === undefined) throw new Error('no municipality');
  return municipality;
}

type Properties = Record<string, unknown>;
/** The form of an answer: every list is there. */
export interface Form {
  readonly tenants: Properties[];
  readonly municipalities: (Properties &
    Record<'areas' | 'sources' | 'subscription_types' | 'plans', Properties[]>)[];
}

export interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

export function countsOf({ status, body }: Answer): Counts {
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  const { created, updated, unchanged } = body;
  return { created, updated, unchanged } as Counts;
}

/** The paths of a 422's issues, in the order of the alphabet. */
export function issuePathsOf({ status, body }: Answer): string[] {
  const { code, details } = body.error as { code: string; details: { issues: { path: string }[] } };
  if (status !== 422 || code !== 'INVALID_REQUEST') throw new Error(`${status} ${code}`);
  return details.issues.map(({ path }) => path).sort();
}

/** A document with one municipality that exists, of which it names this. */
export const inRome = (named: object) => ({ municipalities: [{ code: 'H501', ...named }] });
