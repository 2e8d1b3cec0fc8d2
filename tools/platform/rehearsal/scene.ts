import { equal, match } from 'node:assert/strict';
import type { Said, Stage } from './stage.ts';
import type { Stream } from './stream.ts';

/** An event of a service in production. It throws if a condition does not hold afterwards. */
export interface Scene {
  readonly name: string;
  /** Why calls may fail during it. */
  readonly failures?: string;
  readonly play: (stage: Stage, memory: Memory, stream: Stream) => Promise<void>;
}

/** The state that scenes share. */
export interface Memory {
  readonly adminToken: string;
  readonly tokenKey: string;
  readonly databases: Readonly<Record<'DB' | 'DB_2', string>>;
  first: string;
}

export const STAGING = ['--env', 'staging'];
/** In `wrangler.toml`, once it is bound. */
export const SECOND_DATABASE = '[[d1_databases]]\nbinding = "DB_2"\nmigrations_dir = "migrations"\n\n';

export const deploy = (stage: Stage, ...more: string[]): Promise<Said> =>
  stage.run('deploy/deploy.ts', ...STAGING, ...more);
export const rollBack = (stage: Stage): Promise<Said> => stage.run('deploy/rollback.ts', ...STAGING);

export function succeeds({ code, text }: Said): void {
  equal(code, 0, text);
}

export function fails({ code, text }: Said, words: RegExp): void {
  equal(code, 1, text);
  match(text, words);
}
