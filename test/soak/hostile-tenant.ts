import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { administrate } from '../bench/city.ts';
import type { Runtime } from '../bench/runtime.ts';
import { post } from './callers.ts';

const HOUR_MS = 3_600_000;
const KIB = 1024;
/** A credential's default limit: 120 a minute. */
const CALL_EVERY_MS = 500;
const CROWDED = 'CROWDED1';

/** A tenant that sends what costs most of what it is permitted, next to honest ones in the same database. */
export class HostileTenant {
  readonly #service: string;
  readonly #token: string;
  #round = 0;
  /** Its calls that were answered, by status. */
  readonly statuses = new Map<number, number>();

  private constructor(service: string, token: string) {
    this.#service = service;
    this.#token = token;
  }

  static async settle(runtime: Runtime): Promise<HostileTenant> {
    await administrate(runtime, 'PUT', 'configuration', {
      tenants: [{ code: 'hostile', name: 'Hostile' }],
      municipalities: [
        {
          ...{ code: 'F205', name: 'Milano', timezone: 'Europe/Rome', tenant: 'hostile' },
          areas: [
            { code: 'P1', name: 'Duomo', area_type: 'facility', facility: { subscription_access: true } },
          ],
          sources: [{ code: 'app', name: 'App', category: 'app' }],
          subscription_types: [{ code: 'RES', name: 'Residenti' }],
        },
      ],
    });
    const issued = await administrate(runtime, 'POST', 'credentials', {
      ...{ tenant: 'hostile', name: 'hostile', municipalities: ['F205'] },
      scopes: ['plate_check', 'subscription_options', 'report', 'import', 'entitlement_list', 'evidence'],
    });
    return new HostileTenant(runtime.service, String(issued.access_token));
  }

  /** Goes on while it may, and rests while it may not. */
  async attack(endsAt: number, mayAttack: () => boolean): Promise<void> {
    const attacks = [
      () => this.#import('sessions', this.#crowd()),
      () => this.#import('subscriptions', this.#fleets()),
      () =>
        this.#import(
          'sessions',
          Array.from({ length: 5_000 }, () => '{"session_id":1'),
        ),
      () => this.#ask('parking-entitlements/search', { plate: CROWDED, area_code: 'P1', event: 'entry' }),
      () => this.#ask('evidence/search', { plate: CROWDED, at: new Date().toISOString() }),
      () => this.#ask('parking-meters/subscription-options', { plate: CROWDED, x: '"'.repeat(3 * KIB) }),
      () => this.#list(),
      () => this.#dribble(endsAt),
    ];
    await Promise.all(
      attacks.map(async (attack) => {
        while (performance.now() < endsAt) {
          if (mayAttack()) {
            // What becomes of its own calls is no matter.
            const status = await attack().catch(() => 0);
            this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
          }
          await sleep(CALL_EVERY_MS);
        }
      }),
    );
  }

  /** New sessions of one plate, that have ended. */
  #crowd(): readonly string[] {
    this.#round += 1;
    const now = Date.now();
    return Array.from({ length: 2_000 }, (_, index) =>
      JSON.stringify({
        ...{ session_id: `${this.#round}-${index}`, plate: CROWDED, area_code: 'P1' },
        starts_at: new Date(now - 3 * HOUR_MS - index).toISOString(),
        ends_at: new Date(now - HOUR_MS - index).toISOString(),
      }),
    );
  }

  /** The same subscriptions of 500 plates, each time changed. */
  #fleets(): readonly string[] {
    const from = new Date(Date.now() + HOUR_MS).toISOString();
    return Array.from({ length: 4 }, (_, number) =>
      JSON.stringify({
        ...{ subscription_number: `F${number}`, type: 'RES', approval: 'approved', areas: 'all' },
        ...{ periods: [], suspended_from: from },
        plates: Array.from({ length: 500 }, (_, index) => ({
          plate: index === 0 ? CROWDED : `F${number}X${index}`,
        })),
      }),
    );
  }

  async #import(what: string, lines: readonly string[]): Promise<number> {
    const source = what === 'sessions' ? '?source_code=app' : '';
    const url = `${this.#service}/api/v2/imports/${what}${source}`;
    return (await post(url, this.#token, lines.join('\n'), 'application/x-ndjson')).status;
  }

  async #ask(path: string, body: object): Promise<number> {
    return (await post(`${this.#service}/api/v2/${path}`, this.#token, JSON.stringify(body))).status;
  }

  async #list(): Promise<number> {
    const url = `${this.#service}/api/v2/facilities/P1/entitlement-list?municipality_code=F205`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${this.#token}` } });
    await response.arrayBuffer();
    return response.status;
  }

  /** A body that arrives a byte at a time, until it is given up. */
  #dribble(endsAt: number): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/x-ndjson' };
    const url = `${this.#service}/api/v2/imports/sessions?source_code=app`;
    const call = request(url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume();
      end(response.statusCode ?? 0);
    });
    const drip = setInterval(() => (performance.now() < endsAt ? call.write('\n') : end(0)), 1_000);
    const end = (status: number) => {
      clearInterval(drip);
      call.destroy();
      resolve(status);
    };
    call.on('error', () => end(0));
    return promise;
  }
}
