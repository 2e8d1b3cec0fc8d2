import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildParking } from '../../tools/clients/parking.ts';
import { PACK_MS } from '../client/installed-package.ts';
import { samplesIn } from '../local/samples.ts';
import { ADMIN_TOKEN, Desk, type Keys, type RunningService, startService } from './office.ts';

const PAGE = 'docs/first-city.md';

let desk: Desk;
let service: RunningService;

beforeAll(async () => {
  desk = new Desk();
  service = await startService();
  // The checkout: what `npm run build:clients` makes is there already.
  buildParking(desk.path('dist'));
  desk.write('package.json', '{ "private": true, "scripts": { "build:clients": "true" } }');
  mkdirSync(desk.path('global/lib'), { recursive: true });
}, PACK_MS);
afterAll(async () => {
  desk.leave();
  await service.stop();
});

const tokenIn = (file: string): string => JSON.parse(readFileSync(desk.path(file), 'utf8')).access_token;

/** What the operator types, in the order in which the page's commands ask. */
const ANSWERS = [() => ADMIN_TOKEN, () => 'yes', () => tokenIn('app1.json'), () => tokenIn('anna.json')];

/** Types the next answer whenever a command has asked once more. */
function answering(): (printed: string, keys: Keys) => void {
  let asked = 0;
  return (printed, keys) => {
    const questions = printed.match(/◆/g)?.length ?? 0;
    if (questions > asked) keys.type(`${ANSWERS[answered++]?.() ?? ''}\r`);
    asked = Math.max(asked, questions);
  };
}
let answered = 0;

it(
  'A new operator gets from the installed command to a city with offices by the commands as they are printed',
  async () => {
    const [roma] = samplesIn(PAGE, 'yaml');
    desk.write('roma.yaml', roma?.script ?? '');
    const environment = {
      PATH: [desk.path('global/bin'), process.env.PATH].join(delimiter),
      npm_config_prefix: desk.path('global'),
      npm_config_offline: 'true',
    };
    const done: string[] = [];
    const play = async (script: string): Promise<void> => {
      const here = script.replaceAll('https://HOST', service.address);
      const { code, out } = await desk.shellInTerminal(`cd '${desk.folder}' && set -e\n${here}`, {
        environment,
        watch: answering(),
      });
      const shown = stripVTControlCharacters(out);
      expect({ script, code }, shown).toEqual({ script, code: 0 });
      done.push(shown);
    };
    const samples = samplesIn(PAGE, 'sh');
    for (const { script } of samples) await play(script);
    await play('parking login --url https://HOST');
    await play('parking config get H501');

    const shown = done.join('\n');
    expect(shown).toMatch(/rights +the administrator’s/);
    expect(shown).toContain('5 created');
    expect(shown).toMatch(/access_granted +true[\s\S]*access_granted +false/);
    expect(shown).toMatch(/rights\.scopes +office/);
    expect(done.at(-1)).toContain('Parcheggio Centro');
    expect(answered).toBe(ANSWERS.length);
    for (const file of ['barrier', 'app1', 'anna', 'audit']) {
      expect(statSync(join(desk.folder, `${file}.json`)).mode & 0o777).toBe(0o600);
    }
  },
  PACK_MS,
);
