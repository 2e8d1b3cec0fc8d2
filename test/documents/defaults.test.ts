import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { retentionDays } from '../../src/base/platform/retention-days.ts';
import { AREA, MUNICIPALITY, SOURCE } from '../../src/office/configuration/kinds.ts';
import { DOCUMENTS } from './page-tables.ts';

const { sessions, subscriptions } = retentionDays(env);
const { openSessionMaxHours, staleAfterMinutes } = SOURCE.defaults;
const { offlineMinutes, entryGraceMinutes, exitGraceMinutes, subscriptionAccess } = AREA.defaults;
const { observationMinutes, overstayMinutes } = MUNICIPALITY.defaults;

it.each([
  ['README', `${sessions} days for sessions and ${subscriptions.toLocaleString('en')} for subscriptions`],
  ['plate-check', `operator keeps sessions for ${sessions} days`],
  ['plate-check', `until ${openSessionMaxHours} hours after its start`],
  ['plate-check', `0 to 1,440 minutes, ${entryGraceMinutes} unless set`],
  ['plate-check', `0 to 1,440 minutes, ${exitGraceMinutes} unless set`],
  ['plate-check', `\`subscription_access\` is on (${subscriptionAccess ? 'on' : 'off'} unless set)`],
  ['active-by-area', `\`stale_after_minutes\` is ${staleAfterMinutes} unless`],
  ['entitlement-list', `its start and ${openSessionMaxHours} hours`],
  ['entitlement-list', `\`offline_minutes\`: ${offlineMinutes} unless set`],
  ['patrol', `Both are ${observationMinutes} unless set`],
  ['patrol', `Both are ${overstayMinutes} unless set`],
])('docs/interface/%s.md names a default as it is: %s', (name, words) => {
  expect(DOCUMENTS.get(`interface/${name}.md`)?.replaceAll(/\s+/g, ' ')).toContain(words);
});
