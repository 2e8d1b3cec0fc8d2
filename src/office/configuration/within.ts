import { Refusal, refuseFields } from '../../base/errors/refusal.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import type { Reading } from './reading.ts';

/**
 * Checks that a document stays within the bounds, before any of its tenants and municipalities are read. If its form is wrong
 * too, reports the form, as every operation does.
 *
 * @throws Refusal `INVALID_REQUEST`, `TENANT_NOT_ALLOWED`, `MUNICIPALITY_NOT_ALLOWED`
 */
export async function requireWithin(
  bounds: Bounds,
  { tenants, municipalities, issues }: Reading,
): Promise<void> {
  try {
    for (const code of [
      ...tenants.map((tenant) => tenant.code),
      ...municipalities.flatMap(({ given }) => given.tenant ?? []),
    ]) {
      bounds.tenantOf(code);
    }
    await bounds.requireMunicipalities(municipalities.map(({ code }) => code));
  } catch (error) {
    if (error instanceof Refusal && issues.length > 0) {
      refuseFields(issues);
    }
    throw error;
  }
}
