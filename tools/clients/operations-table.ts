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
 * The table of the typed client: for each operation its method and path, who may call it, where its
 * parameters go, and whether it answers in the envelope.
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
  return [
    '// Made from the description: do not change it by hand.',
    `export const OPERATIONS = ${JSON.stringify(table, null, 2)} as const;\n`,
    '/** Every error code of the service. */',
    `export const ERROR_CODES = ${JSON.stringify(errorCodes(components.schemas.ErrorResponse), null, 2)} as const;\n`,
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
    answer: schema === undefined ? null : hasEnvelope(schema, schemas) ? 'envelope' : 'plain',
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

/** A schema, or the one that it refers to. */
const resolved = (schema: Schema, schemas: Record<string, Schema>): Schema =>
  typeof schema.$ref === 'string' ? (schemas[schema.$ref.replace(REF, '')] ?? {}) : schema;

const hasEnvelope = (schema: Schema, schemas: Record<string, Schema>): boolean =>
  Object.hasOwn(resolved(schema, schemas).properties ?? {}, 'success');

function bodyFields({ requestBody }: DescribedOperation, schemas: Record<string, Schema>): string[] {
  const schema = requestBody?.content[JSON_TYPE]?.schema ?? {};
  const { properties } = resolved(schema, schemas);
  return Object.keys(properties ?? {});
}
