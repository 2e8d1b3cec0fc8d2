/** What the table takes from the description. */
interface Description {
  readonly paths: Record<string, Record<string, DescribedOperation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly security: readonly Record<string, unknown>[];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Record<string, { readonly content?: Content }>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

const JSON_TYPE = 'application/json';

/**
 * The table of the typed client: for each operation its method and path, who may call it, where its
 * parameters go, and whether it answers in the envelope.
 *
 * @param description the description, as JSON text
 * @returns the text of a TypeScript module
 * @throws Error for an operation whose parameters and body share a name: the client takes them in one object
 */
export function clientOperations(description: string): string {
  const { paths, components }: Description = JSON.parse(description);
  const propertiesOf = ({ $ref = '', properties = {} }: Schema = {}): Readonly<Record<string, Schema>> =>
    components.schemas[$ref.split('/').at(-1) ?? '']?.properties ?? properties;

  const describe = (method: string, path: string, operation: DescribedOperation) => {
    const { operationId, parameters, requestBody, responses } = operation;
    const named = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name);
    const [pathParameters, queryParameters] = [named('path'), named('query')];
    const fields = Object.keys(propertiesOf(requestBody?.content[JSON_TYPE]?.schema));
    const taken = [...pathParameters, ...queryParameters, ...fields];
    if (new Set(taken).size < taken.length) {
      throw new Error(`${operationId} has a parameter and a field of the same name: ${taken}`);
    }
    const [status, success] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
    const schema = success?.content?.[JSON_TYPE]?.schema;
    return {
      method: method.toUpperCase(),
      path,
      access: accessOf(operation),
      pathParameters,
      queryParameters,
      body: requestBody === undefined ? 'none' : JSON_TYPE in requestBody.content ? 'json' : 'lines',
      status: Number(status),
      answer: schema === undefined ? null : 'success' in propertiesOf(schema) ? 'envelope' : 'plain',
    };
  };

  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => [one.operationId, describe(method, path, one)]),
  );
  const codes = propertiesOf(components.schemas.ErrorResponse).error?.properties?.code?.enum ?? [];
  return `// Made from the description: do not change it by hand.
export const OPERATIONS = ${JSON.stringify(Object.fromEntries(operations), null, 2)} as const;

/** Every error code of the service. */
export const ERROR_CODES = ${JSON.stringify(codes.toSorted(), null, 2)} as const;
`;
}

function accessOf({ security }: DescribedOperation): 'public' | 'credential' | 'administrator' | 'office' {
  const takes = (name: string) => security.some((scheme) => name in scheme);
  if (security.length === 0) return 'public';
  if (!takes('AdministratorToken')) return 'credential';
  return takes('AccessToken') ? 'office' : 'administrator';
}
