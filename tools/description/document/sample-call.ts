import type { Access, Operation } from '../../../src/serving/pipeline/operation.ts';
import type { DescribedOperation } from './openapi/parts.ts';
import { parameterSchemas } from './openapi/schemas.ts';

/** A call that an operation's own examples make. */
export interface SampleCall {
  readonly of: Operation;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The fields of a JSON body, or the text of lines. Undefined: none. */
  readonly body: unknown;
}

/** The required parameters, and those without which an import may be refused. */
const SHOWN = ['municipality_code', 'source_code'];

/** The call of an operation's first example, with the necessary parameters only. */
export function sampleCall({ of, parameters = {}, body }: DescribedOperation): SampleCall {
  const required = of.query === null ? [] : (parameterSchemas(of.query).required ?? []);
  const named = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(parameters).filter(([name]) => names.includes(name)));
  const queried = Object.keys(of.query?.shape ?? {});
  const [example] = Object.values(body?.examples ?? {});
  return {
    of,
    path: named(Object.keys(of.pathParameters?.shape ?? {})),
    query: named(queried.filter((name) => required.includes(name) || SHOWN.includes(name))),
    body: example?.value,
  };
}

/** Whose token a sample uses: an office's, if it may call. */
export function holderOf(access: Access): 'anybody' | 'credential' | 'administrator' {
  return access.by === 'administrator' && access.office !== 'nothing' ? 'credential' : access.by;
}

/** The path and the query of a call. */
export function addressOf({ of, path, query }: SampleCall): string {
  const filled = of.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** For a shell, as it is. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
