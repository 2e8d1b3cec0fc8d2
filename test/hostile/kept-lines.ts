import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import {
  APP1_SESSIONS,
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  file,
  SUBSCRIPTIONS,
} from '../imports/support.ts';
import { ADMIN, type Answer, type Service } from '../support/service.ts';
import { type KeptLine, REFUSED, type Senders } from './kept-line.ts';

export const CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const PATROL = '/api/v2/patrol/checks';
const CREDENTIALS = '/api/v2/admin/credentials';
const CONFIGURATION = '/api/v2/admin/configuration';
export const KIB = 1024;

/** The characters of the longest key, each of three bytes, and those of the longest plate, each of two. */
const key = (text: string, length = 200) => text.padEnd(length, '京');
const LONGEST_PLATE = 'Ж'.repeat(15);
const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

const lines = (path: string) => (senders: Senders, some: readonly unknown[]) =>
  senders.service.settle(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson', ...senders.hostile.headers },
    body: file(some),
  });
const sessions = lines(APP1_SESSIONS);
const subscriptions = lines(SUBSCRIPTIONS);
const call = (path: string) => (service: Service, body: object, headers: Record<string, string>) =>
  service.settle(path, { method: 'POST', body, headers });
const check = call(CHECK);
const options = call(OPTIONS);
const patrol = call(PATROL);
const configure = (service: Service, body: object) =>
  service.settle(CONFIGURATION, { method: 'PUT', body, headers: ADMIN });

export const codeOf = ({ status, body }: Answer): unknown =>
  status < 300 ? 'OK' : (body.error as { code: string }).code;

/** The rows of a credential in the call log, or of nobody: those of others may come a second after their answers. */
const logged = async (credentialId: string | null): Promise<number> =>
  (
    await env.DB.prepare('select count(*) as rows from logged_calls where credential_id is ?')
      .bind(credentialId)
      .first<{ rows: number }>()
  )?.rows ?? 0;

const day = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString();

/** Codes of areas that are as long as one may be. */
export const LONG_CODES = many(10, (index) => key(`${index}-`, 80));

/** A subscription of so many plates, periods and areas. */
const title = (number: string, plates: number, periods: number, areas = 1) =>
  aSubscriptionLine({
    subscription_number: number,
    plates: many(plates, (index) => ({ plate: LONGEST_PLATE.slice(0, 12) + (100 + index) })),
    periods: many(periods, (index) => ({ starts_at: day(index), ends_at: day(index + 1) })),
    areas: many(areas, (index) => LONG_CODES[index % LONG_CODES.length]),
    authorized_until: null,
  });

