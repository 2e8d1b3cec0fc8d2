import { HOUR_MS } from '../../src/domain/instant.ts';
import { configurationVersion } from '../support/past.ts';
import { CITY, MONTHLY, type Seed, subscribed } from '../support/seed.ts';
import { PLATE } from './right-answers.ts';

const NOW = Date.now();
const hour = { startsAt: NOW - HOUR_MS, endsAt: NOW + HOUR_MS };
const session = { municipalityId: 1, sourceCode: 'app1', ...hour };

/** A city in which one plate holds all that can be held, and another stands in the street. */
export const ENTITLED_CITY = {
  ...CITY,
  parkingSessions: [
    { ...session, sessionId: 'gate', areaId: 2, plate: PLATE },
    { ...session, sessionId: 'street', areaId: 1, plate: 'STREET' },
  ],
  ...subscribed(PLATE, hour),
  plans: [MONTHLY],
  configurationVersions: [configurationVersion(NOW - 2 * HOUR_MS, { plans: [MONTHLY] })],
} satisfies Seed;
