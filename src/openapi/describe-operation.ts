import { NDJSON } from '../imports/schemas.ts';
import { errorResponse, type SharedResponses } from './error-responses.ts';
import { errorsOf } from './errors.ts';
import { describedHeaders } from './headers.ts';
import { jsonSchemas, schemaRef } from './json-schema.ts';
import type { Access, Body, Operation, Parameters } from './parts.ts';

/** An operation as OpenAPI has it. */
export function describeOperation(operation: Operation, shared: SharedResponses): object {
  const { id, section, summary, words, access, parameters = [], body } = operation;
  return {
    operationId: id,
    tags: [section],
    summary,
    description: words + accessWords(access),
    security: securityOf(access),
    parameters: [...parameters.flatMap(described), ...headerParameters(operation)],
    ...(body && { requestBody: describedBody(body) }),
    responses: { ...successes(operation), ...errors(operation, shared) },
  };
}

function accessWords(access: Access): string {
  return access.by === 'credential'
    ? `\n\nScope \`${access.scope}\`; every call that is let in takes one from the budget \`${access.budget}\`.`
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

function headerParameters({ isCached }: Operation): readonly object[] {
  const language = {
    name: 'Accept-Language',
    in: 'header',
    description: 'Whether texts for people come in Italian or English.',
    schema: { type: 'string', maxLength: 200 },
    example: 'en',
  };
  const ifNoneMatch = {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the version that the client has.',
    schema: { type: 'string', maxLength: 1_000 },
    example: '"946a5e567a7a36e48d39b6ca089ee2fc"',
  };
  return isCached ? [ifNoneMatch, language] : [language];
}

function describedBody({ contentType, required, words, maxBytes, component, examples }: Body): object {
  const $ref = schemaRef(component.name);
  const schema =
    contentType === NDJSON
      ? {
          type: 'string',
          maxLength: maxBytes,
          description: 'A JSON object a line: the schema is that of a line.',
          contentMediaType: 'application/json',
          contentSchema: { $ref },
        }
      : { $ref };
  return { description: words, required, content: { [contentType]: { schema, examples } } };
}

function successes(operation: Operation): Record<string, object> {
  const { answer, isCached } = operation;
  const schema = answer.component
    ? { $ref: schemaRef(answer.component.name) }
    : { type: 'object', description: 'An OpenAPI 3.1 document.', additionalProperties: true };
  return {
    [answer.status]: {
      description: answer.words,
      headers: describedHeaders(operation, answer.status),
      content: {
        'application/json': {
          schema,
          ...(answer.component && { examples: answer.examples }),
        },
      },
    },
    ...(isCached && {
      304: { description: 'The client has this version already.', headers: describedHeaders(operation, 304) },
    }),
  };
}

const PHRASES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  422: 'UnprocessableContent',
};

function errors(operation: Operation, shared: SharedResponses): Record<string, object> {
  return Object.fromEntries(
    [...errorsOf(operation)].map(([status, codes]) => {
      const [only = ''] = codes;
      const name = (codes.length === 1 ? undefined : PHRASES[status]) ?? pascal(only);
      const prefix = operation.anyOrigin ? pascal(operation.id) : '';
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
