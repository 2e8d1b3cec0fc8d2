import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepDemoProfile } from '../../tools/local/demo/profile.ts';
import { findProcess, isRunning } from '../../tools/local/processes.ts';
import { readSecrets } from '../../tools/local/secrets.ts';
import { claimStateFolder, endLeftBehind } from '../../tools/local/state-folder.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;
let folder = '';
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'state-folder-')), 'state');
});

describe('The folder of a start', () => {
  let other: ChildProcess | undefined;
  afterEach(() => other?.kill());

  /** Another start, which holds the folder: a process that is there, and what it writes. */
  function holder(): number {
    other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const pid = other.pid ?? expect.fail('no process');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'held-by.json'), JSON.stringify({ pid, port: 8787 }));
    return pid;
  }

  it('is its owner’s alone', () => {
    claimStateFolder(folder, 8787);
    expect(modeOf(folder)).toBe(0o700);
  });

  it('becomes its owner’s alone where it is there already', () => {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    claimStateFolder(folder, 8787);
    expect(modeOf(folder)).toBe(0o700);
  });

  it('is refused to a second start, which says who holds it', () => {
    const pid = holder();
    expect(() => claimStateFolder(folder, 8788)).toThrow(
      `${folder} is held by another npm start: process ${pid}, on port 8787.`,
    );
  });

  const heldBy = () => JSON.parse(readFileSync(join(folder, 'held-by.json'), 'utf8'));

  it('is free again once its holder was killed', async () => {
    holder();
    other?.kill('SIGKILL');
    await once(other ?? expect.fail('no process'), 'exit');
    claimStateFolder(folder, 8788);
    expect(heldBy()).toMatchObject({ pid: process.pid, port: 8788 });
  });

  /** Runs a shell, and reads the process id that it prints. */
  async function printedBy(script: string): Promise<number> {
    other = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [printed] = await once(other.stdout ?? expect.fail('no output'), 'data');
    return Number(printed);
  }

  /** A process that has ended, and that nobody asks for: what the shell turns into knows no children. */
  async function aZombie(): Promise<number> {
    const pid = await printedBy('sleep 0.5 & echo $!; exec sleep 60');
    await expect.poll(() => findProcess(pid), { timeout: 5_000 }).toBeNull();
    return pid;
  }

  it('is free while its killed holder is a zombie', async () => {
    const zombie = await aZombie();
    expect(process.kill(zombie, 0)).toBe(true);
    mkdirSync(folder);
    writeFileSync(join(folder, 'held-by.json'), JSON.stringify({ pid: zombie, port: 8787 }));
    claimStateFolder(folder, 8788);
    expect(heldBy()).toMatchObject({ pid: process.pid });
  });

  it('is free where another process has the number of its holder', () => {
    const pid = holder();
    const began = 'at another time';
    writeFileSync(join(folder, 'held-by.json'), JSON.stringify({ pid, port: 8787, began }));
    claimStateFolder(folder, 8788);
    expect(heldBy()).toMatchObject({ pid: process.pid });
  });

  it.each([
    ['workerd', false],
    ['something else', true],
  ])('loses the runtime that a killed start has left: %s', async (command, isLeft) => {
    const zombie = await aZombie();
    const script = 'setInterval(() => {}, 1000)';
    const runtime = spawn(process.execPath, ['-e', script, command], { detached: true, stdio: 'ignore' });
    const ended = once(runtime, 'exit');
    mkdirSync(folder);
    const held = { pid: zombie, port: 8787, runtime: runtime.pid };
    writeFileSync(join(folder, 'held-by.json'), JSON.stringify(held));
    await endLeftBehind(folder);
    if (!isLeft) await ended;
    expect(isRunning(runtime.pid ?? 0)).toBe(isLeft);
    runtime.kill('SIGKILL');
  });

  it('keeps the runtime of a start that runs', async () => {
    const pid = holder();
    writeFileSync(join(folder, 'held-by.json'), JSON.stringify({ pid, port: 8787, runtime: pid }));
    await endLeftBehind(folder);
    expect(isRunning(pid)).toBe(true);
  });

  it('is free once npm has ended without its start, which is ended', async () => {
    const pid = holder();
    const began = findProcess(pid)?.began;
    const npm = { pid: 2 ** 22 + 1, began };
    writeFileSync(join(folder, 'held-by.json'), JSON.stringify({ pid, began, port: 8787, npm }));
    await endLeftBehind(folder);
    await once(other ?? expect.fail('no process'), 'exit');
    claimStateFolder(folder, 8788);
    expect(heldBy()).toMatchObject({ pid: process.pid });
  });
});

describe('A file of secrets that others may read', () => {
  it('is closed to them when it is read', () => {
    mkdirSync(folder);
    const file = join(folder, '.dev.vars');
    writeFileSync(file, 'SESSION_RETENTION_DAYS=30\n');
    chmodSync(file, 0o644);
    readSecrets({}, file);
    expect(modeOf(file)).toBe(0o600);
  });
});

describe('The profile of a demonstration', () => {
  it('is in the folder of its data, for its owner alone', () => {
    const file = keepDemoProfile(folder, 'http://localhost:8787', 'pev_at_office');
    expect(file.startsWith(folder)).toBe(true);
    expect(modeOf(file)).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      current: 'demo',
      profiles: { demo: { url: 'http://localhost:8787', access_token: 'pev_at_office' } },
    });
  });
});
