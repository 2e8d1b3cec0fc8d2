import { setTimeout as sleep } from 'node:timers/promises';

const MIB = 1_024 * 1_024;
const LOOKS_EVERY_MS = 20;

/** What V8 answers to `Runtime.getHeapUsage`: bytes of JavaScript, of the runtime's own objects, and of buffers. */
interface Usage {
  readonly usedSize: number;
  readonly embedderHeapUsedSize: number;
  readonly backingStorageSize: number;
}

/**
 * Does something, and tells the most MiB that the isolate of a Worker had in use meanwhile. Garbage is collected again and
 * again.
 *
 * @param inspector the address of the runtime's inspector
 */
export async function mostMiBDuring(
  inspector: URL,
  worker: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const ask = await connect(`${inspector.origin.replace(/^http/, 'ws')}/core:user:${worker}`);
  const usedMiB = async (): Promise<number> => {
    // Answered, and done, at the isolate's next turn: nobody waits for it.
    void ask('HeapProfiler.collectGarbage');
    const usage = await ask<Usage>('Runtime.getHeapUsage');
    return (usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize) / MIB;
  };
  let most = await usedMiB();
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      most = Math.max(most, await usedMiB());
      await sleep(LOOKS_EVERY_MS);
    }
  })();
  try {
    await work();
  } finally {
    isDone = true;
    await watching;
    ask.close();
  }
  return most;
}

interface Ask {
  <Result>(method: string): Promise<Result>;
  close(): void;
}

async function connect(address: string): Promise<Ask> {
  const socket = new WebSocket(address);
  await new Promise((opened, failed) => {
    socket.addEventListener('open', opened);
    socket.addEventListener('error', failed);
  });
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    // An answer has the number of its question; the inspector's events have none.
    const { id, result } = JSON.parse(String(data)) as { readonly id?: number; readonly result?: unknown };
    waiting.get(id ?? 0)?.(result);
    waiting.delete(id ?? 0);
  });
  let asked = 0;
  const ask = <Result>(method: string): Promise<Result> => {
    asked += 1;
    // Whoever asks knows what V8 answers.
    const answer = new Promise<unknown>((answered) => waiting.set(asked, answered)) as Promise<Result>;
    socket.send(JSON.stringify({ id: asked, method }));
    return answer;
  };
  return Object.assign(ask, { close: () => socket.close() });
}
