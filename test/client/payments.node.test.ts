import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileStore } from '../../clients/client/node/index.ts';
import {
  type Answered,
  createPaymentOutbox,
  type ListStore,
  memoryStore,
  type PaymentOutbox,
  type PaymentOutboxSettings,
  type SetAside,
} from '../../clients/client/payments/index.ts';
import { Random } from '../domain/random.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { Bookkeeper, failing, payment, reversal } from './payments-world.ts';
import { ScriptedService } from './scripted-service.ts';

const TILL = { baseUrl: 'https://parking.test', token: 'pev_at_x', inBackground: false, askWithinMs: 50 };
const PAYMENTS = 200;

const pathOf = (url: string | URL | Request) => new URL(String(url)).pathname;
const never = () => new Promise<never>(() => {});

/** A till that asks a bookkeeper, and what it has heard. Another answer comes first where one is given. */
function till(settings: Partial<PaymentOutboxSettings> = {}, service = new Bookkeeper()) {
  const answered: Answered[] = [];
  const aside: SetAside[] = [];
  const failures: string[] = [];
  const replies: (Response | Error)[] = [];
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { payment_id } = JSON.parse(String(init?.body));
    sent.push(`${pathOf(url).endsWith('reverse') ? 'reverse' : 'pay'} ${payment_id}`);
    const next = replies.shift();
    if (next instanceof Error) throw next;
    return next ?? service.answer(pathOf(url), String(init?.body));
  };
  const outbox = createPaymentOutbox({
    ...{ ...TILL, store: memoryStore(), fetch },
    onAnswered: (one) => void answered.push(one),
    onSetAside: (one) => void aside.push(one),
    onFailure: (failure) => void failures.push('code' in failure ? failure.code : failure.message),
    ...settings,
  });
  return { outbox, service, answered, aside, failures, replies, sent };
}