export const KEPT_LINES: readonly KeptLine[] = [
  {
    input: 'a session line',
    kept: { kib: 1.5, read: 7, written: 5 },
    count: 330,
    atBound: async (senders, round) => {
      const lines = many(330, (i) =>
        aSessionLine({
          session_id: key(`${round}-${i}-`),
          plate: LONGEST_PLATE.slice(0, 12) + (100 + (i % 900)),
        }),
      );
      expect(countsOf(await sessions(senders, lines))).toMatchObject({ created: 330, rejected: 0 });
    },
    pastBound: async (senders) => {
      const lines = [
        aSessionLine({ session_id: key('x', 201) }),
        aSessionLine({ plate: `${LONGEST_PLATE}Ж` }),
      ];
      expect(countsOf(await sessions(senders, lines))).toMatchObject({ rejected: 2 });
    },
  },
  {
    input: 'a subscription line',
    kept: { kib: 80, read: 1_612, written: 2_549 },
    count: 1,
    atBound: async (senders, round) => {
      expect(countsOf(await subscriptions(senders, [title(key(round), 500, 10, 10)]))).toMatchObject({
        created: 1,
      });
    },
    pastBound: async (senders) => {
      const lines = [
        ...[title('x', 501, 1), title('x', 1, 501), title('x', 1, 1, 501)],
        ...[title('x', 500, 11), title('x', 500, 1, 11), title('x', 11, 1, 500)],
      ];
      expect(countsOf(await subscriptions(senders, lines))).toMatchObject({ rejected: lines.length });
    },
  },
  {
    input: 'an import without a good line',
    kept: { kib: 4, read: 40, written: 7 },
    count: 4,
    atBound: async (senders) => {
      const bad = many(2_000, () => ({ session_id: 'x'.repeat(1_000) }));
      for (const { body } of await Promise.all(many(4, () => sessions(senders, bad)))) {
        expect(body).toMatchObject({ rejected: 2_000, errors: { length: 100 } });
        expect(JSON.stringify(body).length).toBeLessThan(100 * 2_100);
      }
    },
    pastBound: async (senders) => {
      expect(codeOf(await sessions(senders, ['not a line', '{']))).toBe('OK');
    },
  },
  {
    input: 'a patrol',
    kept: { kib: 11, read: 4_600, written: 201 },
    count: 4,
    mostSlower: 25,
    atBound: async ({ service, hostile }) => {
      const headers = { ...hostile.headers, 'Officer-Reference': 'x'.repeat(64) };
      const checks = many(100, (index) => ({
        ...{ id: key(String(index), 64), plate: `${'Щ'.repeat(12)}${100 + index}` },
        area_code: 'P1',
      }));
      for (let sent = 0; sent < 4; sent += 1)
        expect(codeOf(await patrol(service, { checks }, headers))).toBe('OK');
    },
    pastBound: async ({ service, hostile }) => {
      const checks = many(101, (index) => ({ id: `${index}`, plate: 'A', area_code: 'P1' }));
      expect(codeOf(await patrol(service, { checks }, hostile.headers))).toBe('INVALID_REQUEST');
    },
  },
  {
    input: 'a plate check',
    kept: { kib: 0.4, read: 5, written: 2 },
    count: 40,
    mostSlower: 40,
    atBound: async (senders) => {
      const body = { plate: 'A', ignored: 'x'.repeat(63 * KIB) };
      const headers = {
        ...senders.hostile.headers,
        'CF-Connecting-IP': '1'.repeat(6_000),
        'User-Agent': 'x'.repeat(4_000),
      };
      for (const answer of await Promise.all(many(40, () => check(senders.service, body, headers))))
        expect(codeOf(answer)).toBe('OK');
    },
    pastBound: async (senders) => {
      expect(
        codeOf(
          await check(
            senders.service,
            { plate: 'A', ignored: 'x'.repeat(64 * KIB) },
            senders.hostile.headers,
          ),
        ),
      ).toBe('PAYLOAD_TOO_LARGE');
    },
  },
  {
    input: 'a meter’s query',
    kept: { kib: 9.5, read: 7, written: 4 },
    count: 40,
    mostSlower: 40,
    atBound: async (senders) => {
      const body = JSON.stringify({ plate: 'A', x: '' });
      const largest = { plate: 'A', x: 'x'.repeat(8 * KIB - body.length) };
      for (const answer of await Promise.all(
        many(40, () => options(senders.service, largest, senders.hostile.headers)),
      ))
        expect(codeOf(answer)).toBe('OK');
    },
    pastBound: async (senders) => {
      expect(
        codeOf(
          await options(
            senders.service,
            { plate: 'A', ignored: 'x'.repeat(8 * KIB) },
            senders.hostile.headers,
          ),
        ),
      ).toBe('PAYLOAD_TOO_LARGE');
    },
  },
  {
    input: 'a refused call of a known credential',
    kept: { kib: 0, read: 0, written: 0 },
    count: REFUSED,
    mostSlower: REFUSED,
    atBound: async ({ service, revoked }) => {
      const rows = await logged(revoked.credentialId);
      const body = { plate: 'x'.repeat(6 * KIB) };
      for (const answer of await Promise.all(many(REFUSED, () => options(service, body, revoked.headers))))
        expect(codeOf(answer)).toBe('TOKEN_REVOKED');
      expect(await logged(revoked.credentialId)).toBe(rows);
    },
    pastBound: async () => {},
  },
  {
    input: 'a stranger’s call',
    kept: { kib: 0, read: 0, written: 0 },
    count: 40,
    atBound: async ({ service, hostile }) => {
      const rows = await logged(null);
      const stranger = {
        Authorization: `Bearer ${hostile.accessToken.slice(0, -1)}x`,
        'X-Api-Key': 'x'.repeat(4_000),
      };
      await Promise.all(many(40, (index) => check(service, { plate: `A${index}` }, stranger)));
      await Promise.all(
        many(40, (index) => service.settle(`/no/such/${'x'.repeat(1_000)}${index}`, { headers: stranger })),
      );
      await Promise.all(many(40, () => service.settle(CHECK, { method: 'DELETE', headers: stranger })));
      expect(await logged(null)).toBe(rows);
    },
    pastBound: async () => {},
  },
  {
    input: 'a credential',
    kept: { kib: 32, read: 9, written: 1 },
    count: 1,
    atBound: async ({ service }) => {
      const addresses = many(1_000, (index) => `2001:db8::${index.toString(16)}`);
      const body = {
        tenant: 'acme',
        name: key('', 200),
        scopes: ['report'],
        municipalities: ['H501'],
        ip_allowlist: addresses,
      };
      expect((await service.settle(CREDENTIALS, { method: 'POST', body, headers: ADMIN })).status).toBe(201);
    },
    pastBound: async ({ service }) => {
      const body = { tenant: 'acme', name: key('', 201), scopes: ['report'], municipalities: ['H501'] };
      expect(codeOf(await service.settle(CREDENTIALS, { method: 'POST', body, headers: ADMIN }))).toBe(
        'INVALID_REQUEST',
      );
    },
  },
  {
    input: 'an item of the configuration',
    kept: { kib: 3, read: 20, written: 2 },
    count: 100,
    atBound: async ({ service }, round) => {
      const areas = many(100, (index) => ({
        code: key(`${round}-${index}-`, 80),
        name: key('', 200),
        area_type: 'street',
      }));
      expect(codeOf(await configure(service, { municipalities: [{ code: 'H501', areas }] }))).toBe('OK');
    },
    pastBound: async ({ service }) => {
      const sources = many(100, (index) => ({ code: `x${index}`, name: 'x', category: 'app' }));
      expect(codeOf(await configure(service, { municipalities: [{ code: 'H501', sources }] }))).toBe(
        'INVALID_REQUEST',
      );
    },
  },
];
