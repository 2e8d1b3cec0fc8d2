import type { Child } from 'hono/jsx';

/** A column: its title, what a row shows in it, and whether that is a number. */
export type Column<Row> = readonly [head: string, cell: (row: Row) => Child, kind?: 'number'];

interface DataTableProps<Row> {
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

/** A titled table whose first column names the row. On a phone its rows are cards: the roles keep them a table. */
export function DataTable<Row>({ title, columns, rows }: DataTableProps<Row>) {
  return (
    <>
      <h3>{title}</h3>
      <section class="scroll" tabindex={0} aria-label={title}>
        {/* biome-ignore-start lint/a11y/noRedundantRoles: the cards of a phone take the table's own roles away */}
        <table class="data" role="table">
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(([head, , kind]) => (
                <th key={head} scope="col" role="columnheader" class={kind}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row, line) => (
              <tr key={line} role="row">
                {columns.map(([head, cell, kind], index) =>
                  index === 0 ? (
                    <th key={head} scope="row" role="rowheader">
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={head} role="cell" class={kind} data-label={head}>
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {/* biome-ignore-end lint/a11y/noRedundantRoles: as above */}
      </section>
    </>
  );
}

/** Facts, each with its name. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [name: string, value: Child])[] }) => (
  <dl class="held">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
