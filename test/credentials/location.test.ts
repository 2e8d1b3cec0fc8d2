import { beforeAll, describe, expect, it } from 'vitest';
import { objectsDouble } from '../support/doubles.ts';
import { seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';
import {
  CITIES,
  CREDENTIALS,
  change,
  issue,
  list,
  listed,
  outcomeOf,
  REQUEST,
  shown,
  wrongPaths,
} from './support.ts';

const service = new Service();

beforeAll(() => seed(CITIES));

/** A service that tells with which location hint it has asked for objects. */
function watched() {
  const hints: (string | undefined)[] = [];
  const CREDENTIALS = objectsDouble((run, options) => {
    hints.push(options?.locationHint);
    return run();
  });
  return { hints, service: new Service({ CREDENTIALS }) };
}

describe('The location of a credential', () => {
  it('is where its object is asked to live from its first call on', async () => {
    const location = 'weur';
    const { hints, service } = watched();
    const { body, credentialId, accessToken } = await issue(service, { location });
    expect(new Set(hints)).toEqual(new Set([location]));
    expect(body.location).toBe(location);
    expect(await shown(service, credentialId)).toMatchObject({ location });
    expect(await outcomeOf(service, accessToken)).toBe('200');
  });

  it.each([[{}], [{ location: null }]])('is none for %j', async (sent) => {
    const { hints, service } = watched();
    expect((await issue(service, sent)).body.location).toBeNull();
    expect(new Set(hints)).toEqual(new Set([undefined]));
  });

  it.each(['', 'WEUR', 'eu', ['weur']])('cannot be %j', async (location) => {
    expect(wrongPaths(await service.post(CREDENTIALS, { ...REQUEST, location }, ADMIN))).toEqual([
      'location',
    ]);
  });

  it('never changes, and stays through every other change', async () => {
    const { credentialId } = await issue(service, { location: 'weur' });
    for (const location of ['eeur', 'weur', null]) {
      expect(wrongPaths(await change(service, credentialId, { location }))).toEqual(['location']);
    }
    const { hints, service: other } = watched();
    expect((await change(other, credentialId, { name: 'Gate 2' })).body).toMatchObject({
      name: 'Gate 2',
      location: 'weur',
    });
    // It is read first, by its id alone; it lives already.
    expect(hints).toEqual([undefined, 'weur']);
    expect(listed(await list(service, '?limit=200'), 'location')).toContain('weur');
  });
});
