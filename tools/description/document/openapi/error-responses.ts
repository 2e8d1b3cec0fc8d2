import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from '../../../../src/base/errors/error-codes.ts';
import { SAMPLES } from '../samples.ts';
import { errorAnswer } from './envelope.ts';
import { CODE_WORDS, errorsOf, STATUS_WORDS, type Status } from './errors.ts';
import { headerRefs, headersOf } from './headers.ts';
import type { DescribedOperation } from './parts.ts';
import { refTo } from './schemas.ts';

/** The name of a status's component. */
const nameOf = (status: Status): string => `Error${status}`;

/** One answer for each status: the codes of all operations, and an example of the first. */
export function errorComponents(operations: readonly DescribedOperation[]): Record<string, object> {
  const statuses = new Set(operations.flatMap(({ of }) => [...errorsOf(of).keys()]));
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const those = operations.map(({ of }) => of).filter((of) => errorsOf(of).has(status));
      const codes = codesOf(status);
      const response = {
        description: [
          STATUS_WORDS[status],
          '',
          ...codes.map((code) => `- \`${code}\`: ${CODE_WORDS[code] ?? ERROR_TEXT[code].en}`),
        ].join('\n'),
        headers: headerRefs(headersOf(those, status)),
        content: { 'application/json': { schema: refTo(errorAnswer), example: exampleOf(codes[0]) } },
      };
      return [nameOf(status), response];
    }),
  );
}

/** The errors of an operation, by status. Where it has not all codes of a status, the description names those it has. */
export function errorRefs({ of }: DescribedOperation): Record<string, object> {
  return Object.fromEntries(
    [...errorsOf(of)].map(([status, codes]) => [
      status,
      {
        $ref: `#/components/responses/${nameOf(status)}`,
        ...(codes.length < codesOf(status).length && {
          description: codes.map((code) => `\`${code}\``).join(', '),
        }),
      },
    ]),
  );
}

const codesOf = (status: Status): readonly ErrorCode[] =>
  (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => ERROR_STATUS[code] === status);

function exampleOf(code: ErrorCode = 'TEMPORARY_ERROR'): object {
  const issues = [{ path: 'plate', message: 'is not of a valid form' }];
  return {
    success: false,
    ok: false,
    request_id: SAMPLES.uuid,
    error: { code, message: ERROR_TEXT[code].en, ...(code === 'INVALID_REQUEST' && { details: { issues } }) },
  };
}
