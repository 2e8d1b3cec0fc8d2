import { beforeAll, describe, expect, it } from 'vitest';
import { brokenDatabase, databaseDouble } from '../support/doubles.ts';
import { ADMIN, Service } from '../support/service.ts';
import { SEVERAL } from '../support/several.ts';
import { Traffic, withoutWaiting } from '../support/stopped-clock.ts';
import {
  administrate,
  beginNation,
  CITIES,
  check,
  city,
  type Nation,
  putDocument,
  TORINO,
} from './nation.ts';

let nation: Nation;

beforeAll(async () => {
  nation = await beginNation();
});

describe('The configuration', () => {
  it('of each is got from where it lives, and can be put again', async () => {
    for (const where of CITIES) {
      const path = `/api/v2/admin/configuration?municipality_code=${where.code}`;
      const { body } = await administrate(nation.service, 'GET', path);
      expect(body.configuration).toMatchObject({
        municipalities: [{ code: where.code, database: where.database }],
      });
      const again = await putDocument(nation.service, body.configuration);
      expect(again.body).toMatchObject({ created: 0, updated: 0, unchanged: 7 });
    }
  });

  it('refuses a database that is not there, and one that would be another, and changes nothing', async () => {
    const refused = await nation.service.call('/api/v2/admin/configuration', {
      method: 'PUT',
      headers: ADMIN,
      body: {
        municipalities: [
          { ...city({ code: 'A944', name: 'Bologna', database: 'DB_9' }) },
          { code: TORINO.code, name: 'Turin', database: 'DB_3' },
        ],
      },
    });
    expect(refused.status).toBe(422);
    expect(refused.body.error).toMatchObject({
      details: {
        issues: [
          {
            path: 'municipalities.0.database',
            message: 'DB_9 is not a known database: choose one of DB, DB_2, DB_3',
          },
          {
            path: 'municipalities.1.database',
            message: expect.stringContaining(`/municipalities/${TORINO.code}/move`),
          },
        ],
      },
    });
    const { body } = await administrate(
      nation.service,
      'GET',
      `/api/v2/admin/configuration?municipality_code=${TORINO.code}`,
    );
    expect(body.configuration).toMatchObject({ municipalities: [{ name: TORINO.name }] });
  });

  it('switches a tenant off in every database, and on again', async () => {
    for (const active of [false, true]) {
      await putDocument(nation.service, { tenants: [{ code: 'acme', active }] });
      for (const where of CITIES) {
        const { status } = await check(nation.service, nation.ownOf(where), {
          plate: 'X',
          municipality_code: where.code,
        });
        expect([where.code, status]).toEqual([where.code, active ? 200 : 403]);
      }
    }
  });
});

describe('A credential', () => {
  it('may be bound to a source of a municipality outside the home, and not to one that nobody has', async () => {
    const issue = (source_code: string) =>
      nation.service.call('/api/v2/admin/credentials', {
        method: 'POST',
        headers: ADMIN,
        body: { tenant: 'acme', name: 'x', scopes: ['import'], municipalities: [TORINO.code], source_code },
      });
    expect((await issue('app1')).status).toBe(201);
    expect((await issue('none')).body.error).toMatchObject({
      details: { issues: [{ path: 'source_code' }] },
    });
  });
});

describe('The list of databases', () => {
  it('says what lives in each, the home first', async () => {
    const { body } = await administrate(nation.service, 'GET', '/api/v2/admin/databases');
    expect(body.databases).toEqual(
      CITIES.map(({ database, code }) => ({
        name: database,
        municipalities: [code],
        size_bytes: expect.any(Number),
      })),
    );
  });

  it.each([
    ['fails', () => Promise.reject(new Error('D1_ERROR: Network connection lost.'))],
    ['hangs', () => new Promise(() => {})],
  ] as const)('says of one that %s what the home knows', async (_, around) => {
    const traffic = new Traffic();
    const away = new Service({
      DB: databaseDouble(traffic, SEVERAL.DB),
      DB_2: databaseDouble({ around }, SEVERAL.DB_2),
      DB_3: databaseDouble(traffic, SEVERAL.DB_3),
    });
    const { body } = await withoutWaiting(traffic, () =>
      administrate(away, 'GET', '/api/v2/admin/databases'),
    );
    expect(body.databases).toEqual(
      CITIES.map(({ database, code }) => ({
        name: database,
        municipalities: [code],
        size_bytes: database === 'DB_2' ? null : expect.any(Number),
      })),
    );
  });

  it('cannot be listed without the home', async () => {
    const away = new Service({ ...SEVERAL, DB: brokenDatabase() });
    expect((await away.call('/api/v2/admin/databases', { headers: ADMIN })).status).toBe(500);
  });
});
