import { expect, it } from 'vitest';
import type { Answer } from '../support/service.ts';
import type { Caller } from './caller.ts';
import { expectRefusal } from './envelope.ts';

/** Which municipality a call is about, and that it tells nothing of those that are not the credential’s. */
export function describeMunicipality(caller: Caller): void {
  // The report alone: of all others, switching a city on or off must never change which city a call is about.
  const countsActiveOnes = caller.operation.of.id === 'reportActiveByArea';

  it('a municipality: unknown, inactive, and of others, with one and the same answer', async () => {
    const { headers } = await caller.issue({}, [1, 2]);
    const refusals = await Promise.all(
      ['NONE', 'INACTIVE', 'ANOTHER', 'OFF'].map((code) => caller.sendTo(code, headers)),
    );
    for (const answer of refusals) {
      expectRefusal(answer, 403, 'MUNICIPALITY_NOT_ALLOWED');
      expect(withoutId(answer)).toEqual(withoutId(refusals[0] as Answer));
    }
  });

  it('no municipality where the credential has more than one with 422, whichever of them are active', async () => {
    const { headers } = await caller.issue({}, [1, 3]);
    expectRefusal(await caller.send(headers), 422, 'MUNICIPALITY_REQUIRED');
    if (countsActiveOnes) return;
    for (const municipalities of [
      [1, 2],
      [2, 5],
    ]) {
      const some = await caller.issue({}, municipalities);
      expectRefusal(await caller.send(some.headers), 422, 'MUNICIPALITY_REQUIRED');
    }
  });

  if (countsActiveOnes) {
    it('takes the only active municipality when none is named', async () => {
      const { headers } = await caller.issue({}, [1, 2]);
      expect((await caller.send(headers)).status).toBe(200);
    });

    it('no municipality where none of several is active with 403', async () => {
      const { headers } = await caller.issue({}, [2, 5]);
      expectRefusal(await caller.send(headers), 403, 'MUNICIPALITY_NOT_ALLOWED');
    });
  }

  it('no municipality where the credential’s only one is inactive with 403', async () => {
    const { headers } = await caller.issue({}, [2]);
    expectRefusal(await caller.send(headers), 403, 'MUNICIPALITY_NOT_ALLOWED');
  });

  it('a municipality of a disabled tenant with 403, and no other one with more than that it is not allowed', async () => {
    const { headers } = await caller.issue({ tenantId: 2 }, [4]);
    expectRefusal(await caller.send(headers), 403, 'TENANT_DISABLED');
    expectRefusal(await caller.sendTo('NONE', headers), 403, 'MUNICIPALITY_NOT_ALLOWED');
  });
}

/** An answer without what is its own: the id, and what is left of the budget. */
function withoutId({ status, headers, body }: Answer) {
  const own = ['x-request-id', 'ratelimit'];
  return { status, headers: [...headers].filter(([name]) => !own.includes(name)), error: body.error };
}
