import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { FACILITY, STREET, seed } from '../support/seed.ts';
import { ADMIN, bearer, Service } from '../support/service.ts';
import { CITIES, CREDENTIALS, change, issue, REQUEST, shown, storedRow, wrongPaths } from './support.ts';

const service = new Service();
const many = (count: number) => Array.from({ length: count }, (_, index) => `A${index}`);
const send = (changed: object) => service.post(CREDENTIALS, { ...REQUEST, ...changed }, ADMIN);

beforeAll(async () => {
  await seed(CITIES);
  await seed({
    areas: [
      { ...STREET, id: 10, code: 'OLD', active: false },
      { ...FACILITY, id: 11, municipalityId: 2, code: 'P1' },
      ...many(200).map((code, index) => ({ ...STREET, id: 100 + index, code })),
    ],
  });
});

describe('A credential is bound to areas', () => {
  it.each([
    ['one', ['P1']],
    ['an inactive one too', ['OLD', 'P1']],
    ['200', many(200)],
  ])('when it is issued: %s', async (_, areas) => {
    const { status, body } = await send({ areas });
    expect([status, body.areas]).toEqual([201, areas.toSorted()]);
    const id = String(body.credential_id);
    expect((await shown(service, id))?.areas).toEqual(areas.toSorted());
    expect((await storedRow(id))?.areas).toBe(JSON.stringify(areas.toSorted()));
    const own = await service.call('/api/v2/credential', { headers: bearer(String(body.access_token)) });
    expect(own.body.credential).toMatchObject({ areas: areas.toSorted() });
  });

  const REFUSED: readonly [string, object, string[]][] = [
    ['none at all', { areas: [] }, ['areas']],
    ['201', { areas: [...many(200), 'P1'] }, ['areas']],
    ['one twice', { areas: ['P1', 'S1', 'P1'] }, ['areas.2']],
    ['a blank one', { areas: [' '] }, ['areas.0']],
    ['no list', { areas: 'P1' }, ['areas']],
    ['an unknown one', { areas: ['P1', 'NONE'] }, ['areas.1']],
    ['one in another case', { areas: ['p1'] }, ['areas.0']],
    ['with several municipalities', { areas: ['P1'], municipalities: ['H501', 'L219'] }, ['areas']],
    ['with a city that has no such area', { areas: ['S1'], municipalities: ['L219'] }, ['areas.0']],
    ['of another tenant’s city', { areas: ['P1'], municipalities: ['F205'] }, ['municipalities.0']],
    ...['subscription_options', 'report', 'import', 'evidence', 'office', 'office_read'].map(
      (scope): [string, object, string[]] => [
        `with ${scope}`,
        { areas: ['P1'], scopes: ['plate_check', scope] },
        ['scopes'],
      ],
    ),
  ];
  it.each(REFUSED)('but not to %s', async (_, changed, paths) => {
    expect(wrongPaths(await send(changed))).toEqual(paths);
  });

  it('with all three scopes that are about one area at a time', async () => {
    const scopes = ['plate_check', 'entitlement_list', 'patrol'];
    expect((await send({ areas: ['P1'], scopes })).status).toBe(201);
  });

  it('or to none: null and absent are all', async () => {
    for (const changed of [{}, { areas: null }]) {
      const { status, body } = await send(changed);
      expect([status, body.areas]).toEqual([201, null]);
      expect((await storedRow(String(body.credential_id)))?.areas).toBeNull();
    }
  });
});

describe('A change of a credential', () => {
  const bound = () => issue(service, { areas: ['P1', 'S1'] });

  it.each([
    ['binds it to other areas', { areas: ['OLD'] }, ['OLD']],
    ['frees it', { areas: null }, null],
    ['leaves its areas as they are', { name: 'Gate 2' }, ['P1', 'S1']],
    ['that names its city again does too', { municipalities: ['H501'] }, ['P1', 'S1']],
    ['takes it to another city with areas of that', { municipalities: ['L219'], areas: ['P1'] }, ['P1']],
    ['takes it to two cities, unbound', { municipalities: ['H501', 'L219'], areas: null }, null],
  ])('%s', async (_, changed, areas) => {
    const { credentialId } = await bound();
    const { status, body } = await change(service, credentialId, changed);
    expect([status, body.areas]).toEqual([200, areas]);
  });

  it.each([
    ['leaves its areas without their city', { municipalities: ['L219'] }, ['municipalities']],
    ['gives it two cities', { municipalities: ['H501', 'L219'] }, ['municipalities']],
    ['gives it two cities and areas', { municipalities: ['H501', 'L219'], areas: ['P1'] }, ['areas']],
    ['gives it another scope', { scopes: ['report'] }, ['scopes']],
    ['names an unknown area', { areas: ['NONE'] }, ['areas.0']],
    ['names no area', { areas: [] }, ['areas']],
    ['takes it to a city without such an area', { municipalities: ['L219'], areas: ['S1'] }, ['areas.0']],
  ])('is refused where it %s', async (_, changed, paths) => {
    const { credentialId } = await bound();
    const before = await storedRow(credentialId);
    expect(wrongPaths(await change(service, credentialId, changed))).toEqual(paths);
    expect(await storedRow(credentialId)).toEqual(before);
  });

  it('is refused where it binds what has another scope', async () => {
    const { credentialId } = await issue(service, { scopes: ['report'] });
    expect(wrongPaths(await change(service, credentialId, { areas: ['P1'] }))).toEqual(['areas']);
    expect((await change(service, credentialId, { areas: ['P1'], scopes: ['patrol'] })).status).toBe(200);
  });

  it('holds for the next call', async () => {
    const { credentialId, accessToken } = await bound();
    const check = async () =>
      (
        await service.post(
          '/api/v2/parking/check-plate',
          { plate: 'A1', area_code: 'S1' },
          bearer(accessToken),
        )
      ).status;
    expect(await check()).toBe(200);
    await change(service, credentialId, { areas: ['P1'] });
    expect(await check()).toBe(403);
  });

  it('takes the areas from the object, whatever an older row says', async () => {
    const { credentialId } = await bound();
    await env.DB.prepare('update credentials set areas = null, version = 0 where id = ?')
      .bind(credentialId)
      .run();
    const { body } = await change(service, credentialId, { name: 'Gate 3' });
    expect(body.areas).toEqual(['P1', 'S1']);
    expect((await storedRow(credentialId))?.areas).toBe('["P1","S1"]');
  });
});