describe('A till', () => {
  it('gets the answer of its payment, and forgets it once that is handed over', async () => {
    const { outbox, answered } = till();
    const paid = await outbox.pay(payment(1));
    expect(paid).toMatchObject({ ok: true, answer: { accepted: true, scadenza: '17:45 07/04/2026' } });
    expect(answered).toMatchObject([
      { kind: 'payment', request: { payment_id: 'M17-1' }, answer: { accepted: true } },
    ]);
    expect(outbox.waiting).toBe(0);
  });

  it.each([
    ['a lost network', () => new TypeError('fetch failed'), 'NETWORK_ERROR'],
    ['a failure of the service', () => failing(500, 'TEMPORARY_ERROR'), 'TEMPORARY_ERROR'],
    ['a move', () => failing(503, 'MUNICIPALITY_MOVING', { 'Retry-After': '5' }), 'MUNICIPALITY_MOVING'],
    [
      'a spent budget',
      () => failing(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '5' }),
      'RATE_LIMIT_EXCEEDED',
    ],
    ['an inactive municipality', () => failing(403, 'MUNICIPALITY_NOT_ALLOWED'), 'MUNICIPALITY_NOT_ALLOWED'],
    ['a switched off service', () => failing(403, 'SERVICE_DISABLED'), 'SERVICE_DISABLED'],
    ['an expired token', () => failing(401, 'TOKEN_EXPIRED'), 'TOKEN_EXPIRED'],
    ['a second municipality', () => failing(422, 'MUNICIPALITY_REQUIRED'), 'MUNICIPALITY_REQUIRED'],
    ['a clock that is seconds fast', () => failing(422, 'COLLECTED_AT_IN_FUTURE'), 'COLLECTED_AT_IN_FUTURE'],
    ['a code of a newer service', () => failing(409, 'SOMETHING_NEW'), 'UNKNOWN_CODE'],
    [
      'a portal',
      () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }),
      'NOT_OUR_ANSWER',
    ],
  ])('sends a payment again after %s', async (_, first, code) => {
    const { outbox, replies, service, answered, aside, failures } = till();
    // A call tries again by itself, as long as its time lasts.
    for (let tries = 0; tries < 20; tries += 1) replies.push(first());
    expect(await outbox.pay(payment(1))).toMatchObject({ ok: false, code });
    expect([outbox.waiting, aside, failures]).toEqual([1, [], [code]]);
    replies.length = 0;
    expect(await outbox.send()).toBe(true);
    expect([service.payments.size, answered.length, outbox.waiting]).toEqual([1, 1, 0]);
  });

  it('does not take another’s answer for its own', async () => {
    const { outbox, replies, service, answered } = till({ askWithinMs: 500 });
    replies.push(new Bookkeeper().answer('', JSON.stringify(payment(2))));
    replies.push(new Bookkeeper().answer('', JSON.stringify(payment(1, { importo_eurocent: 1 }))));
    for (const _ of [1, 2]) expect(await outbox.pay(payment(1))).toMatchObject({ code: 'NOT_OUR_ANSWER' });
    expect(await outbox.pay(payment(1))).toMatchObject({ ok: true });
    expect([service.payments.size, answered.length]).toEqual([1, 1]);
  });

  it.each([
    [409, 'PAYMENT_CONFLICT'],
    [413, 'PAYLOAD_TOO_LARGE'],
    [422, 'INVALID_REQUEST'],
    [422, 'INVALID_PLATE'],
    [422, 'COLLECTED_AT_OUT_OF_RANGE'],
  ])('hands over what is refused for ever, %i %s, keeps it, and sends it no more', async (status, code) => {
    const store = memoryStore();
    const { outbox, replies, aside, sent } = till({ store });
    replies.push(failing(status, code));
    expect(await outbox.pay(payment(1))).toMatchObject({ ok: false, failure: 'refused', code });
    expect(await outbox.pay(payment(2))).toMatchObject({ ok: true });
    expect(await outbox.send()).toBe(true);
    const refused = [{ kind: 'payment', request: payment(1), failure: { code } }];
    expect(aside).toMatchObject(refused);
    expect(sent).toEqual(['pay M17-1', 'pay M17-2']);

    const later = till({ store });
    expect(await later.outbox.setAside()).toMatchObject(refused);
    expect([await later.outbox.send(), later.sent]).toEqual([true, []]);
    await later.outbox.discard('M17-1');
    expect(await later.outbox.setAside()).toEqual([]);
    expect(await till({ store }).outbox.setAside()).toEqual([]);
  });

  it('hands over text that cannot be sent', async () => {
    const { outbox, aside } = till();
    expect(await outbox.pay(payment(1, { plate: '\ud800' }))).toMatchObject({ code: 'ILL_FORMED_INPUT' });
    expect(aside).toHaveLength(1);
  });

  it('gives a clock that is too fast an hour, and no more', async () => {
    const { outbox, replies, aside, sent } = till();
    for (let tries = 0; tries < 30; tries += 1) replies.push(failing(422, 'COLLECTED_AT_IN_FUTURE'));
    await outbox.pay(payment(1));
    while (outbox.waiting > 0) await outbox.send();
    expect([sent.length, aside[0]?.failure.code]).toEqual([20, 'COLLECTED_AT_IN_FUTURE']);
  });

  it('sends a corrected payment in the place of the one that was set aside', async () => {
    const { outbox, service } = till();
    await outbox.pay(payment(1, { plate: '' }));
    expect(await outbox.pay(payment(1))).toMatchObject({ ok: true });
    expect([await outbox.setAside(), [...service.payments.values()]]).toEqual([[], [payment(1)]]);
  });

  it('keeps the same payment once, and no other under its key', async () => {
    const { outbox, replies, service } = till();
    replies.push(failing(429, 'RATE_LIMIT_EXCEEDED'));
    await outbox.pay(payment(1));
    expect(outbox.waiting).toBe(1);
    await expect(outbox.pay(payment(1, { importo_eurocent: 1 }))).rejects.toThrow('Another payment waits');
    await Promise.all([outbox.pay(payment(1)), outbox.pay(payment(1)), outbox.send()]);
    expect([service.made, outbox.waiting]).toEqual([new Map([['M17-1', 1]]), 0]);
  });

  it('is held up by none that always fails', async () => {
    const service = new Bookkeeper();
    const { outbox } = till({
      fetch: async (url, init) =>
        String(init?.body).includes('M17-1"')
          ? failing(500, 'TEMPORARY_ERROR')
          : service.answer(pathOf(url), String(init?.body)),
    });
    const away = await Promise.all([1, 2, 3].map((n) => outbox.pay(payment(n))));
    expect(away.map(({ ok }) => ok)).toEqual([false, true, true]);
    await outbox.reverse(reversal(1));
    await outbox.pay(payment(4));
    await outbox.send();
    expect([[...service.payments.keys()], outbox.waiting]).toEqual([['M17-2', 'M17-3', 'M17-4'], 2]);
  });

  it('keeps what it could not hand over, and hears the same again', async () => {
    let isOff = true;
    const heard: Answered[] = [];
    const { outbox, failures } = till({
      onAnswered: (one) => {
        if (isOff) throw new Error('the printer is off');
        heard.push(one);
      },
    });
    expect(await outbox.pay(payment(1))).toMatchObject({ ok: true });
    expect([outbox.waiting, failures]).toEqual([1, ['the printer is off']]);
    isOff = false;
    expect(await outbox.send()).toBe(true);
    expect(heard).toMatchObject([{ answer: { accepted: true, already_recorded: true } }]);
  });

  it('refuses a payment that it cannot keep, and does not send it', async () => {
    const store: ListStore = {
      load: async () => null,
      save: () => Promise.reject(new Error('the disk is full')),
    };
    const { outbox, sent } = till({ store });
    await expect(outbox.pay(payment(1))).rejects.toThrow('the disk is full');
    expect([await outbox.send(), outbox.waiting, sent]).toEqual([true, 0, []]);
  });

  it('refuses one more than it may keep', async () => {
    const { outbox, replies } = till({ maxEntries: 2 });
    for (let tries = 0; tries < 3; tries += 1) replies.push(failing(401, 'TOKEN_EXPIRED'));
    await outbox.pay(payment(1));
    await outbox.pay(payment(2));
    await expect(outbox.pay(payment(3))).rejects.toThrow(RangeError);
    expect(await outbox.send()).toBe(false);
    expect(await outbox.send()).toBe(true);
    expect(await outbox.pay(payment(3))).toMatchObject({ ok: true });
  });

  it.each(['{', '{"version":2,"entries":[]}', '{"version":1,"entries":[{"kind":"payment","request":{}}]}'])(
    'writes nothing over what it cannot read: %s',
    async (text) => {
      const saved: string[] = [];
      const store: ListStore = { load: async () => [text], save: async () => void saved.push('') };
      const { outbox, failures } = till({ store });
      await expect(outbox.pay(payment(1))).rejects.toThrow('cannot be read');
      expect([await outbox.send(), saved, failures.length]).toEqual([false, [], 1]);
    },
  );

  it('names the municipality that a payment was kept for, whatever the settings say later', async () => {
    const store = memoryStore();
    const first = till({ store, municipalityCode: 'L219' });
    first.replies.push(failing(429, 'RATE_LIMIT_EXCEEDED'));
    await first.outbox.pay(payment(1));
    const later = till({ store, municipalityCode: 'H501' });
    await later.outbox.send();
    expect(later.service.payments.get('M17-1')).toMatchObject({ municipality_code: 'L219' });
  });

  it('sends by itself until all is answered', async () => {
    const heard = Promise.withResolvers<Answered>();
    const store = memoryStore();
    const first = till({ store });
    first.replies.push(failing(401, 'TOKEN_EXPIRED'));
    await first.outbox.pay(payment(1));
    const { outbox } = till({ store, inBackground: true, onAnswered: heard.resolve });
    expect(await heard.promise).toMatchObject({ request: { payment_id: 'M17-1' } });
    await outbox.close();
  });
});

