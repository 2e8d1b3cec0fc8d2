import {
  type Changes,
  type Row,
  TABLE_NAMES,
  type TableName,
} from '../../../src/office/configuration/changes.ts';
import {
  AREA,
  type Kind,
  MUNICIPALITY,
  PLAN,
  SOURCE,
  SUBSCRIPTION_TYPE,
  TENANT,
} from '../../../src/office/configuration/kinds.ts';
import { type Named, readDocument } from '../../../src/office/configuration/reading.ts';
import type { ConfigurationState, MunicipalityState } from '../../../src/office/configuration/state.ts';

/**
 * The service's own state, rebuilt from its answers, so that the service's own rules can apply a document to
 * it.
 *
 * @param configurations the answers of `GET`, one a municipality
 */
export function stateOf(configurations: readonly unknown[]): ConfigurationState {
  const readings = configurations.map(readDocument);
  return {
    tenants: byCode(
      TENANT,
      readings.flatMap(({ tenants }) => tenants),
    ),
    municipalities: new Map(
      readings
        .flatMap(({ municipalities }) => municipalities)
        .map((named): [string, MunicipalityState] => [
          named.code,
          {
            ...rowOf(MUNICIPALITY, named),
            areas: byCode(AREA, named.areas),
            sources: byCode(SOURCE, named.sources),
            subscriptionTypes: byCode(SUBSCRIPTION_TYPE, named.subscriptionTypes),
            plans: byCode(PLAN, named.plans),
          },
        ]),
    ),
  };
}

/** The state that a document's changes lead to. */
export function stateAfter(state: ConfigurationState, changes: Changes): ConfigurationState {
  const tables = Object.fromEntries(TABLE_NAMES.map((table) => [table, rowsAfter(table, changes)]));
  const of = (table: TableName): readonly Row[] => tables[table] ?? [];
  const tenants = mergeState(state.tenants, of('tenants'));
  const municipalities = new Map(
    [...mergeState(state.municipalities, of('municipalities'))].map(([code, municipality]) => {
      const own = (table: TableName) => of(table).filter((row) => row.municipality === code);
      return [
        code,
        {
          ...municipality,
          areas: mergeState(municipality.areas ?? new Map(), own('areas')),
          sources: mergeState(municipality.sources ?? new Map(), own('sources')),
          subscriptionTypes: mergeState(
            municipality.subscriptionTypes ?? new Map(),
            own('subscriptionTypes'),
          ),
          plans: mergeState(municipality.plans ?? new Map(), own('plans')),
        },
      ];
    }),
  );
  return { tenants, municipalities };
}

const rowsAfter = (table: TableName, changes: Changes): readonly Row[] => [
  ...changes[table].created,
  ...changes[table].updated,
];

/** A changed row is the old row with the changes; a created one is complete, as the service makes it. */
function mergeState<State extends object>(
  before: ReadonlyMap<string, State>,
  rows: readonly Row[],
): Map<string, State> {
  const after = new Map(before);
  for (const row of rows) {
    const code = String(row.code);
    after.set(code, { ...before.get(code), ...row } as State);
  }
  return after;
}

function byCode<Item, State extends object>(
  kind: Kind<Item, State>,
  items: readonly Named<Item>[],
): Map<string, State> {
  return new Map(items.map((named) => [named.code, rowOf(kind, named)]));
}

/** An answer names every property, except that a street has defaults for a facility's. */
function rowOf<Item, State extends object>(kind: Kind<Item, State>, { given }: Named<Item>): State {
  const named = Object.entries(kind.columns(given)).filter(([, value]) => value !== undefined);
  return { ...kind.defaults, ...Object.fromEntries(named) } as State;
}
