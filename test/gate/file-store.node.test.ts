import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readStoredForm } from '../../clients/client/gate/stored-form.ts';
import { fileStore } from '../../clients/client/node/index.ts';
import { shortOrThorough } from '../support/run-form.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function* text(...pieces: string[]): AsyncGenerator<string> {
  yield* pieces;
}

async function loaded(path: string): Promise<string | null> {
  const pieces = await fileStore(path).load();
  if (pieces === null) return null;
  let whole = '';
  for await (const piece of pieces) whole += piece;
  return whole;
}

describe('A list in a file', () => {
  it('is read as it was written, letters of any script too', async () => {
    const path = join(folder, 'deep', 'list');
    expect(await loaded(path)).toBeNull();
    await fileStore(path).save(text('京 ', 'one\n', 'two'));
    expect(await loaded(path)).toBe('京 one\ntwo');
    await fileStore(path).save(text('three'));
    expect(await loaded(path)).toBe('three');
  });

  it('is for its owner alone, whatever lay in its place', async () => {
    const path = join(folder, 'list');
    for (const old of [path, `${path}.new`]) {
      writeFileSync(old, 'old');
      chmodSync(old, 0o666);
    }
    await fileStore(path).save(text('new'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is not written through a link that somebody has placed next to it', async () => {
    const path = join(folder, 'list');
    const target = join(folder, 'somebody-elses');
    writeFileSync(target, 'theirs');
    symlinkSync(target, `${path}.new`);
    await fileStore(path).save(text('ours'));
    expect([readFileSync(target, 'utf8'), await loaded(path)]).toEqual(['theirs', 'ours']);
  });

  it('stays as it was when a text comes to no end', async () => {
    const path = join(folder, 'list');
    await fileStore(path).save(text('whole'));
    const broken = (async function* () {
      yield 'half';
      throw new Error('broken');
    })();
    await expect(fileStore(path).save(broken)).rejects.toThrow('broken');
    expect(await loaded(path)).toBe('whole');
  });

  it('is whole after its writer was killed, at whatever moment', { timeout: 120_000 }, async () => {
    const path = join(folder, 'list');
    const seen = new Set<number>();
    for (let kill = 0; kill < shortOrThorough(6, 25); kill++) {
      const writer = spawn(process.execPath, ['test/gate/store-writer.ts', path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(writer, 'exit');
      // Some lists have been written: each kill comes at another one.
      for (let saved = 0; saved <= kill % 5; saved++) await once(writer.stdout, 'data');
      await wait(Math.random() * 20);
      writer.kill('SIGKILL');
      await ended;
      const pieces = await fileStore(path).load();
      const kept = pieces && (await readStoredForm(pieces));
      expect(kept, 'what is there can be read').not.toBeNull();
      seen.add(kept?.size ?? 0);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    // It was killed in different rounds: not always in the same quiet place.
    expect(seen.size).toBeGreaterThan(1);
  });
});
