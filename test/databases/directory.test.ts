import { beforeAll, describe, expect, it } from 'vitest';
import { PATH as CONFIGURATION } from '../configuration/support.ts';
import { databaseDouble } from '../support/doubles.ts';
import { ADMIN, Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';
import { administrate, credentialFor, NATION, putDocument, ROMA, report, TORINO } from './nation.ts';

const service = new Service(SEVERAL);
let both: Record<string, string>;

beforeAll(async () => {
  await prepareSeveral();
  await putDocument(service, NATION);
  both = await credentialFor(service, [ROMA.code, TORINO.code]);
});

/** A service of which one database refuses some statements. */
function refusing(name: DatabaseName, statement: RegExp): Service {
  const around = (run: () => Promise<unknown>, sql: string) =>
    statement.test(sql) ? Promise.reject(new Error('D1_ERROR: away')) : run();
  return new Service({ ...SEVERAL, [name]: databaseDouble({ around }, SEVERAL[name]) });
}

/** Puts a document about Turin that reaches the home, and breaks off before it reaches Turin's own database. */
async function breakOff(changed: object): Promise<void> {
  const put = await refusing('DB_2', /insert into "configuration_versions"/i).call(CONFIGURATION, {
    method: 'PUT',
    headers: ADMIN,
    body: { municipalities: [{ code: TORINO.code, ...changed }] },
  });
  expect(put.status).toBe(500);
}

const rowIn = (name: DatabaseName) =>
  SEVERAL[name]
    .prepare(
      'select name, country, active, public_occupancy_enabled as shown from municipalities where code = ?',
    )
    .bind(TORINO.code)
    .first();

describe('After a document that broke off between the home and a municipality’s own database', () => {
  it('one that takes back what it said makes the directory say so too', async () => {
    await breakOff({ active: false });
    // The directory has taken it already.
    const between = await report(service, both, {});
    expect(between.body).toMatchObject({ municipality: { code: ROMA.code } });

    await putDocument(service, { municipalities: [{ code: TORINO.code, active: true }] });
    const after = await report(service, both, {});
    expect([after.status, after.body.error]).toMatchObject([422, { code: 'MUNICIPALITY_REQUIRED' }]);
    expect(await rowIn('DB')).toEqual(await rowIn('DB_2'));
  });

  it('its whole configuration, as it is answered, makes all of the directory’s row like the municipality’s own', async () => {
    await breakOff({ name: 'Turin', country: 'FR', services: { public_occupancy: false } });
    expect(await rowIn('DB')).not.toEqual(await rowIn('DB_2'));
    const { body } = await administrate(service, 'GET', `${CONFIGURATION}?municipality_code=${TORINO.code}`);
    await putDocument(service, body.configuration);
    expect(await rowIn('DB')).toEqual(await rowIn('DB_2'));
    expect(await rowIn('DB')).toMatchObject({ name: TORINO.name, shown: 1 });
  });

  it('one that says nothing of it leaves it as it was, and the same one completes it', async () => {
    await breakOff({ name: 'Turin' });
    await putDocument(service, { municipalities: [{ code: TORINO.code, country: 'IT' }] });
    expect([await rowIn('DB'), await rowIn('DB_2')]).toMatchObject([
      { name: 'Turin' },
      { name: TORINO.name },
    ]);
    const { body } = await putDocument(service, { municipalities: [{ code: TORINO.code, name: 'Turin' }] });
    expect(body).toMatchObject({ updated: 1, unchanged: 0 });
    expect([await rowIn('DB'), await rowIn('DB_2')]).toMatchObject([{ name: 'Turin' }, { name: 'Turin' }]);
  });
});

describe('A source that was made after a move was cut off at its last step', () => {
  const moving = (by: Service) =>
    by.call(`/api/v2/admin/municipalities/${TORINO.code}/move`, {
      method: 'POST',
      headers: ADMIN,
      body: { to: 'DB_3' },
    });
  const credential = (source_code: string) =>
    service.call('/api/v2/admin/credentials', {
      method: 'POST',
      headers: ADMIN,
      body: { tenant: 'acme', name: 'x', scopes: ['import'], municipalities: [TORINO.code], source_code },
    });

  it.each([
    ['before the copy says that it lives there', 'DB_3', /set "moved_to" = null, "arriving" = false/i],
    ['before the home points there', 'DB', /set "moved_to" = \?/i],
  ] as const)('%s can have a credential', async (_, name, statement) => {
    expect((await moving(refusing(name, statement))).status).toBe(500);
    expect((await credential('app1')).status).toBe(201);
    const code = `app-${name}`;
    await putDocument(service, {
      municipalities: [{ code: TORINO.code, sources: [{ code, name: 'New', category: 'app' }] }],
    });
    expect((await credential(code)).status).toBe(201);
    expect((await credential('none')).status).toBe(422);
  });
});