describe('A reversal', () => {
  it('goes after its payment, and is answered', async () => {
    const { outbox, replies, sent, answered, service } = till();
    replies.push(failing(429, 'RATE_LIMIT_EXCEEDED'), failing(429, 'RATE_LIMIT_EXCEEDED'));
    await outbox.pay(payment(1));
    expect(await outbox.reverse(reversal(1))).toMatchObject({ ok: false, failure: 'limited' });
    expect(sent).toEqual(['pay M17-1', 'pay M17-1']);
    expect(await outbox.send()).toBe(true);
    expect(sent.slice(2)).toEqual(['pay M17-1', 'reverse M17-1']);
    expect(answered.map(({ kind, answer }) => [kind, answer.result_code])).toEqual([
      ['payment', 'PERIOD_CREATED'],
      ['reversal', 'PAYMENT_REVERSED'],
    ]);
    expect([...service.reversals.keys()]).toEqual(['M17-1']);
  });

  it('of a payment that was answered long ago goes at once', async () => {
    const { outbox } = till();
    await outbox.pay(payment(1));
    expect(await outbox.reverse(reversal(1))).toMatchObject({ ok: true, answer: { accepted: true } });
    expect(await outbox.reverse(reversal(9))).toMatchObject({ ok: true, answer: { accepted: false } });
  });

  it('never reverses another payment, whose key was used twice', async () => {
    const { outbox, service, sent } = till();
    service.answer('', JSON.stringify(payment(1, { plate: 'ANOTHER' })));
    await outbox.pay(payment(1));
    expect(await outbox.reverse(reversal(1))).toMatchObject({ ok: false, code: 'PAYMENT_CONFLICT' });
    expect((await outbox.setAside()).map(({ kind }) => kind)).toEqual(['payment', 'reversal']);
    expect([sent, service.reversals.size]).toEqual([['pay M17-1'], 0]);
    await outbox.discard('M17-1');
    expect(await outbox.setAside()).toEqual([]);
  });
});

