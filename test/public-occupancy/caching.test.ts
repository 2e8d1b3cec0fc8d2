import { beforeAll, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { countedBindings } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import {
  beginAfterTheRun,
  FEATURES,
  LIST,
  minuteRuns,
  NEIGHBOUR,
  NOW,
  OCCUPANCY,
  PUBLICATION,
  seedCities,
} from './city.ts';

beforeAll(seedCities);
beginAfterTheRun();

const get = (path: string, headers = {}, service = new Service()) => service.call(path, { headers });
const tagOf = async (path: string, headers = {}) => (await get(path, headers)).headers.get('ETag') ?? '';

describe.each([LIST, OCCUPANCY, FEATURES, PUBLICATION])('The answer of %s', (path) => {
  it('may be kept for half a minute, by language, with a weak tag that is the same in every isolate', async () => {
    const [{ headers }, again] = [await get(path), await get(path)];
    expect(headers.get('Cache-Control')).toBe('public, max-age=30');
    expect(headers.get('Vary')).toBe('Accept-Language');
    expect(headers.get('ETag')).toMatch(/^W\/"[0-9a-f]{32}"$/);
    expect(again.headers.get('ETag')).toBe(headers.get('ETag'));
    expect(again.headers.get('X-Request-Id')).not.toBe(headers.get('X-Request-Id'));
  });

  it('is a 304 for whoever has it, and whole for whoever has another', async () => {
    const etag = await tagOf(path);
    for (const named of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const { status, headers, body } = await get(path, { 'If-None-Match': named });
      expect([status, body, headers.get('ETag')], named).toEqual([304, null, etag]);
      expect(headers.get('Cache-Control')).toBe('public, max-age=30');
      expect(headers.get('Vary')).toBe('Accept-Language');
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    }
    expect((await get(path, { 'If-None-Match': '"0123"' })).status).toBe(200);
  });

  it('can be read by a page of any origin, preflight included', async () => {
    const origin = { Origin: 'https://a.test' };
    const preflight = await new Service().call(path, {
      method: 'OPTIONS',
      headers: { ...origin, 'Access-Control-Request-Method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toBe('GET');
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('If-None-Match');
    expect(preflight.headers.get('Access-Control-Allow-Headers')).not.toContain('Authorization');
    const { headers } = await get(path, origin);
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Access-Control-Expose-Headers')).toBe('X-Request-Id,ETag,Retry-After');
    expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
  });
});

describe('The tag', () => {
  it('is another with the next minute, since the instant is part of the content', async () => {
    const before = [await tagOf(OCCUPANCY), await tagOf(PUBLICATION)];
    vi.setSystemTime(NOW + MINUTE_MS);
    await minuteRuns();
    const after = [await tagOf(OCCUPANCY), await tagOf(PUBLICATION)];
    expect(new Set([...before, ...after]).size).toBe(4);
  });

  it('is another for other areas, and for DATEX II in another language', async () => {
    expect(await tagOf(`${OCCUPANCY}?area_type=street`)).not.toBe(await tagOf(OCCUPANCY));
    expect(await tagOf(PUBLICATION, { 'Accept-Language': 'it' })).not.toBe(await tagOf(PUBLICATION));
  });
});

describe('Readers', () => {
  const calls = async (paths: readonly string[]) => {
    const { cost, bindings } = countedBindings();
    const service = new Service(bindings);
    for (const path of paths) await service.settle(path);
    return cost;
  };

  it.each([
    ['a known code', [OCCUPANCY], 2],
    ['DATEX II', [PUBLICATION], 2],
    ['the list', [LIST], 1],
    ['an unknown code', [`${LIST}/NONE/occupancy`], 1],
    ['a code that is not public', [`${LIST}/PRIVATE/occupancy`], 1],
    ['what is wrong with its fields', [`${OCCUPANCY}?area_type=park`], 0],
  ])('of %s cost KV reads alone', async (_, paths, kvCalls) => {
    expect(await calls(paths)).toEqual({ roundTrips: 0, rowsRead: 0, objectCalls: 0, kvCalls });
  });

  it('share the directory and the snapshots that the isolate has read a moment ago', async () => {
    expect((await calls([OCCUPANCY, OCCUPANCY, `${LIST}/${NEIGHBOUR}/occupancy`])).kvCalls).toBe(3);
  });
});
