import { componentsOf, largestBodies } from './components.ts';
import { describeOperation } from './describe-operation.ts';
import { SharedResponses } from './error-responses.ts';
import { GUIDE, SECTIONS, SECURITY_SCHEMES } from './guide.ts';
import { headerComponents } from './headers.ts';
import { jsonSchemas } from './json-schema.ts';
import { CALL_OPERATIONS } from './operations/calls.ts';
import { CONFIGURATION_OPERATIONS } from './operations/configuration.ts';
import { CREDENTIAL_OPERATIONS } from './operations/credentials.ts';
import { IMPORTS } from './operations/imports.ts';
import { PLATE_CHECKS } from './operations/plate-check.ts';
import { REPORTS } from './operations/report.ts';
import { SERVICE_OPERATIONS } from './operations/service.ts';
import { SUBSCRIPTION_OPTIONS } from './operations/subscription-options.ts';
import type { Operation } from './parts.ts';

export const OPERATIONS: readonly Operation[] = [
  ...PLATE_CHECKS,
  SUBSCRIPTION_OPTIONS,
  REPORTS,
  ...IMPORTS,
  ...CONFIGURATION_OPERATIONS,
  ...CREDENTIAL_OPERATIONS,
  ...CALL_OPERATIONS,
  ...SERVICE_OPERATIONS,
];

/** The description of the whole service, as OpenAPI 3.1. Made when the service is built, never while it answers. */
export function makeDocument(): object {
  const shared = new SharedResponses();
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: describeOperation(operation, shared),
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
      schemas: describedSchemas(),
      headers: headerComponents(),
      responses: shared.components,
    },
  };
}

function describedSchemas(): object {
  const components = componentsOf(OPERATIONS);
  const of = (io: 'input' | 'output') =>
    jsonSchemas(
      components.filter((component) => component.io === io),
      io,
      largestBodies(OPERATIONS),
    );
  return { ...of('input'), ...of('output') };
}
