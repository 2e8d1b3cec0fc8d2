import { type Schema, Validator } from '@cfworker/json-schema';
import description from '../../src/serving/openapi/openapi.json' with { type: 'json' };

/** An answer as it came. */
export interface Received {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** Empty where there is no body. */
  readonly text: string;
}

interface Described {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

/** A description as it was made: OpenAPI, of which the linters hold that it is that. */
interface Description {
  readonly paths: object;
  readonly components: { readonly schemas: object };
}

type PathItem = Readonly<Record<string, { readonly responses: Readonly<Record<string, object>> }>>;

/** The pages for people and the widget, which are no operations of the description. */
const PAGE = /^\/($|(docs|pages|cities|embed|board|office|widget)(\/|$))/;
/** Those of HTTP itself, which a runtime adds where we do not. */
const UNDESCRIBED_HEADERS = ['content-type', 'content-length', 'date'];
const PREFLIGHT_HEADERS = /^(access-control-.*|vary|x-.*|cache-control|strict-transport-security|date)$/;
/** One set of components for all validators, under an address of its own. */
const COMPONENTS = 'https://components.test/';

/** What a description says that its service answers. */
class Contract {
  readonly #description: Description;
  readonly #paths: readonly { readonly pattern: RegExp; readonly item: PathItem }[];
  readonly #components: Schema;
  readonly #validators = new Map<object, Validator>();

