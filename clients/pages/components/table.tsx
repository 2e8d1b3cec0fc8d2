import type { Child } from 'hono/jsx';
import { say } from '../language.ts';

/** A column: its title, what a row shows in it, the classes of its cells, and the title that it shares with its neighbours. */
export type Column<Row> = readonly [
  ...[head: string, cell: (row: Row) => Child],
  ...[style?: string | ((row: Row) => string), group?: string],
];

interface DataTableProps<Row> {
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** The class of a row. */
  readonly rowStyle?: (row: Row) => string;
}

/** A titled table whose first column names the row. On a phone its rows are cards: the roles keep them a table. */
export function DataTable<Row>({ title, columns, rows, rowStyle }: DataTableProps<Row>) {
  if (rows.length === 0) {
    return (
      <>
        <h3>{title}</h3>
        <p class="note">{say('None.', 'Niente.')}</p>
      </>
    );
  }
  const groups = [...Map.groupBy(columns, ([, , , group = '']) => group)];
  return (
    <>
      <h3>{title}</h3>
      <section class="scroll" tabindex={0} aria-label={title}>
        {/* biome-ignore-start lint/a11y/noRedundantRoles: the cards of a phone take the table's own roles away */}
        <table class="data" role="table">
          <thead role="rowgroup">
            {groups.length > 1 && (
              <tr role="row">
                {groups.map(([group, { length }]) =>
                  group.trim() === '' ? (
                    <td key={group} colspan={length} role="cell" />
                  ) : (
                    <th key={group} colspan={length} scope="colgroup" class="group">
                      {group}
                    </th>
                  ),
                )}
              </tr>
            )}
            <tr role="row">
              {columns.map(([head, , style, group]) => (
                <th
                  key={`${head} ${group}`}
                  {...{ scope: 'col', role: 'columnheader', class: typeof style === 'string' ? style : '' }}
                >
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row, line) => (
              <tr key={line} role="row" class={rowStyle?.(row)}>
                {columns.map(([head, cell, style, group], index) =>
                  index === 0 ? (
                    <th key={head} scope="row" role="rowheader">
                      {cell(row)}
                    </th>
                  ) : (
                    <td
                      key={`${head} ${group}`}
                      role="cell"
                      class={typeof style === 'function' ? style(row) : style}
                      data-label={group?.trim() ? `${head} · ${group}` : head}
                    >
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

/** Facts, each with its name; those that are not so are left out. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [name: string, value: Child])[] }) => (
  <dl class="held">
    {facts
      .filter(([, value]) => value !== '–')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
