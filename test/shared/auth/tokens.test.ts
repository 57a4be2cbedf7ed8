import { argon2Sync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCommonPassword } from '#shared/auth/common-passwords.ts';
import { createPasswords } from '#shared/auth/password.ts';
import {
  drawToken,
  hashSecret,
  newAccountKey,
  parseToken,
  secretsEqual,
  type TokenKind,
  tokenKinds,
} from '#shared/auth/tokens.ts';
import { anyText } from '#test/fixtures/any-text.ts';

const kinds = Object.keys(tokenKinds) as TokenKind[];
const newToken = (kind: TokenKind) => {
  const accountKey = kind === 'session' || kind === 'access' ? newAccountKey(randomBytes) : '';
  return { accountKey, token: drawToken(kind, randomBytes, accountKey) };
};

describe('tokens', () => {
  test.each(kinds)('a token starts with the prefix for its kind and can be parsed: %s', (kind) => {
    const { token, accountKey } = newToken(kind);
    expect(token).toMatch(new RegExp(`^${tokenKinds[kind]}_[\\w-]+$`));
    expect(parseToken(token)).toEqual({ kind, accountKey });
  });
  test('a token contains 192 random bits', () => {
    const requested: number[] = [];
    drawToken('device', (bytes) => {
      requested.push(bytes);
      return randomBytes(bytes);
    });
    expect(requested).toEqual([24]);
  });
  test('a token becomes invalid if one character is changed, added or removed', () => {
    const { token } = newToken('session');
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === 'a' ? 'b' : 'a';
      expect(parseToken(token.slice(0, at) + other + token.slice(at + 1)), `${at}`).toBeNull();
      expect(parseToken(token.slice(0, at) + token.slice(at + 1)), `${at}`).toBeNull();
      expect(parseToken(`${token.slice(0, at)}a${token.slice(at)}`), `${at}`).toBeNull();
    }
  });
  test("changing a token's prefix does not turn it into another kind of token", () => {
    const { token } = newToken('session');
    for (const prefix of Object.values(tokenKinds).filter((tokenKind) => tokenKind !== 'ses'))
      expect(parseToken(token.replace('ses', prefix))).toBeNull();
  });
  test('arbitrary text is never a valid token', () => {
    fc.assert(fc.property(anyText(), (text) => parseToken(text) === null));
    for (const text of ['', 'ses_', `${newToken('device').token}\n`, ` ${newToken('device').token}`])
      expect(parseToken(text)).toBeNull();
  });
});

describe('secrets', () => {
  test('secretsEqual accepts only equal secrets', () => {
    expect(secretsEqual('abc', 'abc')).toBe(true);
    for (const other of ['', 'ab', 'abcd', 'abC', 'xbc']) expect(secretsEqual('abc', other)).toBe(false);
  });
  test('hashSecret returns a SHA-256 hash in base64url', () => {
    const { token } = newToken('access');
    expect(hashSecret(token)).toMatch(/^[\w-]{43}$/);
    expect(hashSecret('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});

describe('passwords', () => {
  const passwords = createPasswords();

  test('a password hash uses argon2id with 19 MiB, 2 passes, 1 lane and a new salt', async () => {
    const [hash, other] = await Promise.all([passwords.hash('same password'), passwords.hash('same password')]);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(hash).not.toBe(other);
  });
  test('a password matches only its own hash, and never a missing hash', async () => {
    const hash = await passwords.hash('pässword\u0000 one');
    expect(await passwords.verify('pässword\u0000 one', hash)).toBe(true);
    for (const wrong of ['pässword', 'pässword\u0000 on', 'Pässword\u0000 one', ''])
      expect(await passwords.verify(wrong, hash)).toBe(false);
    expect(await passwords.verify('', null)).toBe(false);
  });
  test('a password still matches a hash created before the cost was changed', async () => {
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
  test('a password counts as common regardless of case', () => {
    expect(['1234567890', 'PassWord123', 'qwertyuiop'].every(isCommonPassword)).toBe(true);
    expect(isCommonPassword('correct-horse-battery')).toBe(false);
  });
});
