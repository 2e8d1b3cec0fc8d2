import { env } from 'cloudflare:workers';

/** Tables of the configuration: cities, areas and plans are few, and may be read whole. Every other table grows. */
const SMALL = [
  'tenants',
  'municipalities',
  'areas',
  'sources',
  'source_imports',
  'subscription_types',
  'plans',
];

interface Instruction {
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
}

/**
 * Finds what the statements of the service read whole. It reads SQLite's own programs rather than the outline of
 * `explain query plan`: they name tables where the outline has aliases, and hold what triggers and foreign keys do as
 * well.
 */
export async function scansFinder() {
  const { results } = await env.DB.prepare(
    `select name, tbl_name, rootpage from sqlite_schema where rootpage > 0 and tbl_name not glob '_cf_*'`,
  ).all<{ name: string; tbl_name: string; rootpage: number }>();
  const tables = new Map(results.map(({ rootpage, tbl_name }) => [rootpage, tbl_name]));
  const tablesOfIndexes = new Map(results.map(({ name, tbl_name }) => [name, tbl_name]));
  const grows = (table: string | undefined): table is string => table !== undefined && !SMALL.includes(table);

  /** The growing tables that a statement reads from end to end, through an index or not. */
  async function scansOf(sql: string): Promise<string[]> {
    const program = await explained<Instruction>('explain', sql);
    const opened = new Map<number, string | undefined>();
    const scanned = new Set<string>();
    for (const { opcode, p1, p2 } of program) {
      if (opcode === 'Init') {
        // The statement's own program, or a trigger's: each counts its cursors anew.
        opened.clear();
      } else if (opcode.startsWith('Open')) {
        opened.set(p1, /^Open(Read|Write)$/.test(opcode) ? tables.get(p2) : undefined);
      } else if (opcode === 'Rewind' || opcode === 'Last') {
        const table = opened.get(p1);
        if (grows(table)) scanned.add(table);
      }
    }
    return [...scanned];
  }

  /** The growing tables of which a statement reads all that a municipality has: of the only one, that is all. */
  async function wholeCitiesOf(sql: string): Promise<string[]> {
    const plan = await explained<{ detail: string }>('explain query plan', sql);
    return plan.flatMap(({ detail }) => {
      const [, index = ''] = /USING (?:COVERING )?INDEX (\S+) \(municipality_id=\?\)$/.exec(detail) ?? [];
      const table = tablesOfIndexes.get(index);
      return grows(table) ? [table] : [];
    });
  }

  return async (sql: string) => [...(await scansOf(sql)), ...(await wholeCitiesOf(sql))];
}

async function explained<Row>(how: 'explain' | 'explain query plan', sql: string): Promise<Row[]> {
  const values = Array.from({ length: parametersOf(sql) }, () => null);
  const { results } = await env.DB.prepare(`${how} ${sql}`)
    .bind(...values)
    .all<Row>();
  return results;
}

/** How many parameters a statement takes: numbered ones, or each of its own. */
function parametersOf(sql: string): number {
  const marks = [...sql.matchAll(/\?(\d*)/g)].map(([, number]) => Number(number));
  return Math.max(marks.length > 0 && marks.every((number) => number === 0) ? marks.length : 0, ...marks);
}
