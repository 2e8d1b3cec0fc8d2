import type { Fault } from './fault.ts';

export const MOVES: readonly Fault[] = [
  {
    breaks: 'A call that was overtaken goes on writing the copy',
    file: 'src/admin/databases/moves-table.ts',
    find: '    prepared(db, requireTurn(municipalityId, turn)),\n',
    replacement: '',
    reach: ['test/databases/move-side-by-side.test.ts'],
  },
  {
    breaks: 'A city’s writes are stopped as often as its move is called',
    file: 'src/admin/databases/switch-table.ts',
    find: '${moves.stops} >= ${literal(MOST_STOPS)}',
    replacement: '${moves.stops} < 0',
    reach: ['test/databases/move-stops.test.ts'],
  },
  {
    breaks: 'A city forgets in which databases it has lived',
    file: 'src/admin/databases/move-parts.ts',
    find: '[...new Set([...row.livedIn, from])]',
    replacement: '[...row.livedIn]',
    reach: ['test/databases/move-evidence.test.ts'],
  },
  {
    breaks: 'The retention deletes from a city that is being copied',
    file: 'src/db/writable.ts',
    find: 'where ${moves.begunAt} > ${DATABASE_CLOCK} - ',
    replacement: 'where ${moves.begunAt} < 0 and 0 < ',
    reach: ['test/databases/move-retention.test.ts'],
  },
  {
    breaks: 'A city leaves its sessions behind in the database that it has left',
    file: 'src/admin/databases/clean-table.ts',
    find: 'where ${parkingSessions.municipalityId} = ${id} limit',
    replacement: 'where ${parkingSessions.municipalityId} = -1 limit',
    reach: ['test/databases/move.test.ts'],
  },
  {
    breaks: 'A city is moved to where it lives',
    file: 'src/admin/databases/move-municipality.ts',
    find: 'if (name === to && move === null) {',
    replacement: 'if (name === code && move === null) {',
    reach: ['test/databases/move.test.ts'],
  },
  {
    breaks: 'A city that its database does not know is one that it has not',
    file: 'src/lookups/located-municipality.ts',
    find: 'if (followed === null) {\n    throw noRow(code, movedTo);',
    replacement: 'if (followed === null) {\n    return located;',
    reach: ['test/databases/routing.test.ts'],
  },
];
