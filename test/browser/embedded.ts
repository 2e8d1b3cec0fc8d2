import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Watched } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe-core finds wrong in the page, shadow trees included: its WCAG rules and its good practices.
 *
 * @param but a drawing that it cannot judge
 */
export async function accessibilityIssues({ page }: Pick<Watched, 'page'>, but?: string): Promise<string[]> {
  // In the page's own world, but not as a script of the page: its policy allows none.
  await page.evaluate(AXE);
  return page.evaluate(async (exclude) => {
    const { axe } = globalThis as unknown as { axe: { run: (context: object) => Promise<AxeResults> } };
    const { violations, incomplete } = await axe.run(exclude === undefined ? document : { exclude });
    return [...violations, ...incomplete].map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.flat().join(' ')).join('; ')}`,
    );
  }, but);
}

interface AxeResults {
  readonly violations: readonly AxeIssue[];
  /** What it cannot decide: nothing may hide there. */
  readonly incomplete: readonly AxeIssue[];
}

interface AxeIssue {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly (string | readonly string[])[] }[];
}
