import { describe, expect, it } from 'vitest';

import { macHex } from '../../src/base/crypto/digest.ts';
import { maskTokens } from '../../src/base/text/text.ts';
import { issuePair, recogniseToken, type TokenKind } from '../../src/serving/access/token.ts';

const KEY = 'the key of these tests is long enough';
const OLD = 'o'.repeat(32);
const NEW = 'n'.repeat(32);
const NEWER = 'N'.repeat(32);
/** One character short of what signs. */
const SHORT = 's'.repeat(31);
const ID = '0123456789abcdef01234567';
const KINDS = ['access_token', 'api_key'] as const;

/** A token of a kind, signed with the first of the keys. */
function token(kind: TokenKind, keys = KEY): string {
  const pair = issuePair(ID, keys);
  return kind === 'access_token' ? pair.accessToken : pair.apiKey;
}

describe('A credential gets', () => {
  it('an access token and an API key with their prefixes and its id in clear', () => {
    const pair = issuePair(ID, KEY);
    expect(pair.accessToken).toMatch(/^pev_at_0123456789abcdef01234567_[0-9a-f]{64}_[0-9a-f]{32}$/);
    expect(pair.apiKey).toMatch(/^pev_ak_0123456789abcdef01234567_[0-9a-f]{64}_[0-9a-f]{32}$/);
  });

  it('the hashes of both, which hold neither', async () => {
    const pair = issuePair(ID, KEY);
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pair.accessToken));
    expect(pair.accessTokenHash).toBe(Buffer.from(digest).toString('hex'));
    expect(pair.apiKeyHash).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set([pair.accessTokenHash, pair.apiKeyHash]).size).toBe(2);
  });

  it('another secret each time, and another one for the key than for the token', () => {
    const pairs = [issuePair(ID, KEY), issuePair(ID, KEY)];
    const secrets = pairs.flatMap(({ accessToken, apiKey }) => [
      accessToken.split('_')[3],
      apiKey.split('_')[3],
    ]);
    expect(new Set(secrets).size).toBe(4);
  });
});

describe('A token is recognised', () => {
  it.each(KINDS)('by what it is: %s', (kind) => {
    const pair = issuePair(ID, KEY);
    const [sent, hash] =
      kind === 'access_token' ? [pair.accessToken, pair.accessTokenHash] : [pair.apiKey, pair.apiKeyHash];
    expect(recogniseToken(sent, kind, KEY)).toEqual({ kind, credentialId: ID, hash });
  });

  it('not as the other kind, nor under a changed prefix', () => {
    expect(recogniseToken(token('api_key'), 'access_token', KEY)).toBeNull();
    const renamed = token('access_token').replace('pev_at', 'pev_ak');
    expect(recogniseToken(renamed, 'api_key', KEY)).toBeNull();
  });

  it('not with one character mistyped, missing, or one too many, wherever it is', () => {
    const sent = token('access_token');
    for (let index = 0; index < sent.length; index++) {
      const wrong = sent[index] === '0' ? '1' : '0';
      for (const typed of [wrong, '', `${sent[index]}${wrong}`]) {
        const mistyped = sent.slice(0, index) + typed + sent.slice(index + 1);
        expect(recogniseToken(mistyped, 'access_token', KEY), `character ${index}`).toBeNull();
      }
    }
  });

  it.each([
    ['nothing', () => ''],
    ['upper case', (sent: string) => sent.toUpperCase()],
    ['a space before', (sent: string) => ` ${sent}`],
    ['a line break behind', (sent: string) => `${sent}\n`],
    ['no checksum', (sent: string) => sent.slice(0, -33)],
    ['a made-up secret and checksum', () => `pev_at_${ID}_${'0'.repeat(64)}_${'0'.repeat(32)}`],
    ['something else behind', (sent: string) => `${sent}_0`],
  ])('not as %s', (_, changed) => {
    expect(recogniseToken(changed(token('access_token')), 'access_token', KEY)).toBeNull();
  });

  it('by no short key, even if it has signed it', () => {
    const signed = `pev_at_${ID}_${'0'.repeat(64)}`;
    const sent = `${signed}_${macHex(SHORT, signed).slice(0, 32)}`;
    expect(recogniseToken(sent, 'access_token', `${NEW},${SHORT}`)).toBeNull();
    expect(() => recogniseToken(sent, 'access_token', SHORT)).toThrow('TOKEN_KEY');
  });
});

describe('Of several keys', () => {
  it('the first signs', () => {
    const sent = token('access_token', `${NEW}, ${OLD}`);
    expect(recogniseToken(sent, 'access_token', NEW)).not.toBeNull();
    expect(recogniseToken(sent, 'access_token', OLD)).toBeNull();
  });

  it.each([[OLD], [`${OLD},${NEW}`], [`${NEW},${OLD}`], [` ${NEW} , ${OLD} `], [`a,b,,${OLD}`]])(
    'each verifies what it has signed once: %j',
    (keys) => {
      expect(recogniseToken(token('api_key', OLD), 'api_key', keys)).not.toBeNull();
    },
  );

  it('one that is gone verifies no more', () => {
    expect(recogniseToken(token('api_key', OLD), 'api_key', `${NEW},${NEWER}`)).toBeNull();
  });
});

describe('In what is written down', () => {
  it.each([
    [
      'every one of a text',
      `{"plate":"AB123CD","a":"pev_at_${ID}_01","b":["pev_ak_${ID}_01"]}`,
      '{"plate":"AB123CD","a":"pev_***","b":["pev_***"]}',
    ],
    ['a clipped one', 'pev_at_0123456789abcdef', 'pev_***'],
    ['one in upper case', 'PEV_AK_0123ABC', 'pev_***'],
    ['one in a header', 'Bearer pev_at_01_23, and more', 'Bearer pev_***, and more'],
    ['one inside a word', 'xpev_ak_01', 'xpev_***'],
    ['our prefix alone', 'pev_at_', 'pev_***'],
    ['nothing else', 'pev_xx_0123 pev AB123CD', 'pev_xx_0123 pev AB123CD'],
  ])('%s is masked', (_, text, masked) => {
    expect(maskTokens(text)).toBe(masked);
  });
});
