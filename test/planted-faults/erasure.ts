import type { Fault } from './fault.ts';

export const ERASURE: readonly Fault[] = [
  {
    breaks: 'An erased plate comes back with the next import',
    file: 'src/admin/plates/erasure-statements.ts',
    find: 'where ${TWO} is not null',
    replacement: 'where false',
    reach: ['test/admin/plates.erasure.test.ts', 'test/admin/erasure.test.ts'],
  },
  {
    breaks: 'The history keeps a plate that was erased',
    file: 'src/admin/plates/erasure-statements.ts',
    find: "json_set(${journal.record}, '$.plate', ${THREE})",
    replacement: '${journal.record}',
    reach: ['test/admin/plates.erasure.test.ts', 'test/admin/erasure.test.ts'],
  },
  {
    breaks: 'A plate that only the history knows is not erased',
    file: 'src/admin/plates/erasure-statements.ts',
    find: '= held.value and ${journal.plate} = ${TWO}',
    replacement: '= held.value and false',
    reach: ['test/admin/plates.erasure.test.ts', 'test/admin/erasure.test.ts'],
  },
  {
    breaks: 'A copy under way keeps a plate that was erased meanwhile',
    file: 'src/admin/plates/erasure-statements.ts',
    find: '${bare(moves.erasures)} = ${moves.erasures} + 1',
    replacement: '${bare(moves.erasures)} = ${moves.erasures}',
    reach: ['test/databases/move-erasure.test.ts'],
  },
  {
    breaks: 'An erasure takes another tenant’s digests',
    file: 'src/admin/plates/erasure-statements.ts',
    find: ' and coalesce(${callLog.tenant}, ${THREE}) = ${THREE}',
    replacement: '',
    reach: ['test/admin/erasure.calls.test.ts'],
  },
  {
    breaks: 'A plate of digits that was sent as a number stays in the call log',
    file: 'src/admin/plates/masked-plate.ts',
    find: 'isJson(text) ? mask(inJson)',
    replacement: 'isJson(text) ? mask(JSON_STRING)',
    reach: ['test/admin/erasure.calls.test.ts'],
  },
  {
    breaks: 'A plate is erased in the first database alone',
    file: 'src/admin/plates/erase-plate.ts',
    find: 'const living = await allSideBySide(databasesOf(env), (',
    replacement: 'const living = await allSideBySide(databasesOf(env).slice(0, 1), (',
    reach: ['test/databases/administration.test.ts'],
  },
  {
    breaks: 'A list does not tell that an anonymized session has left',
    file: 'src/retention/anonymization-statements.ts',
    find: '      leftAreaId: sql`${s.areaId}`,\n',
    replacement: '',
    reach: ['test/retention/anonymization.test.ts'],
  },
];
