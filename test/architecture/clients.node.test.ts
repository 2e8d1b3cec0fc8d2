import { describe, expect, it } from 'vitest';
import { atLeastOne, filesBelow, importsOf, source, withoutComments } from './source.ts';

const command = filesBelow('clients/parking').filter((path) => !path.includes('/dist/'));

describe('The command', () => {
  it('speaks to the service through the typed client alone', () => {
    const calling = command.filter((path) => /\bfetch\(/.test(withoutComments(source(path))));
    expect(calling).toEqual([]);
    const clients = command.flatMap((path) =>
      importsOf(path).filter((name) => name.startsWith('clients/client/')),
    );
    expect(new Set(clients)).toEqual(new Set(['clients/client/index.ts']));
  });

  it('judges nothing that the service judges', () => {
    const taken = atLeastOne(
      command.flatMap(importsOf).filter((name) => name.startsWith('src/')),
      'the command takes nothing from the service',
    );
    const shared = ['src/base/text/text.ts', 'src/domain/instant.ts', 'src/domain/zoned-time.ts'];
    expect([...new Set(taken)].filter((name) => !shared.includes(name))).toEqual([]);
  });

  it('prints by one door alone, where nothing from elsewhere can steer the terminal', () => {
    const writing = command.filter((path) => /\bconsole\.|\.write\(/.test(withoutComments(source(path))));
    expect(writing).toEqual(['clients/parking/terminal.ts']);
    const asking = command.filter((path) => importsOf(path).includes('@clack/prompts'));
    expect(asking).toEqual(['clients/parking/ask.ts']);
  });

  it('knows neither tests nor tools', () => {
    const strangers = command.flatMap(importsOf).filter((name) => /^(test|tools)\//.test(name));
    expect(strangers).toEqual([]);
  });
});
