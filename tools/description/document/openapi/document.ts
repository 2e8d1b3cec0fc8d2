import type { Contract } from '../../../../src/serving/contract.ts';
import { describeOperation, parameterComponents } from './describe-operation.ts';
import { errorComponents } from './error-responses.ts';
import { GUIDE, SECTIONS, SECURITY_SCHEMES } from './guide.ts';
import { headerComponents } from './headers.ts';
import type { DescribedOperation } from './parts.ts';
import { namedSchemas } from './schemas.ts';

/**
 * The description of a service with these operations, as OpenAPI 3.1. Made when the service is built, never while it
 * answers.
 *
 * @throws Error for an operation without a description
 */
export function makeDocument(
  operations: readonly Contract[],
  descriptions: readonly DescribedOperation[],
): object {
  const described = operations.map((operation) => descriptionOf(operation, descriptions));
  const schemas = namedSchemas(described);
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of described) {
    const path = openApiPath(operation.of.path);
    paths[path] = {
      ...paths[path],
      [operation.of.method.toLowerCase()]: describeOperation(operation, schemas),
    };
  }
  const responses = errorComponents(described);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parking entitlements',
      version: '2.1.0',
      summary: 'Says, in one call, whether a vehicle may park.',
      description: GUIDE,
      contact: { name: 'The parking office that issued your credential' },
    },
    servers: [
      { url: '/', description: 'Production: where this document was fetched from', 'x-internal': false },
    ],
    tags: Object.entries(SECTIONS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas,
      parameters: parameterComponents(),
      headers: headerComponents([paths, responses]),
      responses,
    },
  };
}

function descriptionOf(operation: Contract, descriptions: readonly DescribedOperation[]): DescribedOperation {
  const described = descriptions.find(({ of }) => of === operation);
  if (described === undefined) {
    throw new Error(`the operation ${operation.id} has no description`);
  }
  return described;
}

/** `/calls/:request_id` as `/calls/{request_id}`. */
const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');
