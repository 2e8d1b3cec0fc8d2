import { describe, expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { FACILITY, STREET } from '../support/seed.ts';
import { ADMIN, bearer } from '../support/service.ts';
import { CITIES, CREDENTIALS, change, issue, REQUEST, shown, storedRow, wrongPaths } from './support.ts';

const many = (count: number) => Array.from({ length: count }, (_, index) => `A${index}`);
const { service } = new City({
  ...CITIES,
  areas: [
    ...CITIES.areas,
    { ...STREET, id: 10, code: 'OLD', active: false },
    { ...FACILITY, id: 11, municipalityId: 2, code: 'P1' },
    ...many(200).map((code, index) => ({ ...STREET, id: 100 + index, code })),
  ],
});
const send = (changed: object) => service.post(CREDENTIALS, { ...REQUEST, ...changed }, ADMIN);

describe('A credential is bound to areas', () => {
  it.each<[string, string[], string[]?]>([
    ['one', ['P1']],
    ['an inactive one too', ['OLD', 'P1']],
    ['200', many(200)],
    ['with all three scopes that are about one area', ['P1'], ['plate_check', 'entitlement_list', 'patrol']],
  ])('when it is issued: %s', async (_, areas, scopes = ['plate_check']) => {
    const { status, body } = await send({ areas, scopes });
    expect([status, body.areas]).toEqual([201, areas.toSorted()]);
    expect((await shown(service, String(body.credential_id)))?.areas).toEqual(areas.toSorted());
    const own = await service.call('/api/v2/credential', { headers: bearer(String(body.access_token)) });
    expect(own.body.credential).toMatchObject({ areas: areas.toSorted() });
  });

  const REFUSED: readonly [string, object, string[]][] = [
    ['none at all', { areas: [] }, ['areas']],
    ['201', { areas: [...many(200), 'P1'] }, ['areas']],
    ['one twice', { areas: ['P1', 'S1', 'P1'] }, ['areas']],
    ['a blank one', { areas: [' '] }, ['areas.0']],
    ['an unknown one', { areas: ['P1', 'NONE'] }, ['areas.1']],
    ['one in another case', { areas: ['p1'] }, ['areas.0']],
    ['with several municipalities', { areas: ['P1'], municipalities: ['H501', 'L219'] }, ['areas']],
    ['with a city that has no such area', { areas: ['S1'], municipalities: ['L219'] }, ['areas.0']],
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
});

describe('A change of a credential that is bound to areas', () => {
  const bound = () => issue(service, { areas: ['P1', 'S1'] });

  it.each([
    ['binds it to other areas', { areas: ['OLD'] }, ['OLD']],
    ['frees it', { areas: null }, null],
    ['leaves its areas as they are', { name: 'Gate 2' }, ['P1', 'S1']],
    ['that names its city again does too', { municipalities: ['H501'] }, ['P1', 'S1']],
    ['takes it to another city with areas of that', { municipalities: ['L219'], areas: ['P1'] }, ['P1']],
    ['takes it to two cities, unbound', { municipalities: ['H501', 'L219'], areas: null }, null],
  ])('%s', async (_, changed, areas) => {
    const { status, body } = await change(service, (await bound()).credentialId, changed);
    expect([status, body.areas]).toEqual([200, areas]);
  });

  it.each([
    ['leaves its areas without their city', { municipalities: ['L219'] }, ['municipalities']],
    ['gives it two cities', { municipalities: ['H501', 'L219'] }, ['municipalities']],
    ['gives it two cities and areas', { municipalities: ['H501', 'L219'], areas: ['P1'] }, ['areas']],
    ['gives it another scope', { scopes: ['report'] }, ['scopes']],
    ['names an unknown area', { areas: ['NONE'] }, ['areas.0']],
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
});
