import { anyOrigin } from '../http/any-origin.ts';
import type { AppMiddleware } from '../http/context.ts';

/** Marks every answer of the report's path, whatever its status. */
export const reportMarkers: AppMiddleware = async (c, next) => {
  Object.assign(c.get('headers'), {
    'X-Service-Report': 'active_by_area',
    'X-Service-Report-Version': '1.0',
  });
  await next();
};

/** Any page may ask for the report: it holds nothing of a person. */
export const anyPage: AppMiddleware = anyOrigin(
  ['POST'],
  [
    'X-Request-Id',
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
    'X-Service-Report',
    'X-Service-Report-Version',
  ],
);
