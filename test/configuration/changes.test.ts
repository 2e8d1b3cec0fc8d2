import { beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase } from '../support/fresh-database.ts';
import { ADMIN, Service } from '../support/service.ts';
import {
  CITY,
  configurationOf,
  get,
  inRome,
  issuePathsOf,
  mustPut,
  overtaken,
  PATH,
  put,
} from './support.ts';

beforeEach(async () => {
  await freshDatabase({});
  await mustPut(CITY);
});

const putWith = (query: string, document: object, service = new Service()) =>
  service.call(`${PATH}?${query}`, { method: 'PUT', body: document, headers: ADMIN });
const versionOf = async () => encodeURIComponent(String((await get('H501')).body.version));

describe('The changes of a document', () => {
  it('are each property that changes, and each item that is created', async () => {
    const { body } = await put({
      tenants: [{ code: 'acme', name: 'Acme 2' }],
      municipalities: [
        {
          code: 'H501',
          services: { report: false },
          areas: [
            { code: 'P1', capacity: 1, paid_hours: [], facility: { exit_grace_minutes: 1 } },
            { code: 'N', name: 'New', area_type: 'street' },
          ],
          plans: [{ codice_tariffa: '101', operations: ['renewal'] }],
        },
      ],
    });
    const [centro] = CITY.municipalities[0]?.areas ?? [];
    expect(body.changes).toEqual([
      { path: 'tenants.0', property: 'name', from: 'Acme Parking', to: 'Acme 2' },
      { path: 'municipalities.0', property: 'services.report', from: true, to: false },
      { path: 'municipalities.0.areas.0', property: 'capacity', from: 300, to: 1 },
      { path: 'municipalities.0.areas.0', property: 'paid_hours', from: centro?.paid_hours, to: [] },
      { path: 'municipalities.0.areas.0', property: 'facility.exit_grace_minutes', from: 15, to: 1 },
      {
        path: 'municipalities.0.areas.1',
        property: null,
        from: null,
        to: expect.objectContaining({ code: 'N', name: 'New', area_type: 'street', capacity: null }),
      },
      {
        path: 'municipalities.0.plans.0',
        property: 'operations',
        from: ['first_activation', 'renewal'],
        to: ['renewal'],
      },
    ]);
    expect((body.changes as { to: object }[])[5]?.to).not.toHaveProperty('facility');
  });

  it('of a street that becomes a facility have its settings', async () => {
    const { body } = await put(inRome({ areas: [{ code: 'S1', area_type: 'facility' }] }));
    const settings = { path: 'municipalities.0.areas.0', property: 'facility.service_enabled' };
    expect(body.changes).toContainEqual({ ...settings, from: null, to: true });
  });

  it('have instants with the offset of the municipality, as its configuration has them', async () => {
    const closed = (closed_until: string) => put(inRome({ areas: [{ code: 'P1', closed_until }] }));
    const property = { path: 'municipalities.0.areas.0', property: 'closed_until' };
    const [winter, summer] = ['2026-12-27T06:00:00+01:00', '2027-07-01T06:00:00+02:00'];
    expect((await closed(winter)).body.changes).toEqual([{ ...property, from: null, to: winter }]);
    expect((await closed(summer)).body.changes).toEqual([{ ...property, from: winter, to: summer }]);
  });

  it('are answered and not made in a dry run', async () => {
    const document = inRome({
      name: 'Roma Capitale',
      areas: [{ code: 'N', name: 'N', area_type: 'street' }],
    });
    const dry = await putWith('dry_run=true', document);
    expect(dry.status).toBe(200);
    expect(await configurationOf('H501')).toEqual(CITY);
    const made = await put(document);
    expect({ ...dry.body, request_id: '' }).toEqual({ ...made.body, request_id: '' });
  });
});

describe('The version of a document', () => {
  it('must still be the newest', async () => {
    const version = await versionOf();
    expect((await putWith(`version=${version}`, inRome({ name: 'One' }))).status).toBe(200);
    const { status, body } = await putWith(`version=${version}`, inRome({ name: 'Two' }));
    expect([status, body.error]).toMatchObject([409, { code: 'CONFIGURATION_CONFLICT' }]);
    expect((await putWith(`version=${await versionOf()}`, inRome({ name: 'Two' }))).status).toBe(200);
  });

  it('is lost to a document that is put at the same time', async () => {
    const other = overtaken(() => mustPut(inRome({ areas: [{ code: 'S1', capacity: 9 }] })));
    const document = inRome({ areas: [{ code: 'S1', capacity: 8 }] });
    const { status } = await putWith(`version=${await versionOf()}`, document, other);
    expect(status).toBe(409);
    const [, street] = (await configurationOf('H501')).municipalities[0]?.areas ?? [];
    expect(street).toMatchObject({ code: 'S1', capacity: 9 });
  });

  it.each([
    ['several municipalities', { municipalities: [{ code: 'H501' }, { code: 'L219' }] }],
    ['none', { tenants: [{ code: 'acme' }] }],
  ])('is refused for a document of %s', async (_, document) => {
    expect(issuePathsOf(await putWith(`version=${await versionOf()}`, document))).toEqual(['version']);
  });
});
