import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

/** Where the runtime that Wrangler brings along is. */
const { default: workerd }: { default: string } = createRequire(import.meta.url)('workerd');

/** The runtime's own D1 binding, in JavaScript, which the program holds as text. */
function bindingOfD1(): string {
  const program = readFileSync(workerd);
  const from = program.indexOf("'db.system.name': 'cloudflare-d1'");
  const last = program.lastIndexOf("'db.system.name': 'cloudflare-d1'");
  return program.subarray(from - 4_000, last + 8_000).toString('latin1');
}

describe('What a trace holds of a database', () => {
  it('is switched on', () => {
    expect(readFileSync('wrangler.toml', 'utf8')).toMatch(/^\[observability\.traces\]\nenabled = true$/m);
  });

  it('is the text of a statement, and never a parameter, as the runtime of this version writes spans', () => {
    const binding = bindingOfD1();
    const attributes = [...binding.matchAll(/setAttributes?\(([\s\S]*?)\);/g)].map(
      ([, written = '']) => written,
    );
    expect(attributes.filter((written) => written.includes('db.query.text'))).toHaveLength(6);
    expect(attributes.filter((written) => /\bparams\b/.test(written))).toEqual([]);
  });
});
