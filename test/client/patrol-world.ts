import type { ListStore, Settled } from '../../clients/client/patrol/index.ts';
import type { Random } from '../domain/random.ts';

export const MINUTE = 60_000;
export const FINDINGS = ['entitled', 'tolerated', 'not_due', 'officer_decides', 'no_entitlement'] as const;

/** What plates begin with that are seen in no area. */
export const NOWHERE = 'NOWHERE';

/** What the service will say of a plate in the end, and until when it says to look again. */
interface Truth {
  readonly finding: (typeof FINDINGS)[number];
  readonly again: number;
  readonly seenAt: number;
}

interface Asked {
  readonly id: string;
  readonly plate: string;
  readonly area_code: string;
  readonly seen_at: string;
}

const json = (body: object, status = 200): Response => {
  const requestId = crypto.randomUUID();
  return new Response(
    JSON.stringify({ success: status < 300, ok: status < 300, request_id: requestId, ...body }),
    {
      status,
      headers: {
        ...{ 'Content-Type': 'application/json', 'X-Request-Id': requestId },
        Date: new Date(Date.now()).toUTCString(),
      },
    },
  );
};

const failing = (status: number, code: string, issues: readonly { path: string; message: string }[] = []) =>
  json({ error: { code, message: 'no', details: { issues } } }, status);

const answering = (results: readonly object[]): Response =>
  json({
    ...{ api_version: '1.0', timezone: 'UTC', municipality: { code: 'H501', name: 'Roma' } },
    ...{ generated_at: new Date(Date.now()).toISOString(), sources: [], results },
  });

const itemOf = ({ id, plate, area_code: code, seen_at }: Asked, finding: string, changed: object = {}) => ({
  ...{ id, plate, area: { code, name: 'A', area_type: 'street' }, seen_at, finding, look_again_at: null },
  ...{ payment_due: true, has_valid_entitlement: false, has_valid_parking: false },
  ...{ has_valid_subscription: false, doubts: [], ...changed },
});

/** The most checks that the credential of this world may ask at once. */
const MAX_CHECKS = 3;

/** The service and the device's disk, and all that may go wrong with them. */
export class World {
  readonly #random: Random;
  readonly truth = new Map<string, Truth>();
  /** Where what a device has asked or said contradicts the truth. */
  readonly wrong: string[] = [];
  isAway = false;
  isKilled = false;
  saved: string | null = null;

  constructor(random: Random) {
    this.#random = random;
  }

  readonly fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (this.isAway || this.#random.oneIn(6)) throw new TypeError('fetch failed');
    if (this.#random.oneIn(20)) return new Promise<never>((_, reject) => onAbort(init?.signal, reject));
    if (String(url).endsWith('/health')) return json({});
    const { checks } = JSON.parse(String(init?.body)) as { checks: Asked[] };
    for (const { plate, seen_at } of checks) {
      const lateMs = Math.abs(Date.parse(seen_at) - (this.truth.get(plate)?.seenAt ?? 0));
      if (lateMs > 2_000) this.wrong.push(`${plate} is dated ${lateMs} ms wrong`);
    }
    const unreadable = checks.flatMap(({ area_code }, index) =>
      area_code === '' ? [{ path: `checks.${index}.area_code`, message: 'must not be blank' }] : [],
    );
    if (unreadable.length > 0) return failing(422, 'INVALID_REQUEST', unreadable);
    if (checks.length > MAX_CHECKS) {
      return failing(422, 'INVALID_REQUEST', [{ path: 'checks', message: 'too many' }]);
    }
    return this.#answer(checks);
  };

  #answer(checks: readonly Asked[]): Response | Promise<Response> {
    switch (this.#random.below(9)) {
      case 0:
        return new Response('<html>no_entitlement</html>', { headers: { 'Content-Type': 'text/html' } });
      case 1:
        return cutShort(answering(checks.map((asked) => itemOf(asked, 'no_entitlement'))));
      case 2:
        return failing(500, 'TEMPORARY_ERROR');
      case 3:
        return answering(
          checks.map((asked) => itemOf({ ...asked, area_code: 'ELSEWHERE' }, 'no_entitlement')),
        );
      case 4:
        return answering(
          checks.map((asked) => itemOf({ ...asked, id: `not ${asked.id}` }, 'no_entitlement')),
        );
      default:
        return answering(checks.map((asked) => this.#itemOf(asked)));
    }
  }

  #itemOf(asked: Asked): object {
    const { finding = 'look_again', again = 0 } = this.truth.get(asked.plate) ?? {};
    if (Date.now() < again) {
      return itemOf(asked, 'look_again', { look_again_at: new Date(again).toISOString() });
    }
    // For an hour: then the officer decides.
    const isFresh = Date.now() < Date.parse(asked.seen_at) + 60 * MINUTE;
    return isFresh && this.#random.oneIn(9)
      ? { id: asked.id, refused: { code: 'TEMPORARY_ERROR', message: 'no' } }
      : itemOf(asked, finding);
  }

  /** It is full now and then; what a killed device writes does not arrive. */
  readonly store: ListStore = {
    load: async () => (this.saved === null ? null : [this.saved]),
    save: async (text) => {
      let whole = '';
      for await (const piece of text) whole += piece;
      if (this.#random.oneIn(8)) throw new Error('the disk is full');
      if (!this.isKilled) this.saved = whole;
    },
  };

  /** What the officer should hear of a plate that was seen. */
  stepOf(plate: string): Settled['step'] {
    const { finding } = this.truth.get(plate) ?? {};
    if (finding === 'officer_decides' || plate.startsWith(NOWHERE)) return 'officer_decides';
    return finding === 'no_entitlement' ? 'issue' : 'let_go';
  }
}

function onAbort(signal: AbortSignal | null | undefined, reject: (reason: unknown) => void): void {
  signal?.addEventListener('abort', () => reject(signal.reason));
}

async function cutShort(response: Response): Promise<Response> {
  const text = await response.text();
  return new Response(text.slice(0, text.length - 2), { headers: response.headers });
}
