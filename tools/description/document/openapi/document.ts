import { describeOperation, parameterComponents } from './describe-operation.ts';
import { errorComponents } from './error-responses.ts';
import { GUIDE, SECTIONS, SECURITY_SCHEMES } from './guide.ts';
import { headerComponents } from './headers.ts';
import type { DescribedOperation } from './parts.ts';
import { namedSchemas } from './schemas.ts';

/**
 * The description of a service with these operations, as OpenAPI 3.1, section by section. Made when the service is built, never
 * while it answers.
 */
export function makeDocument(operations: readonly DescribedOperation[]): object {
  const described = Object.keys(SECTIONS).flatMap((name) =>
    operations.filter(({ section }) => section === name),
  );
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

/** `/calls/:request_id` as `/calls/{request_id}`. */
const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');
