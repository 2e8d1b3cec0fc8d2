import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

interface Sample {
  readonly script: string;
  /** What the line behind the arrow says of the output. */
  readonly expected: string;
}

/** The samples of a page in a language, each with the outcome that it promises. */
export function samplesIn(page: string, language: string): Sample[] {
  const blocks = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...readFileSync(page, 'utf8').matchAll(blocks)].map(([, block = '']) => {
    const [script = '', expected = ''] = block.split('# → ');
    return { script, expected: expected.trim() };
  });
}

/** Runs a sample by a program that reads it, and says all that it printed. */
export async function played(
  [program, option]: readonly [string, string],
  script: string,
  environment: Readonly<Record<string, string>>,
  folder: string,
): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: folder, ...environment };
  const child = spawn(program, [option, script], { env, cwd: folder });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out + err;
}
