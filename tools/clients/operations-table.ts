/**
 * The facts of an operation that a client needs at run time, without the words and bounds of the description.
 */
interface Document {
  readonly paths: Record<string, Record<string, DescribedOperation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: Schema }> }>;
}

type Schema = { readonly [keyword: string]: unknown };

const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';
const REF = '#/components/schemas/';

/**
 * The parts of a schema that decide whether an answer has the expected shape. New codes and longer texts are
 * no reason to refuse one.
 */
const KEPT = ['type', 'const', 'required', '$ref'];

/**
 * The table of the typed client: for each operation its method and path, who may call it, where its
 * parameters go, and the shape of its answer.
 *
 * @param description the description, as JSON text
 * @returns the text of a TypeScript module
 * @throws Error for an operation whose parameters and body share a name: the client takes them in one object
 */
export function clientOperations(description: string): string {
  const { paths, components }: Document = JSON.parse(description);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      operation.operationId,
      described(method.toUpperCase(), path, operation, components.schemas),
    ]),
  );
  const table = Object.fromEntries(operations);
  const shapes = Object.fromEntries(
    reachable(table, components.schemas).map((name) => [name, shapeOf(components.schemas[name] ?? {})]),
  );
  return [
    '// Made from the description: do not change it by hand.',
    `export const OPERATIONS = ${JSON.stringify(table, null, 2)} as const;\n`,
    '/** Every error code of the service. */',
    `export const ERROR_CODES = ${JSON.stringify(errorCodes(components.schemas.ErrorResponse), null, 2)} as const;\n`,
    '/** The schemas that answers name, without their words and bounds. */',
    `export const SHAPES: Readonly<Record<string, unknown>> = ${JSON.stringify(shapes, null, 1)};\n`,
  ].join('\n');
}

/** The codes of the answer that every error has. */
function errorCodes(answer: Schema = {}): readonly string[] {
  const { error } = answer.properties as { error: { properties: { code: { enum: readonly string[] } } } };
  return error.properties.code.enum.toSorted();
}

function described(
  method: string,
  path: string,
  operation: DescribedOperation,
  schemas: Record<string, Schema>,
) {
  const named = (place: string) =>
    (operation.parameters ?? []).filter((parameter) => parameter.in === place).map(({ name }) => name);
  const [status, success] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  const schema = success?.content?.[JSON_TYPE]?.schema;
  const taken = [...named('path'), ...named('query'), ...bodyFields(operation, schemas)];
  if (new Set(taken).size < taken.length) {
    throw new Error(`${operation.operationId} has a parameter and a field of the same name: ${taken}`);
  }
  return {
    method,
    path,
    access: accessOf(operation),
    pathParameters: named('path'),
    queryParameters: named('query'),
    body: bodyOf(operation),
    status: Number(status),
    answer: schema === undefined ? null : shapeOf(schema),
  };
}

function accessOf({
  security = [],
}: DescribedOperation): 'public' | 'credential' | 'administrator' | 'office' {
  const takes = (name: string) => security.some((scheme) => name in scheme);
  if (security.length === 0) return 'public';
  if (!takes('AdministratorToken')) return 'credential';
  return takes('AccessToken') ? 'office' : 'administrator';
}

function bodyOf({ requestBody }: DescribedOperation): 'none' | 'json' | 'lines' {
  if (requestBody === undefined) return 'none';
  return LINES_TYPE in requestBody.content ? 'lines' : 'json';
}

function bodyFields({ requestBody }: DescribedOperation, schemas: Record<string, Schema>): string[] {
  const schema = requestBody?.content[JSON_TYPE]?.schema ?? {};
  const { properties } =
    typeof schema.$ref === 'string' ? (schemas[schema.$ref.replace(REF, '')] ?? {}) : schema;
  return Object.keys(properties ?? {});
}

function shapeOf(schema: Schema): Schema {
  const shape: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    // A constant number (how often to refresh) may be another one tomorrow.
    if (KEPT.includes(keyword) && typeof value !== 'number') shape[keyword] = value;
    if (keyword === 'items' || (keyword === 'additionalProperties' && typeof value === 'object')) {
      shape[keyword] = shapeOf(value as Schema);
    }
    if (keyword === 'anyOf' || keyword === 'oneOf') shape.anyOf = (value as Schema[]).map(shapeOf);
    if (keyword === 'allOf') shape.allOf = (value as Schema[]).map(shapeOf);
    if (keyword === 'properties') {
      shape.properties = Object.fromEntries(
        Object.entries(value as Record<string, Schema>).map(([name, inner]) => [name, shapeOf(inner)]),
      );
    }
  }
  return shape;
}

/** The names of the schemas that something refers to, and those that these refer to. */
function reachable(from: unknown, schemas: Record<string, Schema>): string[] {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    for (const [, name = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(shapeOf(schemas[name] ?? {}));
    }
  };
  visit(from);
  return [...found].sort();
}
