import { env } from 'cloudflare:workers';

/**
 * Tables of the configuration: cities, areas and plans are few, and may be read whole. `restores` has one row for a city
 * that was restored, and `d1_migrations` one for each migration.
 * Every other table grows.
 */
const SMALL = [
  'restores',
  'tenants',
  'municipalities',
  'areas',
  'sources',
  'subscription_types',
  'plans',
  'd1_migrations',
  'sqlite_sequence',
];

/** Of these, few belong to a city: to read a city's is not a scan. */
const FEW_IN_A_CITY = ['erased_plates'];

/** How many statements are explained in one call. */
const AT_ONCE = 20;

const OPENS = /^Open(Read|Write)$/;

interface Instruction {
  readonly addr: number;
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
  readonly p4: string | null;
}

/** A table's own tree, or one of its indexes. */
interface BTree {
  readonly table: string;
  readonly rootpage: number;
  /** Of an index. */
  readonly firstColumn: string | null;
}

/**
 * Finds what the statements of the service read whole. It reads SQLite's own programs rather than the outline of
 * `explain query plan`: they name tables where the outline has aliases, and hold what triggers and foreign keys do as
 * well.
 */
export async function scansFinder() {
  const { results } = await env.DB.prepare(
    `select tbl_name as "table", rootpage,
       (select i.name from pragma_index_info(s.name) as i where i.seqno = 0) as firstColumn
     from sqlite_schema as s where rootpage > 0 and tbl_name not glob '_cf_*'`,
  ).all<BTree>();
  const trees = new Map(
    results.filter(({ table }) => !SMALL.includes(table)).map((tree) => [tree.rootpage, tree]),
  );

  /**
   * The growing tables of which each statement reads all, or all of a city: of the only one, that is all as well.
   */
  return async (statements: readonly string[]): Promise<string[][]> =>
    (await explainedAll(statements)).map(scannedBy);

  function scannedBy(listing: readonly Instruction[]): string[] {
    const scanned = programsOf(listing).flatMap((program) => {
      const opened = new Map(
        program.filter(({ opcode }) => OPENS.test(opcode)).map(({ p1, p2 }) => [p1, trees.get(p2)]),
      );
      return program
        .filter((loop) => !isForViolations(loop, program))
        .flatMap((loop) => {
          const tree = opened.get(loop.p1);
          const isScan =
            tree &&
            !readsOneRow(loop, program) &&
            (readsAll(loop, program) || (isOfCities(tree) && readsOnePrefix(loop, program)));
          return isScan ? [tree.table] : [];
        });
    });
    return [...new Set(scanned)];
  }
}

const isOfCities = ({ table, firstColumn }: BTree): boolean =>
  firstColumn === 'municipality_id' && !FEW_IN_A_CITY.includes(table);

/** A range of an index that has an upper bound alone begins at the index's first entry too, and leaves at the bound. */
const readsAll = (loop: Instruction, program: readonly Instruction[]): boolean =>
  /^(Rewind|Last)$/.test(loop.opcode) && endOf(loop, program) === undefined;

/** `max` of a column that the index has in order leaves with the first row: no way leads to the next one. */
function readsOneRow(loop: Instruction, program: readonly Instruction[]): boolean {
  const { next, body } = partsOf(loop, program);
  const leaves = body.at(-1);
  return (
    next !== undefined &&
    leaves?.opcode === 'Goto' &&
    leaves.p2 > next.addr &&
    body.every(({ p2 }) => p2 !== next.addr)
  );
}

/** Where a loop goes on to the next row, and what it does with one. */
function partsOf({ addr, p1 }: Instruction, program: readonly Instruction[]) {
  const next = program.find(
    (one) => /^(Next|Prev)$/.test(one.opcode) && one.p1 === p1 && one.p2 === addr + 1,
  );
  return { next, body: program.filter((one) => next && one.addr > addr && one.addr < next.addr) };
}

/** It begins and ends by the index's first column alone. */
const readsOnePrefix = (loop: Instruction, program: readonly Instruction[]): boolean =>
  /^Seek[GL][ET]$/.test(loop.opcode) && loop.p4 === '1' && endOf(loop, program)?.p4 === '1';

const endOf = (loop: Instruction, program: readonly Instruction[]): Instruction | undefined =>
  program.find(({ opcode, p1, p2 }) => /^Idx[GL][ET]$/.test(opcode) && p1 === loop.p1 && p2 === loop.p2);

/** A statement's own program, and those of triggers and foreign keys behind it: each numbers its cursors from one. */
function programsOf(listing: readonly Instruction[]): Instruction[][] {
  const starts = listing.flatMap(({ opcode }, index) => (opcode === 'Init' ? [index] : []));
  return starts.map((start, nth) => listing.slice(start, starts[nth + 1]));
}

/** A new parent row is looked for in its children only where the statement has broken a foreign key before. */
const isForViolations = ({ addr }: Instruction, program: readonly Instruction[]): boolean =>
  program.some(({ opcode, addr: from, p2: to }) => opcode === 'FkIfZero' && from < addr && addr < to);

async function explainedAll(statements: readonly string[]): Promise<Instruction[][]> {
  const listings: Instruction[][] = [];
  for (let from = 0; from < statements.length; from += AT_ONCE) {
    const results = await env.DB.batch<Instruction>(
      statements
        .slice(from, from + AT_ONCE)
        .map((sql) =>
          env.DB.prepare(`explain ${sql}`).bind(...Array.from({ length: parametersOf(sql) }, () => null)),
        ),
    );
    listings.push(...results.map((result) => result.results));
  }
  return listings;
}

/** How many parameters a statement takes: numbered ones, or each of its own. */
function parametersOf(sql: string): number {
  const marks = [...sql.matchAll(/\?(\d*)/g)].map(([, number]) => Number(number));
  return Math.max(marks.length > 0 && marks.every((number) => number === 0) ? marks.length : 0, ...marks);
}
