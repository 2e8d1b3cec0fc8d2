import type { Fault } from './fault.ts';

export const SQL: readonly Fault[] = [
  {
    breaks: 'A session in another area counts in the area that was asked for',
    file: 'src/entitlement/session-parts.ts',
    find: 'inArea ? sql`and ${of.areaId} = ${a.id}`',
    replacement: 'inArea ? sql`and ${of.areaId} > 0`',
    reach: ['test/plate-check/answers.test.ts'],
  },
  {
    breaks: 'A subscription that is limited to other areas is valid here',
    file: 'src/entitlement/facts-statements.ts',
    find: 'where ${x.subscriptionId} = ${b.id} and ${x.areaId} = ${a.id}',
    replacement: 'where ${x.subscriptionId} = ${b.id}',
    reach: ['test/plate-check/answers.test.ts'],
  },
  {
    breaks: 'A subscription of another municipality counts',
    file: 'src/lookups/plate-subscriptions-table.ts',
    find: 'sql`${l.municipalityId} = ${m.id} and ${l.plate} = ${plate}`',
    replacement: 'sql`${l.municipalityId} > 0 and ${l.plate} = ${plate}`',
    reach: ['test/plate-check/answers.test.ts', 'test/plate-check/refusals.test.ts'],
  },
  {
    breaks: 'A meter offers plans that are not sold on parking meters',
    file: 'src/subscription-options/facts.ts',
    find: ' and ${n.active} and ${n.onParkingMeter}`',
    replacement: ' and ${n.active}`',
    reach: ['test/subscription-options/answers.test.ts'],
  },
  {
    breaks: 'The retention deletes an open session that its source still lets run',
    file: 'src/retention/retention-table.ts',
    find: '< ${before} - ${maxHours} * ${HOUR_MS}`',
    replacement: '< ${before}`',
    reach: ['test/retention/retention.test.ts'],
  },
  {
    breaks: 'The retention deletes a subscription of which a period has not ended',
    file: 'src/retention/retention-table.ts',
    find: '${subscriptionPeriods.endsAt} >= ${before}',
    replacement: '${subscriptionPeriods.endsAt} < ${before}',
    reach: ['test/retention/retention.test.ts'],
  },
  {
    breaks: 'The report counts a session that was cancelled',
    file: 'src/snapshots/municipality-rows-table.ts',
    find: 'and (${s.cancelledAt} is null or ${s.cancelledAt} > ${AT})`',
    replacement: '`',
    reach: ['test/snapshots/municipality-rows.test.ts', 'test/active-by-area/answers.test.ts'],
  },
  {
    breaks: 'What was known then is read from the oldest change instead of the newest',
    file: 'src/evidence/facts-statements.ts',
    find: '\norder by page.sequence`',
    replacement: '\norder by page.sequence desc`',
    reach: ['test/evidence/verdicts.test.ts'],
  },
];
