import type { Fault } from './fault.ts';

export const ERASURE: readonly Fault[] = [
  {
    breaks: 'An erased plate comes back with the next import',
    file: 'src/storage/stored-plates/subjects-statements.ts',
    find: 'from ${each(subjects)} where ${IS_GUARDED}',
    replacement: 'from ${each(subjects)} where not ${IS_GUARDED}',
    reach: ['test/erasure/answers.test.ts', 'test/erasure/interrupted.test.ts'],
  },
  {
    breaks: 'The history keeps a plate that was erased',
    file: 'src/storage/db/stored-table.ts',
    find: ' = found.pseudonym\n',
    replacement: ' = ${stored.goesWith === undefined ? sql`found.pseudonym` : sql`${column}`}\n',
    reach: ['test/erasure/answers.test.ts', 'test/erasure/interrupted.test.ts'],
  },
  {
    breaks: 'The sessions of an erased person can be joined',
    file: 'src/storage/plate-digest/erased-plate.ts',
    find: "'pseudonym', municipalityId, kind, sourceCode, name]",
    replacement: "'pseudonym', municipalityId, kind, sourceCode]",
    reach: ['test/erasure/pseudonyms.test.ts'],
  },
  {
    breaks: 'A plate that only the history knows is not erased',
    file: 'src/storage/stored-plates/subjects-statements.ts',
    find: 'on (${list(keyOf(table))}) = (${key})`',
    replacement: 'on (${list(keyOf(table))}) = (${stored.pastOf ? sql`null` : key})`',
    reach: ['test/erasure/answers.test.ts', 'test/erasure/interrupted.test.ts'],
  },
  {
    breaks: 'A copy under way keeps a plate that was erased meanwhile',
    file: 'src/storage/stored-plates/subjects-statements.ts',
    find: '${bare(moves.erasures)} = ${moves.erasures} + 1',
    replacement: '${bare(moves.erasures)} = ${moves.erasures}',
    reach: ['test/moves/erasure.test.ts', 'test/moves/erasure-cut-off.test.ts'],
  },
  {
    breaks: 'An erasure takes another tenant’s digests',
    file: 'src/office/erasure/erasure-statements.ts',
    find: "where ${calls.plateDigest} in (select ${digestBytes(sql.raw('value'))} from json_each(${ONE}))\n    and coalesce(${calls.tenant}, ${THREE}) = ${THREE}",
    replacement:
      "where ${calls.plateDigest} in (select ${digestBytes(sql.raw('value'))} from json_each(${ONE}))",
    reach: ['test/erasure/calls.test.ts'],
  },
  {
    breaks: 'A plate of digits that was sent as a number stays in the call log',
    file: 'src/office/erasure/masked-plate.ts',
    find: 'isJson(text) ? mask(inJson)',
    replacement: 'isJson(text) ? mask(JSON_STRING)',
    reach: ['test/erasure/calls.test.ts'],
  },
  {
    breaks: 'A plate is erased in the first database alone',
    file: 'src/office/erasure/erase-plate.ts',
    find: 'eraseRowsEverywhere(databasesOf(env), erasure, now)',
    replacement: 'eraseRowsEverywhere(databasesOf(env).slice(0, 1), erasure, now)',
    reach: ['test/moves/erasure.test.ts'],
  },
  {
    breaks: 'An erasure is refused after it has erased the plate from another city',
    file: 'src/office/erasure/erase-plate.ts',
    find: 'if (holder.municipalities.some(({ id }) => stopped.has(id)))',
    replacement: 'if (holder.municipalities.some(({ id }) => stopped.has(-id)))',
    reach: ['test/moves/erasure.test.ts'],
  },
  {
    breaks: 'A table of its own keeps a plate that is to be anonymized',
    file: 'src/upkeep/retention/anonymization-statements.ts',
    find: 'if (plate?.overIndex === undefined || over === undefined)',
    replacement: 'if (plate !== null || over === undefined)',
    reach: ['test/moves/stored-tables.test.ts'],
  },
  {
    breaks: 'A list from before an anonymization goes on, though nothing tells it what has left',
    file: 'src/upkeep/retention/anonymization-statements.ts',
    find: 'max(${municipalities.pastSince},\n  (select max(found.recorded_at)',
    replacement: 'max(${municipalities.pastSince},\n  (select min(0)',
    reach: ['test/retention/anonymization.test.ts'],
  },
  {
    breaks: 'A list from before an erasure goes on, though nothing tells it what has left',
    file: 'src/storage/stored-plates/subjects-statements.ts',
    find: 'set ${bare(municipalities.pastSince)} = ${lastRecordedAt',
    replacement: 'set ${bare(municipalities.pastSince)} = 0 * ${lastRecordedAt',
    reach: ['test/erasure/answers.test.ts'],
  },
];
