import type { Access } from '../pipeline/operation.ts';
import { errorResponse, type SharedResponses } from './error-responses.ts';
import { errorsOf } from './errors.ts';
import { describedHeaders } from './headers.ts';
import { jsonSchemas, schemaRef } from './json-schema.ts';
import { bodyMediaType, type DescribedOperation, type Parameters } from './parts.ts';

/** An operation as an OpenAPI object. */
export function describeOperation(operation: DescribedOperation, shared: SharedResponses): object {
  const { of, section, summary, words, parameters = [] } = operation;
  return {
    operationId: of.id,
    tags: [section],
    summary,
    description: words + accessWords(of.access),
    security: securityOf(of.access),
    parameters: [...parameters.flatMap(described), ...headerParameters(operation)],
    ...describedBody(operation),
    responses: { ...successes(operation), ...errors(operation, shared) },
  };
}

function accessWords(access: Access): string {
  return access.by === 'credential'
    ? `\n\nScope \`${access.scope}\`; every admitted call takes one from the budget \`${access.budget}\`.`
    : '';
}

function securityOf(access: Access): readonly object[] {
  switch (access.by) {
    case 'anybody':
      return [];
    case 'administrator':
      return [{ AdministratorToken: [] }];
    case 'credential':
      return access.tokenHeaders === 'all'
        ? [{ AccessToken: [] }, { ServiceToken: [] }, { ApiKey: [] }]
        : [{ AccessToken: [] }];
    default:
      return access satisfies never;
  }
}

function described({ in: place, component, examples }: Parameters): readonly object[] {
  const { properties = {}, required = [] } = jsonSchemas([component], 'input')[component.name] ?? {};
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

function headerParameters({ of }: DescribedOperation): readonly object[] {
  const language = {
    name: 'Accept-Language',
    in: 'header',
    description: 'The preferred language of texts for people: Italian or English.',
    schema: { type: 'string', maxLength: 200 },
    example: 'en',
  };
  const ifNoneMatch = {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the version that the client already has.',
    schema: { type: 'string', maxLength: 1_000 },
    example: '"946a5e567a7a36e48d39b6ca089ee2fc"',
  };
  return of.cached ? [ifNoneMatch, language] : [language];
}

function describedBody({ of, body }: DescribedOperation): { readonly requestBody?: object } {
  const mediaType = bodyMediaType(of);
  if (of.body === null || body === undefined || mediaType === null) {
    return {};
  }
  const { words, component, examples } = body;
  const $ref = schemaRef(component.name);
  const schema =
    of.body.kind === 'lines'
      ? {
          type: 'string',
          maxLength: of.body.maxBytes,
          description: 'One JSON object per line. The schema is that of a line.',
          contentMediaType: 'application/json',
          contentSchema: { $ref },
        }
      : { $ref };
  const required = of.body.kind === 'json' && of.body.optional !== true;
  return { requestBody: { description: words, required, content: { [mediaType]: { schema, examples } } } };
}

function successes(operation: DescribedOperation): Record<string, object> {
  const { of, answer } = operation;
  const [mediaType, schema] = describedAnswer(answer.component);
  return {
    [of.status]: {
      description: answer.words,
      headers: describedHeaders(of, of.status),
      content: {
        [mediaType]: {
          schema,
          ...(answer.component && { examples: answer.examples }),
        },
      },
    },
    ...(of.cached && {
      304: { description: 'The client already has this version.', headers: describedHeaders(of, 304) },
    }),
  };
}

function describedAnswer(
  component: DescribedOperation['answer']['component'],
): [mediaType: string, schema: object] {
  if (component === null) {
    const schema = { type: 'object', description: 'An OpenAPI 3.1 document.', additionalProperties: true };
    return ['application/json', schema];
  }
  if ('name' in component) {
    return ['application/json', { $ref: schemaRef(component.name) }];
  }
  const schema = {
    type: 'string',
    maxLength: MOST_TEXT,
    description: 'One JSON object per line. The schema is that of a line.',
    contentMediaType: 'application/json',
    contentSchema: { oneOf: component.map(({ name }) => ({ $ref: schemaRef(name) })) },
  };
  return ['application/x-ndjson', schema];
}

/** Longer than any answer of lines. */
const MOST_TEXT = 2_147_483_647;

const PHRASES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  422: 'UnprocessableContent',
};

function errors(operation: DescribedOperation, shared: SharedResponses): Record<string, object> {
  return Object.fromEntries(
    [...errorsOf(operation.of)].map(([status, codes]) => {
      const [only = ''] = codes;
      const name = (codes.length === 1 ? undefined : PHRASES[status]) ?? pascal(only);
      const prefix = operation.of.crossOrigin ? pascal(operation.of.id) : '';
      return [status, shared.refTo(errorResponse(operation, status, codes), prefix + name)];
    }),
  );
}

/** `INVALID_JSON` as `InvalidJson`, `getCall` as `GetCall`. */
const pascal = (text: string): string =>
  text.includes('_')
    ? text
        .toLowerCase()
        .split('_')
        .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
        .join('')
    : text.charAt(0).toUpperCase() + text.slice(1);
