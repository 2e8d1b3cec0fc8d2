import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import {
  configurationVersion,
  storeConfiguration,
  storeSession,
  storeSubscription,
} from '../support/past.ts';
import { CITY, FACILITY, STREET, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { at, BEGAN, type Body, CHECK, EVIDENCE, hours, iso, JUDGED, LOOKED } from './support.ts';

/** How the facility was configured at first. */
const OLD = { ...FACILITY, name: 'Vecchio', entryGraceMinutes: 60 };

const title = { number: 'N1', plates: ['REVOKED'], periods: [{ starts_at: BEGAN, ends_at: JUDGED }] };

const service = new Service();
let credential: TestCredential;

const search = (plate: string, body: Body = {}) =>
  at(JUDGED, async () => {
    const question = { plate, at: iso(LOOKED), area_code: 'P1', ...body };
    return (await service.post(EVIDENCE, question, credential.headers)).body;
  });

/** What stands behind the place in the answer of a plate check. */
async function checked(plate: string, now: number, body: Body = {}): Promise<Body> {
  const { body: answer } = await at(now, () =>
    new Service().settle(CHECK, {
      method: 'POST',
      body: { plate, area_code: 'P1', ...body },
      headers: credential.headers,
    }),
  );
  const names = Object.keys(answer);
  return Object.fromEntries(Object.entries(answer).slice(names.indexOf('verification_scope')));
}

beforeAll(async () => {
  await seed({
    ...CITY,
    areas: [STREET, OLD],
  });
  credential = await issueCredential({ historicalDaysAllowed: null });
  await storeConfiguration(configurationVersion(BEGAN, { areas: [STREET, OLD] }));
  await storeSubscription(BEGAN, title);
});

describe('Evidence, as a clerk asks for it', () => {
  it('shows a session that came a minute after the officer', async () => {
    const then = await checked('LATE1', LOOKED);
    await storeSession(LOOKED + MINUTE_MS, {
      session_id: 'late',
      plate: 'LATE1',
      starts_at: LOOKED - 5 * MINUTE_MS,
      ends_at: LOOKED + HOUR_MS,
    });
    const answer = await search('LATE1');
    expect(answer).toMatchObject({
      as_known_then: { has_valid_entitlement: false, access_reason_code: 'NO_VALID_FACILITY_ENTITLEMENT' },
      as_known_now: { has_valid_entitlement: true, access_granted: true },
      differs: true,
      history_count: 1,
      history: [
        {
          recorded_at: '2026-03-07T08:40:00+01:00',
          known_then: false,
          kind: 'parking_session',
          source_code: 'app1',
          key: 'late',
          late_by_seconds: 360,
          record: {
            session_id: 'late',
            plate: 'LATE1',
            area_code: 'P1',
            starts_at: '2026-03-07T08:34:00+01:00',
          },
        },
      ],
      checks_count: 1,
      checks: [
        {
          at: '2026-03-07T08:39:00+01:00',
          operation: 'plate_check',
          credential_id: credential.credentialId,
          outcome: 'NO_VALID_FACILITY_ENTITLEMENT',
        },
      ],
    });
    expect(answer.as_known_then).toEqual(then);
    expect(answer.as_known_now).toEqual(await checked('LATE1', JUDGED, { checked_at: iso(LOOKED) }));
  });

  it('shows a session that was extended', async () => {
    await storeSession(LOOKED - 2 * HOUR_MS, { session_id: 'ext', plate: 'EXT1', ...hours(-2, -1) });
    const then = await checked('EXT1', LOOKED);
    await storeSession(LOOKED + HOUR_MS, { session_id: 'ext', plate: 'EXT1', ...hours(-2, 1) });
    const answer = await search('EXT1');
    expect(answer).toMatchObject({
      as_known_then: { access_reason_code: 'SESSION_EXPIRED' },
      as_known_now: { access_granted: true },
      history_count: 2,
      history: [
        { known_then: true, late_by_seconds: 0 },
        { known_then: false, late_by_seconds: null },
      ],
    });
    expect(answer.as_known_then).toEqual(then);
  });

  it('shows a plate that was corrected by a digit, on both plates', async () => {
    await storeSession(LOOKED - HOUR_MS, { session_id: 'typo', plate: 'TYPO8', ...hours(-1, 1) });
    await storeSession(LOOKED + 3 * DAY_MS, { session_id: 'typo', plate: 'TYPOB', ...hours(-1, 1) });
    expect(await search('TYPOB')).toMatchObject({
      as_known_then: { access_granted: false },
      as_known_now: { access_granted: true },
      history: [{ record: { plate: 'TYPOB' }, known_then: false, late_by_seconds: null, replaced_at: null }],
    });
    const left = await search('TYPO8');
    expect(left).toMatchObject({
      as_known_then: { access_granted: true },
      as_known_now: { access_granted: false },
      history_count: 1,
      history: [{ record: { plate: 'TYPO8' }, known_then: true, replaced_at: '2026-03-10T08:39:00+01:00' }],
    });
    expect(JSON.stringify(left)).not.toContain('TYPOB');
  });

  it('shows a subscription that was revoked afterwards, for the time before', async () => {
    await storeSubscription(LOOKED + DAY_MS, { ...title, revokedAt: LOOKED - HOUR_MS });
    expect(await search('REVOKED')).toMatchObject({
      as_known_then: { has_valid_subscription: true, subscriptions: [{ reason_code: 'VALID_SUBSCRIPTION' }] },
      as_known_now: {
        has_valid_subscription: false,
        subscriptions: [{ reason_code: 'SUBSCRIPTION_REVOKED' }],
      },
      differs: true,
      history_count: 2,
      history: [
        {
          kind: 'subscription',
          source_code: null,
          key: 'N1',
          late_by_seconds: null,
          record: { plates: [{ plate: 'REVOKED' }] },
        },
        { record: { revoked_at: iso(LOOKED - HOUR_MS).replace('06:39:00.000Z', '07:39:00+01:00') } },
      ],
    });
  });

  it('judges by the tolerance of then, and names the area as it was called then', async () => {
    const { name, entryGraceMinutes } = FACILITY;
    await env.DB.prepare('update areas set name = ?1, entry_grace_minutes = ?2 where id = 2')
      .bind(name, entryGraceMinutes)
      .run();
    await storeConfiguration(configurationVersion(LOOKED + MINUTE_MS));
    await storeSession(LOOKED - HOUR_MS, { session_id: 'early', plate: 'EARLY1', ...hours(0.5, 1) });
    const answer = await search('EARLY1', { event: 'entry' });
    expect(answer).toMatchObject({
      area: { code: 'P1', name: 'Parcheggio Centro' },
      as_known_then: {
        access_granted: true,
        access_control: { entry_grace_minutes: 60 },
        sessions: [{ area: { name: 'Vecchio' } }],
      },
      as_known_now: {
        access_granted: false,
        access_reason_code: 'SESSION_NOT_STARTED',
        sessions: [{ area: { name: 'Parcheggio Centro' } }],
      },
      differs: true,
    });
  });
});
