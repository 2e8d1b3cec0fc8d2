import type { Fault } from './fault.ts';

export const MOVES: readonly Fault[] = [
  {
    breaks: 'An import writes into the copy that a city has left',
    file: 'src/db/writable.ts',
    find: 'where ${w.id} = ${id} and ${isWritable(w)})`',
    replacement: 'where ${w.id} = ${id})`',
    reach: ['test/databases/move.test.ts'],
  },
  {
    breaks: 'A call that was overtaken goes on writing the copy',
    file: 'src/admin/databases/moves-table.ts',
    find: '    prepared(db, requireTurn(municipalityId, turn)),\n',
    replacement: '',
    reach: ['test/databases/move-side-by-side.test.ts'],
  },
  {
    breaks: 'Who follows a city to another database reads that of another tenant',
    file: 'src/lookups/located-municipality.ts',
    find: 'municipality.tenantId !== tenantId',
    replacement: 'municipality.tenantId === -1',
    reach: ['test/databases/hints.test.ts', 'test/side-by-side/grant.test.ts'],
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
    find: 'and ${moves.begunAt} > ${DATABASE_CLOCK} - ',
    replacement: 'and ${moves.begunAt} < 0 and 0 < ',
    reach: ['test/databases/move-retention.test.ts'],
  },
  {
    breaks: 'A city is sent somewhere else in the middle of its move',
    file: 'src/admin/databases/move-municipality.ts',
    find: "(move?.state === 'moving' && move.toDatabase !== to)",
    replacement: "(move?.state === 'moving' && to === code)",
    reach: ['test/databases/move.test.ts'],
  },
  {
    breaks: 'A city leaves its sessions behind in the database that it has left',
    file: 'src/admin/databases/clean-table.ts',
    find: 'where ${parkingSessions.municipalityId} = ${id} limit',
    replacement: 'where ${parkingSessions.municipalityId} = -1 limit',
    reach: ['test/databases/move.test.ts'],
  },
];
