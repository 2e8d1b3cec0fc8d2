import type { Operation } from '../pipeline/operation.ts';
import { componentsOf, largestBodies } from './components.ts';
import { describeOperation } from './describe-operation.ts';
import { SharedResponses } from './error-responses.ts';
import { GUIDE, SECTIONS, SECURITY_SCHEMES } from './guide.ts';
import { headerComponents } from './headers.ts';
import { jsonSchemas } from './json-schema.ts';
import type { DescribedOperation, FeatureDescription } from './parts.ts';

/**
 * The description of a service with these operations, as OpenAPI 3.1. Made when the service is built, never while it
 * answers.
 *
 * @throws Error for an operation that no feature describes
 */
export function makeDocument(
  operations: readonly Operation[],
  features: readonly FeatureDescription[],
): object {
  const shared = new SharedResponses();
  const described = operations.map((operation) => descriptionOf(operation, features));
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of described) {
    const path = openApiPath(operation.of.path);
    paths[path] = {
      ...paths[path],
      [operation.of.method.toLowerCase()]: describeOperation(operation, shared),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parking entitlements',
      version: '2.1.0',
      summary: 'Tells, in one call, whether a vehicle may park.',
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
      schemas: describedSchemas(described, features),
      headers: headerComponents(),
      responses: shared.components,
    },
  };
}

function descriptionOf(operation: Operation, features: readonly FeatureDescription[]): DescribedOperation {
  const described = features.flatMap((feature) => feature.operations).find(({ of }) => of === operation);
  if (described === undefined) {
    throw new Error(`the operation ${operation.id} has no description`);
  }
  return described;
}

/** `/calls/:request_id` as `/calls/{request_id}`. */
const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

function describedSchemas(
  operations: readonly DescribedOperation[],
  features: readonly FeatureDescription[],
): object {
  const components = componentsOf(operations, features);
  const of = (io: 'input' | 'output') =>
    jsonSchemas(
      components.filter((component) => component.io === io),
      io,
      largestBodies(operations),
    );
  return { ...of('input'), ...of('output') };
}