/** What a till does to the world, each of which may be the last. */
class Lives {
  readonly service = new Bookkeeper();
  readonly heard = new Map<string, number>();
  readonly aside: string[] = [];
  saved: string | null = null;
  /** Steps until the till is killed. */
  left = Number.POSITIVE_INFINITY;
  #life = 0;

  /** A till that begins, with what the one before has saved. */
  begin(random: Random | null = null): PaymentOutbox {
    this.#life += 1;
    const life = this.#life;
    // What a dead process does reaches nobody, and it hears of nothing.
    const step = async (): Promise<void> => {
      if (life !== this.#life || this.left <= 0) return never();
      this.left -= 1;
    };
    const isOff = (times: number) => random?.oneIn(times) ?? false;
    return createPaymentOutbox({
      ...TILL,
      store: {
        load: async () => (this.saved === null ? null : [this.saved]),
        save: async (text) => {
          let whole = '';
          for await (const piece of text) whole += piece;
          await step();
          if (isOff(9)) throw new Error('the disk is full');
          this.saved = whole;
          await step();
        },
      },
      fetch: async (url, init) => {
        await step();
        if (isOff(5)) throw new TypeError('fetch failed');
        if (isOff(9)) return failing(500, 'TEMPORARY_ERROR');
        const answer = this.service.answer(pathOf(url), String(init?.body));
        await step();
        if (isOff(7)) throw new TypeError('fetch failed');
        return isOff(9) ? new Response(answer.body, { headers: { 'Content-Type': 'text/html' } }) : answer;
      },
      onAnswered: async ({ kind, request }) => {
        await step();
        const key = `${kind} ${request.payment_id}`;
        this.heard.set(key, (this.heard.get(key) ?? 0) + 1);
        await step();
      },
      onSetAside: ({ request }) => void this.aside.push(request.payment_id),
    });
  }

  kill(): void {
    this.#life += 1;
    this.left = Number.POSITIVE_INFINITY;
  }

  /** Whether what a till does comes to an end before it is killed. */
  async survives(work: Promise<unknown>): Promise<boolean> {
    const outcome = work.then(
      () => true,
      () => true,
    );
    const isDead = async () => {
      while (this.left > 0) await new Promise((resolve) => setImmediate(resolve));
      return false;
    };
    return Promise.race([outcome, isDead()]);
  }
}

describe('Two hundred payments', () => {
  const ids = Array.from({ length: PAYMENTS }, (_, n) => `M17-${n}`);

  it('are each recorded once, by a till that is killed at each step of each of them', async () => {
    const lives = new Lives();
    const kills: number[] = [];
    for (let n = 0; n < PAYMENTS; n += 1) {
      let steps = 0;
      for (let isDone = false; !isDone; steps += 1) {
        lives.left = steps;
        const outbox = lives.begin();
        // What was taken is in the till's own journal: it is paid in again, since nobody knows whether it was kept.
        isDone = (await lives.survives(outbox.pay(payment(n)))) && lives.left > 0;
        lives.kill();
      }
      kills.push(steps);
    }
    // Saved, sent, answered, forgotten: each has two sides.
    expect(Math.min(...kills)).toBeGreaterThanOrEqual(8);
    expect([...lives.service.made]).toEqual(ids.map((id) => [id, 1]));
    expect([...lives.heard.keys()]).toEqual(ids.map((id) => `payment ${id}`));
    expect(lives.aside).toEqual([]);
    expect(await lives.begin().setAside()).toEqual([]);
  });

  it('are lost by no kill once they are kept, though nobody pays them in again', async () => {
    const lives = new Lives();
    const kept: string[] = [];
    for (const [n, id] of ids.entries()) {
      lives.left = n % 9;
      const outbox = lives.begin();
      await lives.survives(outbox.pay(payment(n)));
      lives.kill();
      if (lives.saved?.includes(`"${id}"`) || lives.service.made.has(id)) kept.push(id);
    }
    // Two steps in nine are before the payment is kept.
    expect(kept.length).toBeGreaterThan(PAYMENTS / 2);
    const last = lives.begin();
    await expect.poll(() => last.send()).toBe(true);
    expect([...lives.service.made].sort()).toEqual(kept.map((id) => [id, 1]).sort());
  });

  it.each(Array.from({ length: shortOrThorough(2, 60) }, (_, index) => RUN_SEED + index))(
    'some of them reversed, are each recorded and reversed once through kills, lost networks and a full disk (seed %i)',
    async (seed) => {
      const lives = new Lives();
      const reversed = await trade(lives, new Random(seed));
      // The journal of the till, at last without any trouble.
      lives.kill();
      const outbox = lives.begin();
      for (const n of ids.keys()) await outbox.pay(payment(n));
      for (const n of reversed) await outbox.reverse(reversal(n));
      expect(await outbox.send()).toBe(true);
      expect([...lives.service.made].sort()).toEqual(ids.map((id) => [id, 1]).sort());
      expect([...lives.service.reversals.keys()].sort()).toEqual(reversed.map((n) => `M17-${n}`).sort());
      const wanted = [...ids.map((id) => `payment ${id}`), ...reversed.map((n) => `reversal M17-${n}`)];
      expect([...lives.heard.keys()].sort()).toEqual(wanted.sort());
      expect(lives.aside).toEqual([]);
    },
    60_000,
  );
});

/** Takes all payments, through all that may go wrong. @returns which of them were reversed */
async function trade(lives: Lives, random: Random): Promise<number[]> {
  const reversed: number[] = [];
  let outbox = lives.begin(random);
  for (let n = 0; n < PAYMENTS; n += 1) {
    if (random.oneIn(2)) lives.left = random.below(12);
    const work: Promise<unknown>[] = [outbox.pay(payment(n))];
    if (random.oneIn(3)) work.push(outbox.send());
    if (random.oneIn(4)) {
      reversed.push(n);
      work.push(outbox.reverse(reversal(n)));
    }
    if (await lives.survives(Promise.allSettled(work))) continue;
    lives.kill();
    outbox = lives.begin(random);
  }
  return reversed;
}

describe('A till that is a process', () => {
  let service: ScriptedService;
  const folder = mkdtempSync(join(tmpdir(), 'till-'));
  beforeAll(async () => {
    service = await ScriptedService.start();
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  it('keeps its payments for its owner alone', async () => {
    const file = join(folder, 'mode/payments.json');
    const { outbox, replies } = till({ store: fileStore(file) });
    replies.push(failing(401, 'TOKEN_EXPIRED'));
    await outbox.pay(payment(1));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8')).entries).toHaveLength(1);
  });

  it(
    'loses none to kill -9, whenever that comes',
    async () => {
      const books = new Bookkeeper();
      service.script((response, { url, body }) => {
        void books
          .answer(url, body)
          .text()
          .then((text) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(text));
      });
      const journal = join(folder, 'journal');
      writeFileSync(journal, '');
      const random = new Random(RUN_SEED);
      for (let kill = 0; kill < shortOrThorough(3, 60); kill += 1) {
        const before = books.payments.size;
        const child = tillProcess(folder, service.address);
        await expect.poll(() => books.payments.size > before, { timeout: 20_000, interval: 1 }).toBe(true);
        await new Promise((resolve) => setTimeout(resolve, random.below(40)));
        child.kill('SIGKILL');
        await once(child, 'exit');
        if (child.exitCode === 0) break;
      }
      const [code] = await once(tillProcess(folder, service.address), 'exit');
      expect(code).toBe(0);
      expect([...books.made].length).toBe(PAYMENTS);
      expect(new Set(books.made.values())).toEqual(new Set([1]));
      expect(JSON.parse(readFileSync(join(folder, 'payments.json'), 'utf8')).entries).toEqual([]);
    },
    shortOrThorough(60_000, 300_000),
  );
});

function tillProcess(folder: string, address: string): ChildProcess {
  return spawn(process.execPath, ['test/client/till-process.ts', folder, address, String(PAYMENTS)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
