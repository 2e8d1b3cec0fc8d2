import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import { RULE_PAGES } from '../../src/public/pages/rule-pages.ts';

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
  const marked = new Marked({
    renderer: {
      heading: (html, level, raw) => `<h${level} id="${anchorOf(raw)}">${html}</h${level}>\n`,
      link: (href, _title, words) => {
        const target = servedAt(href, from);
        return target === null ? words : `<a href="${target}">${words}</a>`;
      },
      // A wide table scrolls by itself, by keyboard too.
      table: (head, body) =>
        `<div class="table" tabindex="0"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`,
    },
  });
  return new TextEncoder().encode(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" />
    <link rel="stylesheet" href="/docs/rules.css" />
  </head>
  <body>
    <nav><a href="/docs">Reference</a> <a href="/docs/interface">Rules</a> <a href="/docs/versioning">Versions</a></nav>
    <main>
${marked.parse(text, { async: false })}</main>
  </body>
</html>
`);
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

/** As GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
