import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RULE_PAGES } from '../../src/public/pages/rule-pages.ts';
import { docsPage, markupOf } from './docs-page.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

type RulePage = (typeof RULE_PAGES)[number];

/** The document of a page. That of a folder is its README. */
const documentOf = (path: string): string =>
  path === '/docs/interface' ? 'docs/interface/README.md' : `${path.slice(1)}.md`;

const pages = new Map(RULE_PAGES.map((path) => [documentOf(path), path]));

/**
 * A document of the interface as a page of the service. Links to documents that are not served become plain
 * words.
 */
export function rulePage(path: RulePage): Uint8Array {
  const from = documentOf(path);
  const text = readFileSync(join(root, from), 'utf8');
  const title = /^# (.*)/.exec(text)?.[1] ?? '';
  return docsPage(
    title,
    markupOf(text, (href) => servedAt(href, from)),
  );
}

/** The service's address for a link of a document; null if the service does not serve it. */
function servedAt(href: string, from: string): string | null {
  const [target = '', anchor] = href.split('#');
  const path = target === '' ? from : posix.join(posix.dirname(from), target);
  const page = pages.get(path);
  if (page === undefined) {
    return null;
  }
  return anchor === undefined ? page : `${page}#${anchor}`;
}
