import { cors as honoCors } from 'hono/cors';
import type { Contract } from '../contract.ts';

/** How long a browser may keep the answer to its preflight: as long as any keeps it. */
const PREFLIGHT_SECONDS = 7_200;

/** Lets pages of any origin call a path: no cookies are used, and no personal data is answered. */
export const cors = ({ method, access, cached, crossOrigin }: Contract) =>
  honoCors({
    origin: '*',
    allowMethods: [method],
    allowHeaders: [
      ...(access.by === 'credential' ? ['Authorization', 'X-Service-Token', 'X-Api-Key'] : []),
      'Content-Type',
      ...(cached ? ['If-None-Match'] : []),
    ],
    exposeHeaders: [...(crossOrigin?.exposeHeaders ?? [])],
    maxAge: PREFLIGHT_SECONDS,
  });
