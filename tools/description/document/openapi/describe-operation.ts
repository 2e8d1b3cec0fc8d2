import type * as z from 'zod';
import { scopesFor } from '../../../../src/serving/access/scopes.ts';
import { type Access, takesOfficer } from '../../../../src/serving/contract.ts';
import { MAX_OFFICER_CHARACTERS } from '../../../../src/serving/http/response-fields.ts';
import { OFFICER_HEADER } from '../../../../src/serving/middleware/input.ts';
import { errorRefs } from './error-responses.ts';
import { headerRefs, headersOf } from './headers.ts';
import { bodyMediaType, type DescribedOperation } from './parts.ts';
import { type Components, sampleOf } from './sample.ts';
import { answerSchemas, bodySchema, parameterSchemas, refTo } from './schemas.ts';

/** An operation as an OpenAPI object. Its answers are described by components. */
export function describeOperation(operation: DescribedOperation, components: Components): object {
  const { of, section, summary, words } = operation;
  return {
    operationId: of.id,
    tags: [section],
    summary,
    description: words + accessWords(of.access),
    security: securityOf(of.access),
    parameters: [
      ...describeParameters('path', of.pathParameters, operation),
      ...describeParameters('query', of.query, operation),
      ...headerParameters(operation),
    ],
    ...describedBody(operation),
    responses: { ...describeSuccesses(operation, components), ...errorRefs(operation) },
  };
}

const anyOf = (names: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(names.map((name) => `\`${name}\``));

function accessWords(access: Access): string {
  if (access.by === 'anybody') return '';
  if (access.by === 'credential') {
    const scope = access.scope === null ? 'Every scope' : `Scope ${anyOf(scopesFor(access.scope))}`;
    return `\n\n${scope}; every admitted call takes one from the budget \`${access.budget}\`.`;
  }
  if (access.office === 'nothing') return '\n\nThe administrator alone.';
  const scopes = access.office === 'reads' ? '`office` or `office_read`' : '`office`';
  return `\n\nThe administrator, or for its own tenant a credential with scope ${scopes}, of which every admitted call takes one from the budget \`office\`.`;
}

function securityOf(access: Access): readonly object[] {
  if (access.by === 'anybody') return [];
  // An office's token first: it is for daily work.
  const office = access.by === 'administrator' && access.office === 'nothing' ? [] : [{ AccessToken: [] }];
  if (access.by === 'administrator') return [...office, { AdministratorToken: [] }];
  return access.tokenHeaders === 'all' ? [...office, { ServiceToken: [] }, { ApiKey: [] }] : office;
}

function describeParameters(
  place: 'path' | 'query',
  parameters: z.ZodObject | undefined,
  { parameters: examples = {} }: DescribedOperation,
): readonly object[] {
  const { properties = {}, required = [] } = parameters === undefined ? {} : parameterSchemas(parameters);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as { description?: string };
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      description,
      schema,
      example: examples[name],
    };
  });
}

const HEADER_PARAMETERS = {
  'If-None-Match': {
    description: 'The `ETag` of the version that the client already has.',
    schema: { type: 'string', maxLength: 1_000 },
    example: '"946a5e567a7a36e48d39b6ca089ee2fc"',
  },
  [OFFICER_HEADER]: {
    description:
      'Who looked: a pseudonym of the officer, such as a badge’s, never a name. It is kept in the call log.',
    schema: { type: 'string', pattern: '^[!-~]*$', maxLength: MAX_OFFICER_CHARACTERS },
    example: 'badge-0417',
  },
  'Accept-Language': {
    description: 'The preferred language of texts for people: Italian or English.',
    schema: { type: 'string', maxLength: 200 },
    example: 'en',
  },
};

/** The headers that operations take, as components. */
export const parameterComponents = (): object =>
  Object.fromEntries(
    Object.entries(HEADER_PARAMETERS).map(([name, words]) => [name, { name, in: 'header', ...words }]),
  );

function headerParameters({ of }: DescribedOperation): readonly object[] {
  const refTo = (name: keyof typeof HEADER_PARAMETERS) => ({ $ref: `#/components/parameters/${name}` });
  return [
    ...(of.cached ? [refTo('If-None-Match')] : []),
    ...(takesOfficer(of) ? [refTo(OFFICER_HEADER)] : []),
    refTo('Accept-Language'),
  ];
}

function describedBody(operation: DescribedOperation): { readonly requestBody?: object } {
  const { of, request } = operation;
  const taken = bodySchema(operation);
  const mediaType = bodyMediaType(of);
  if (of.body === undefined || taken === null || mediaType === null) {
    return {};
  }
  const required = of.body.kind === 'json' && of.body.optional !== true;
  const schema = of.body.kind === 'lines' ? linesOf(refTo(taken), of.body.maxBytes) : refTo(taken);
  return { requestBody: { required, content: { [mediaType]: { schema, example: textOf(request) } } } };
}

function describeSuccesses(operation: DescribedOperation, components: Components): Record<string, object> {
  const { of } = operation;
  const status = of.status ?? 200;
  return {
    [status]: {
      description: 'Success.',
      headers: headerRefs(headersOf([of], status)),
      content: successContent(operation, components),
    },
    ...(of.cached && {
      304: { description: 'The client already has this version.', headers: headerRefs(headersOf([of], 304)) },
    }),
  };
}

function successContent(operation: DescribedOperation, components: Components): object {
  const { of, answer } = operation;
  const mediaType = of.mediaType ?? 'application/json';
  const [schema, ...others] = answerSchemas(operation).map(refTo);
  if (schema === undefined) {
    const anything = { type: 'object', description: 'An OpenAPI 3.1 document.', additionalProperties: true };
    return { [mediaType]: { schema: anything } };
  }
  if (others.length === 0) {
    return { [mediaType]: { schema, example: sampleOf(schema, components, '', answer) } };
  }
  const lines = linesOf({ oneOf: [schema, ...others] }, MAX_TEXT);
  return { 'application/x-ndjson': { schema: lines, example: textOf(answer) } };
}

/** Longer than any answer of lines. */
const MAX_TEXT = 2_147_483_647;

const linesOf = (contentSchema: object, maxLength: number): object => ({
  type: 'string',
  maxLength,
  description: 'One JSON object per line. The schema is that of a line.',
  contentMediaType: 'application/json',
  contentSchema,
});

/** An example as it is sent: a list is lines. */
const textOf = (example: unknown): unknown =>
  Array.isArray(example) ? example.map((line) => `${JSON.stringify(line)}\n`).join('') : example;
