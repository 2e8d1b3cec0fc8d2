import type { Sender, Slot } from '../../base/platform/slot.ts';
import { WaitingLine } from '../../base/platform/waiting-line.ts';

/** A slot that is not used for this long goes to the next call: its holder may be gone. */
const IDLE_MS = 10_000;
/** Bodies of 8 MiB that may be in memory along with the import being stored. */
const MAX_BODIES = 4;
const MAX_BODIES_OF_TENANT = 2;

/**
 * Whether a body may arrive along with others: one of a credential, two of a tenant, and the last free slot is for a
 * tenant that has none, so that one tenant's slow uploads cannot block the others.
 */
export function mayArrive({ credentialId, tenantId }: Sender, arriving: readonly Sender[]): boolean {
  const ofTenant = arriving.filter((other) => other.tenantId === tenantId).length;
  const isLastSlot = arriving.length === MAX_BODIES - 1;
  return (
    arriving.length < MAX_BODIES &&
    arriving.every((other) => other.credentialId !== credentialId) &&
    ofTenant < MAX_BODIES_OF_TENANT &&
    !(isLastSlot && ofTenant > 0)
  );
}

/** The slots of one isolate, which has 128 MB: bodies arrive side by side, and one import is parsed and stored. */
export class ImportSlots {
  readonly bodies = new WaitingLine<Slot>(
    (slot, holders) =>
      mayArrive(
        slot.sender,
        holders.map(({ sender }) => sender),
      ),
    IDLE_MS,
  );
  readonly storing = new WaitingLine<Slot>((_, holders) => holders.length === 0, IDLE_MS);
}
