import { describe, expect, it } from 'vitest';
import { atLeastOne, filesBelow, importsOf, source, withoutComments } from './source.ts';

const command = filesBelow('clients/parking').filter((path) => !path.includes('/dist/'));

describe('The office’s command', () => {
  it('speaks to the service through the typed client alone', () => {
    // The tries of a part are watched on the way: it hands the call on to the client.
    const watching = ['clients/parking/imports/run-import.ts'];
    const calling = command.filter((path) => /\bfetch\(/.test(withoutComments(source(path))));
    expect(calling.sort()).toEqual(watching);
    const clients = command.flatMap((path) =>
      importsOf(path).filter((name) => name.startsWith('clients/client/')),
    );
    expect(new Set(clients)).toEqual(new Set(['clients/client/index.ts']));
  });

  it('takes from the service what can be judged without it, and nothing that runs there', () => {
    const taken = atLeastOne(
      command.flatMap(importsOf).filter((name) => name.startsWith('src/')),
      'the command takes nothing from the service',
    );
    const pure =
      /^src\/(domain|base\/text)\/|^src\/intake\/imports\/(contract|session-line|subscription-line|rejection)\.ts$|^src\/(core\/entitlement\/texts|base\/errors\/error-codes|serving\/(http\/validation|access\/changer))\.ts$|^src\/office\/configuration\/(changes|kinds|reading|state|merge|present)\.ts$/;
    expect([...new Set(taken)].filter((name) => !pure.test(name))).toEqual([]);
  });

  it('has one file per command, and none that is too long to read, as the client and the gate', () => {
    const gate = filesBelow('clients/client');
    expect(gate).toContain('clients/client/gate/gate.ts');
    expect([...command, ...gate].filter((path) => source(path).split('\n').length > 300)).toEqual([]);
  });

  it('prints by one door alone, where nothing from elsewhere can steer the terminal', () => {
    const streams = /\bconsole\.|\.(?:stdout|stderr)\b|\bstyleText\b/;
    const printing = command.filter((path) => streams.test(withoutComments(source(path))));
    // The process hands its streams to the door; what changes in place, and what is asked, is shown by it.
    expect(printing.sort()).toEqual([
      'clients/parking/main.ts',
      'clients/parking/terminal/prompts.ts',
      'clients/parking/terminal/terminal.ts',
    ]);
    const drawing = command.filter((path) =>
      importsOf(path).some((name) => name === 'log-update' || name === '@clack/prompts'),
    );
    expect(drawing.sort()).toEqual([
      'clients/parking/terminal/live.ts',
      'clients/parking/terminal/prompts.ts',
    ]);
    const main = withoutComments(source('clients/parking/main.ts'));
    expect(main.match(/\.(?:stdout|stderr)\b.*/g)).toEqual([
      '.stdout,',
      '.stderr,',
      ".stdout.on('error', (error: NodeJS.ErrnoException) => {",
    ]);
    for (const path of drawing) expect(importsOf(path)).toContain('clients/parking/terminal/door.ts');
  });

  it('knows neither tests nor tools', () => {
    const strangers = command.flatMap(importsOf).filter((name) => /^(test|tools)\//.test(name));
    expect(strangers).toEqual([]);
  });
});
