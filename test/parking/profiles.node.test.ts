import { chmodSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { languageOf } from '../../clients/parking/language.ts';
import { chooseConnection } from '../../clients/parking/profiles/connection.ts';
import type { ProfileBook } from '../../clients/parking/profiles/profile.ts';
import {
  profilesPath,
  readProfiles,
  withProfile,
  writeProfiles,
} from '../../clients/parking/profiles/profile-file.ts';

const ACCESS = 'pev_at_0123456789abcdef01234567_x';
const BOOK: ProfileBook = {
  current: 'roma',
  profiles: {
    roma: {
      url: 'https://roma.example',
      access_token: ACCESS,
      admin_token: 'admin-of-roma',
      municipality: 'H501',
    },
    demo: { url: 'http://localhost:8787', access_token: `${ACCESS}demo` },
  },
};

describe('The service and its secrets', () => {
  it('are the current profile’s', () => {
    expect(chooseConnection({}, BOOK, undefined)).toEqual({
      url: 'https://roma.example',
      accessToken: ACCESS,
      adminToken: 'admin-of-roma',
      municipality: 'H501',
    });
  });

  it('are those of the profile that was named', () => {
    expect(chooseConnection({}, BOOK, 'demo')).toMatchObject({
      url: 'http://localhost:8787',
    });
    expect(() => chooseConnection({}, BOOK, 'milano')).toThrow(
      'There is no profile milano. There are: demo, roma',
    );
    expect(() => chooseConnection({}, BOOK, 'toString')).toThrow('There is no profile toString');
  });

  it('are PARKING_TOKEN alone where that is set: no secret of a profile is used as well', () => {
    expect(chooseConnection({ PARKING_TOKEN: `${ACCESS}other` }, BOOK, undefined)).toMatchObject({
      url: 'https://roma.example',
      accessToken: `${ACCESS}other`,
      adminToken: undefined,
      municipality: 'H501',
    });
    expect(chooseConnection({ PARKING_TOKEN: 'an-administrator' }, BOOK, undefined)).toMatchObject({
      accessToken: undefined,
      adminToken: 'an-administrator',
    });
  });

  it('never send a profile’s secret to another service', () => {
    expect(chooseConnection({ PARKING_URL: 'https://elsewhere.example' }, BOOK, undefined)).toEqual({
      url: 'https://elsewhere.example',
      accessToken: undefined,
      adminToken: undefined,
      municipality: undefined,
    });
    expect(chooseConnection({ PARKING_URL: 'https://roma.example/' }, BOOK, undefined).accessToken).toBe(
      ACCESS,
    );
  });

  it('need a profile or the environment', () => {
    expect(() => chooseConnection({}, { current: null, profiles: {} }, undefined)).toThrow(
      'No service is known.',
    );
  });

  it.each([
    'parking.example',
    'ftp://parking.example',
    'https://user:secret@parking.example',
    'https://x.example?a=b',
  ])('are not at %s', (url) => {
    expect(() => chooseConnection({ PARKING_URL: url }, BOOK, undefined)).toThrow('No address of a service');
  });
});

describe('The file of profiles', () => {
  const fresh = (): string => profilesPath({ XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'profiles-')) });

  it('is its owner’s alone, in a folder that is too, and leaves no draft behind', () => {
    const path = fresh();
    writeProfiles(path, BOOK);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(path))).toEqual(['profiles.json']);
    expect(readProfiles(path)).toEqual(BOOK);
  });

  it('is closed to others where somebody opened it', () => {
    const path = fresh();
    writeProfiles(path, BOOK);
    chmodSync(path, 0o644);
    readProfiles(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that cannot be read is never taken for an empty one', () => {
    const path = fresh();
    writeProfiles(path, BOOK);
    writeFileSync(path, '{"profiles":');
    expect(() => readProfiles(path)).toThrow(`The profiles in ${path} cannot be read.`);
  });

  it('has none where it is not there, and the first one becomes the current one', () => {
    const book = readProfiles(fresh());
    expect(book.profiles).toEqual({});
    expect(
      withProfile(withProfile(book, 'a', { url: 'https://a.example' }), 'b', { url: 'https://b.example' }),
    ).toMatchObject({
      current: 'a',
    });
  });
});

describe('The language', () => {
  it.each([
    [{ LANG: 'it_IT.UTF-8' }, 'it'],
    [{ LANG: 'it' }, 'it'],
    [{ LANG: 'en_US.UTF-8' }, 'en'],
    [{ LANG: 'C' }, 'en'],
    [{}, 'en'],
    [{ LANG: 'it_IT', LC_ALL: 'en_GB.UTF-8' }, 'en'],
    [{ LANG: 'en_GB', LC_MESSAGES: 'it_CH.UTF-8' }, 'it'],
    [{ LANG: 'italic' }, 'en'],
  ] as const)('of %j is %s', (environment, language) => {
    expect(languageOf(environment)).toBe(language);
  });
});
