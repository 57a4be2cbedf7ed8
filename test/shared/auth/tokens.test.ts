import { argon2Sync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCommonPassword } from '#shared/auth/common-passwords.ts';
import { passwordsAt } from '#shared/auth/password.ts';
import {
  drawAccountKey,
  drawToken,
  hashOf,
  readToken,
  sameSecret,
  type TokenKind,
  tokenKinds,
} from '#shared/auth/tokens.ts';
import { anyText } from '#test/fixtures/any-text.ts';

const kinds = Object.keys(tokenKinds) as TokenKind[];
const draw = (kind: TokenKind) => {
  const accountKey = kind === 'session' || kind === 'access' ? drawAccountKey(randomBytes) : '';
  return { accountKey, token: drawToken(kind, randomBytes, accountKey) };
};

describe('a token', () => {
  test.each(kinds)('of kind %s starts with its prefix and is read back', (kind) => {
    const { token, accountKey } = draw(kind);
    expect(token).toMatch(new RegExp(`^${tokenKinds[kind]}_[\\w-]+$`));
    expect(readToken(token)).toEqual({ kind, accountKey });
  });
  test('takes all its random bytes: 192 bits, beside the key of the account', () => {
    const asked: number[] = [];
    drawToken('device', (bytes) => {
      asked.push(bytes);
      return randomBytes(bytes);
    });
    expect(asked).toEqual([24]);
  });
  test('with one character changed, added or left out is nothing', () => {
    const { token } = draw('session');
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === 'a' ? 'b' : 'a';
      expect(readToken(token.slice(0, at) + other + token.slice(at + 1)), `${at}`).toBeNull();
      expect(readToken(token.slice(0, at) + token.slice(at + 1)), `${at}`).toBeNull();
      expect(readToken(`${token.slice(0, at)}a${token.slice(at)}`), `${at}`).toBeNull();
    }
  });
  test('of one kind is none of another', () => {
    const { token } = draw('session');
    for (const prefix of Object.values(tokenKinds).filter((tokenKind) => tokenKind !== 'ses'))
      expect(readToken(token.replace('ses', prefix))).toBeNull();
  });
  test('is not any text', () => {
    fc.assert(fc.property(anyText(), (text) => readToken(text) === null));
    for (const text of ['', 'ses_', `${draw('device').token}\n`, ` ${draw('device').token}`])
      expect(readToken(text)).toBeNull();
  });
});

describe('secrets', () => {
  test('are compared whole', () => {
    expect(sameSecret('abc', 'abc')).toBe(true);
    for (const other of ['', 'ab', 'abcd', 'abC', 'xbc']) expect(sameSecret('abc', other)).toBe(false);
  });
  test('are stored as a SHA-256 that does not tell them', () => {
    const { token } = draw('access');
    expect(hashOf(token)).toMatch(/^[\w-]{43}$/);
    expect(hashOf('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});

describe('a password', () => {
  const passwords = passwordsAt();

  test('is hashed by argon2id with 19 MiB, 2 passes, 1 lane and a salt of its own', async () => {
    const [hash, other] = await Promise.all([passwords.hash('same password'), passwords.hash('same password')]);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(hash).not.toBe(other);
  });
  test('opens its own hash alone, and none where there is none', async () => {
    const hash = await passwords.hash('pässword\u0000 one');
    expect(await passwords.verify('pässword\u0000 one', hash)).toBe(true);
    for (const wrong of ['pässword', 'pässword\u0000 on', 'Pässword\u0000 one', ''])
      expect(await passwords.verify(wrong, hash)).toBe(false);
    expect(await passwords.verify('', null)).toBe(false);
  });
  test('opens a hash that was made at another cost, as before a change of it', async () => {
    const salt = Buffer.alloc(16, 7);
    const options = {
      message: 'an old password',
      nonce: salt,
      tagLength: 32,
      memory: 8_192,
      passes: 3,
      parallelism: 1,
    };
    const [nonce, tag] = [salt, argon2Sync('argon2id', options)].map((b) => b.toString('base64').replaceAll('=', ''));
    const hash = `$argon2id$v=19$m=8192,t=3,p=1$${nonce}$${tag}`;
    expect(await passwords.verify('an old password', hash)).toBe(true);
    expect(await passwords.verify('another password', hash)).toBe(false);
  });
  test('that is common is known in any case', () => {
    expect(['1234567890', 'PassWord123', 'qwertyuiop'].every(isCommonPassword)).toBe(true);
    expect(isCommonPassword('correct-horse-battery')).toBe(false);
  });
});
