import { ERROR_TEXT, type ErrorCode } from '../../../../src/base/errors/error-codes.ts';
import { errorAnswerOf, notReadyAnswer } from '../../../../src/serving/http/envelope-schemas.ts';
import { REQUEST_ID } from '../examples/envelope.ts';
import { CODE_WORDS, STATUS_WORDS } from './errors.ts';
import { describedHeaders } from './headers.ts';
import type { DescribedOperation } from './parts.ts';
import { answerSchema, bodySchema } from './schemas.ts';

type Status = keyof typeof STATUS_WORDS;

/** An operation's answer of an error status: its codes, each with its meaning and an example. */
export function errorResponse(
  operation: DescribedOperation,
  status: Status,
  codes: readonly ErrorCode[],
): object {
  return {
    description: [
      STATUS_WORDS[status],
      '',
      ...codes.map((code) => `- \`${code}\`: ${CODE_WORDS[code]}.`),
    ].join('\n'),
    headers: describedHeaders(operation.of, status),
    content: {
      'application/json': {
        schema: answerSchema(errorSchema(codes)),
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: code, value: exampleOf(code, operation) }]),
        ),
      },
    },
  };
}

/** Only a request with invalid fields, and a service that is not ready, have details. */
function errorSchema(codes: readonly ErrorCode[]) {
  if (codes.includes('NOT_READY')) return notReadyAnswer;
  const answer = errorAnswerOf(codes);
  return codes.includes('INVALID_REQUEST')
    ? answer
    : answer.extend({ error: answer.shape.error.omit({ details: true }).describe('What is wrong.') });
}

function exampleOf(code: ErrorCode, operation: DescribedOperation): object {
  const { pathParameters, query } = operation.of;
  const [field = ''] = Object.keys((bodySchema(operation) ?? pathParameters ?? query)?.shape ?? {});
  return {
    success: false,
    ok: false,
    request_id: REQUEST_ID,
    error: { code, message: ERROR_TEXT[code].en, ...detailsOf(code, field) },
  };
}

function detailsOf(code: ErrorCode, field: string): object {
  switch (code) {
    case 'INVALID_REQUEST':
      return { details: { issues: [{ path: field, message: 'is not of a valid form' }] } };
    case 'NOT_READY':
      return { details: { failing: ['home'] } };
    default:
      return {};
  }
}

/**
 * Collects the error answers as components, so that a shared one is described only once.
 */
export class SharedResponses {
  readonly components: Record<string, object> = {};
  readonly #names = new Map<string, string>();

  refTo(response: object, name: string): { $ref: string } {
    const text = JSON.stringify(response);
    let existing = this.#names.get(text);
    if (existing === undefined) {
      existing = this.#free(name);
      this.#names.set(text, existing);
      this.components[existing] = response;
    }
    return { $ref: `#/components/responses/${existing}` };
  }

  #free(name: string): string {
    const taken = (candidate: string) => candidate in this.components;
    let candidate = name;
    for (let number = 2; taken(candidate); number++) {
      candidate = `${name}${number}`;
    }
    return candidate;
  }
}
