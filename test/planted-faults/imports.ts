import type { Fault } from './fault.ts';

export const IMPORTS: readonly Fault[] = [
  {
    breaks: 'A session replaces a newer revision that another import has stored meanwhile',
    file: 'src/imports/sessions-statements.ts',
    find: 'where ${isNotOlder(sql`excluded.${bare(revision)}`, revision)}',
    replacement: 'where true',
    reach: ['test/imports/crash.test.ts'],
  },
  {
    breaks: 'A key that passes for an erased one is taken',
    file: 'src/imports/stored-batches.ts',
    find: 'isKeyDigest(key) && !erased.stored.has(key)',
    replacement: 'false',
    reach: ['test/imports/forged-keys.test.ts'],
  },
  {
    breaks: 'A line that changes nothing is not counted',
    file: 'src/imports/reconcile.ts',
    find: 'unchanged += lines - creations - updates;',
    replacement: '',
    reach: ['test/imports/reconcile.test.ts'],
  },
  {
    breaks: 'A session that ends before it starts is stored',
    file: 'src/imports/contract.ts',
    find: "laterThan('starts_at'),\n  })\n  .meta({\n    id: 'SessionLine'",
    replacement: "laterThan('starts_at'),\n    when: () => false,\n  })\n  .meta({\n    id: 'SessionLine'",
    reach: ['test/imports/lines.test.ts'],
  },
  {
    breaks: 'A file with a byte order mark loses its first line',
    file: 'src/imports/ndjson.ts',
    find: '? BYTE_ORDER_MARK.length : 0',
    replacement: '? 0 : 0',
    reach: ['test/imports/ndjson.test.ts'],
  },
  {
    breaks: 'A failed import makes its source look fresh',
    file: 'src/imports/freshness-table.ts',
    find: "iif(${OUTCOME} = 'succeeded', ${AT}, null)",
    replacement: '${AT}',
    reach: ['test/imports/freshness.test.ts'],
  },
  {
    breaks: 'An import that ends late sets its source’s last import back',
    file: 'src/imports/freshness-table.ts',
    find: 'iif(${newValue(sourceImports.lastFinishedAt)} >= ${sourceImports.lastFinishedAt}, ${newValue(column)}, ${column})',
    replacement: '${newValue(column)}',
    reach: ['test/imports/freshness.test.ts'],
  },
  {
    breaks: 'The journal does not tell that a corrected session has left a plate',
    file: 'src/imports/sessions-statements.ts',
    find: "where ${WILL_CHANGE} and (not ${leaves} or ${session.plate} <> ${lineValue('plate')})",
    replacement: 'where ${WILL_CHANGE} and not ${leaves}',
    reach: ['test/imports/journal-sessions.test.ts'],
  },
  {
    breaks: 'A credential that is bound to a source imports into another',
    file: 'src/imports/target.ts',
    find: 'return grant.sourceCode === null || grant.sourceCode === code ? code : null;',
    replacement: 'return code;',
    reach: ['test/imports/access.test.ts'],
  },
  {
    breaks: 'A plate of a subscription is valid from its end until its start',
    file: 'src/imports/subscriptions-statements.ts',
    find: 'validFrom, subscriptionPlates.validUntil]',
    replacement: 'validUntil, subscriptionPlates.validFrom]',
    reach: ['test/imports/subscriptions.test.ts'],
  },
];