  constructor(open: Description) {
    const description = closed(open);
    this.#description = description;
    this.#paths = Object.entries(description.paths as Record<string, PathItem>).map(([template, item]) => ({
      pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`),
      item,
    }));
    this.#components = withAddress({ $id: COMPONENTS, $defs: description.components.schemas });
  }

  /** What is not as described; nothing where all is. */
  problemsOf(received: Received): string[] {
    const path = received.path.split('?')[0] ?? '';
    if (PAGE.test(path)) return [];
    const found = this.#paths.find(({ pattern }) => pattern.test(path));
    return found ? this.#problemsOfPath(received, found.item) : this.#problemsOfUnknownPath(received);
  }

  #problemsOfPath(received: Received, item: PathItem): string[] {
    const method = received.method === 'HEAD' ? 'get' : received.method.toLowerCase();
    const operation = item[method];
    if (operation === undefined) {
      return received.method === 'OPTIONS' && received.status === 204
        ? problemsOfPreflight(received)
        : this.#problemsOfOtherMethod(received, item);
    }
    const response = operation.responses[received.status];
    return response ? this.#problemsOfResponse(received, response) : ['the status is not described'];
  }

  /** A method that the path does not have: 405, described with those it has. */
  #problemsOfOtherMethod(received: Received, item: PathItem): string[] {
    const [operation] = Object.values(item);
    const response = received.status === 405 && operation?.responses[received.status];
    return response ? this.#problemsOfResponse(received, response) : ['the method is not described'];
  }

  #problemsOfUnknownPath(received: Received): string[] {
    return received.status === 404
      ? this.#problemsOfResponse(received, { $ref: '#/components/responses/Error404' })
      : ['the path is not described'];
  }

  #problemsOfResponse(received: Received, response: object): string[] {
    const shared = this.#resolved<Described>(response);
    const { headers = {}, content = {}, description } = { ...shared, ...response };
    return [
      ...this.#problemsOfHeaders(received.headers, headers),
      ...this.#problemsOfBody(received, content),
      ...problemsOfCode(received, description),
    ];
  }

  #problemsOfHeaders(received: Headers, described: NonNullable<Described['headers']>): string[] {
    const names = Object.keys(described).map((name) => name.toLowerCase());
    const strange = [...received.keys()].filter(
      (name) => !names.includes(name) && !UNDESCRIBED_HEADERS.includes(name),
    );
    return [
      ...strange.map((name) => `the header ${name} is not described`),
      ...Object.entries(described).flatMap(([name, reference]) => {
        const { schema, required } = this.#resolved<{ schema: { type: string }; required: boolean }>(
          reference,
        );
        const value = received.get(name);
        if (value === null) {
          return required ? [`the header ${name} is missing`] : [];
        }
        return this.#problemsBySchema(schema, schema.type === 'integer' ? Number(value) : value, name);
      }),
    ];
  }

  #problemsOfBody({ method, headers, text }: Received, content: NonNullable<Described['content']>): string[] {
    const [mediaType] = Object.keys(content);
    if (mediaType === undefined || method === 'HEAD') {
      return text === '' ? [] : ['no body is described'];
    }
    if (headers.get('Content-Type') !== mediaType) {
      return [`the media type ${headers.get('Content-Type')} is not described`];
    }
    const schema: { readonly contentSchema?: object } = content[mediaType]?.schema ?? {};
    if (schema.contentSchema === undefined) {
      return this.#problemsBySchema(schema, JSON.parse(text), 'the body');
    }
    return this.#problemsOfLines(schema.contentSchema, text);
  }

  #problemsOfLines(schema: object, text: string): string[] {
    const lines = text.split('\n');
    return [
      ...(lines.pop() === '' ? [] : ['the last line does not end']),
      ...lines.flatMap((line, index) =>
        this.#problemsBySchema(schema, JSON.parse(line), `line ${index + 1}`),
      ),
    ];
  }

  /** Interprets the schema: the runtime lets nobody compile one. */
  #problemsBySchema(schema: object, value: unknown, what: string): string[] {
    const { valid, errors } = this.#validatorOf(schema).validate(value);
    return valid ? [] : errors.map(({ instanceLocation, error }) => `${what} ${instanceLocation}: ${error}`);
  }

  #validatorOf(schema: object): Validator {
    let validator = this.#validators.get(schema);
    if (validator === undefined) {
      validator = new Validator(withAddress(schema), '2020-12', false);
      validator.addSchema(this.#components);
      this.#validators.set(schema, validator);
    }
    return validator;
  }

  /** What a reference into the description leads to; what is none, as it is. */
  #resolved<T>(value: object): T {
    const steps = '$ref' in value ? String(value.$ref).slice('#/'.length).split('/') : null;
    const target =
      steps?.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], this.#description) ??
      value;
    // The description's own references lead to what OpenAPI has there, which the linters hold.
    return target as T;
  }
}

/**
 * A copy that takes nothing but what is described today. The description lets clients take what a later version adds;
 * whatever we answer ourselves has to be in it.
 */
function closed(description: Description): Description {
  return JSON.parse(JSON.stringify(description), (_, node: unknown) => {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
    const isOpen = 'properties' in node && !('additionalProperties' in node);
    return {
      ...node,
      ...('type' in node && node.type === 'object' && isOpen && { additionalProperties: false }),
      ...('x-extensible-enum' in node && { enum: node['x-extensible-enum'] }),
    };
  }) as Description;
}

/** The contract of the service, which its clients read. */
const CONTRACT = new Contract(description);

/**
 * Holds an answer to the description: its status, headers and body are what that says of the operation.
 *
 * @throws Error with what is not
 */
export function expectInContract(received: Received): void {
  const problems = CONTRACT.problemsOf(received);
  if (problems.length > 0) {
    const { method, path, status, text } = received;
    throw new Error(
      [`${method} ${path} answered ${status}, and not as described:`, ...problems, text].join('\n'),
    );
  }
}

/** An operation names its codes of a status where it has not all of them. */
function problemsOfCode({ method, status, text }: Received, description: string): string[] {
  if (status < 400 || method === 'HEAD') return [];
  const { error } = JSON.parse(text) as { error: { code: string } };
  return description.includes(`\`${error.code}\``) ? [] : [`the code ${error.code} is not described`];
}

function problemsOfPreflight({ headers, text }: Received): string[] {
  const strange = [...headers.keys()].filter((name) => !PREFLIGHT_HEADERS.test(name));
  return [
    ...strange.map((name) => `the header ${name} is not one of a preflight`),
    ...(text === '' ? [] : ['a preflight has no body']),
  ];
}

/** The same with its references leading to the components' address. */
function withAddress(schema: object): Schema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('#/components/schemas/', `${COMPONENTS}#/$defs/`),
  ) as Schema;
}
