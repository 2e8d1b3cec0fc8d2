import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../local/wrangler.ts';

/** The pages of the operator. */
const PAGES = [
  ...['backup', 'deploying', 'first-city', 'incidents', 'more-than-one-database', 'operating'],
  'restoring-the-database',
];

/** Lists the commands that the stand-in cannot play. */
const README = join(PROJECT_ROOT, 'tools/platform/README.md');

/** Words of Wrangler that have a command below them. */
const GROUPS = ['d1', 'kv', 'namespace', 'secret', 'time-travel', 'migrations'];

/** The name of a command, without its arguments: `wrangler d1 create`, `npm run deploy`, `parking backup`. */
export function wranglerCommand(words: readonly string[]): string {
  const end = words.findIndex((word) => !GROUPS.includes(word));
  return ['wrangler', ...words.slice(0, end + 1)].join(' ');
}

/** Likewise of a call, its codes and ids replaced by an asterisk. */
export const callOf = (method: string, path: string): string =>
  `${method} ${path.replace(/\?.*/, '').replace(/\/(?:[A-Z]+\d*|[0-9a-f]{24})(?=\/|$)/g, '/*')}`;

/** The commands in the blocks of a page. */
export function commandsIn(page: string): string[] {
  const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, text = '']) => text);
  const lines = blocks.join('').replaceAll(/\\\n/g, ' ').split('\n');
  return lines.flatMap((line) => {
    const [, script] = /npm run (\S+)/.exec(line) ?? [];
    const [, words] = /npx wrangler ([a-z0-9 -]+)/.exec(line) ?? [];
    const [, office] = /^ *parking ([a-z]+(?: put| sessions)?)/.exec(line) ?? [];
    const [, path] = /\bcurl .*?(\/(?:api|ready)[^\s"]*)/.exec(line) ?? [];
    const [, method = 'GET'] = /\bcurl .*-X ([A-Z]+)/.exec(line) ?? [];
    return [
      ...(script === undefined ? [] : [`npm run ${script}`]),
      ...(words === undefined ? [] : [wranglerCommand(words.split(' '))]),
      ...(office === undefined ? [] : [`parking ${office}`]),
      ...(path === undefined ? [] : [callOf(method, path)]),
    ];
  });
}

/**
 * The commands of the operator's pages that no scene has played, and that the stand-in's README does not name
 * as unplayed.
 */
export function unplayed(played: ReadonlySet<string>): string[] {
  const readme = readFileSync(README, 'utf8');
  const named = readme.slice(readme.indexOf('**Not played**'));
  const shown = PAGES.flatMap((page) =>
    commandsIn(readFileSync(join(PROJECT_ROOT, `docs/${page}.md`), 'utf8')),
  );
  return [...new Set(shown)].filter((command) => !played.has(command) && !named.includes(`\`${command}\``));
}
