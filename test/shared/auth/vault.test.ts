import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { aesCipher, createVault } from '#shared/auth/vault.ts';

const cipher = aesCipher(randomBytes(32), randomBytes);
const vault = createVault(cipher);

describe('vault', () => {
  test('a vault encrypts secrets differently each time and decrypts them', async () => {
    const encrypted = await vault.seal('a-secret-of-16-or-more', 'id');
    expect(encrypted).not.toContain('a-secret');
    expect(encrypted).not.toBe(await vault.seal('a-secret-of-16-or-more', 'id'));
    expect(await vault.open(encrypted, 'id')).toBe('a-secret-of-16-or-more');
  });

  test('a vault rejects text it did not encrypt', async () => {
    await expect(vault.open('ybndrfg8ejkmcpqxot1uwisza3', 'id')).rejects.toThrow('not encrypted');
  });

  test('a vault rejects the wrong context, the wrong key and modified ciphertext', async () => {
    const encrypted = await vault.seal('a-secret', 'id');
    const broken = `${encrypted.slice(0, -6)}AAAAA=`;
    await expect(vault.open(encrypted, 'other')).rejects.toThrow();
    await expect(vault.open(broken, 'id')).rejects.toThrow();
    await expect(createVault(aesCipher(randomBytes(32), randomBytes)).open(encrypted, 'id')).rejects.toThrow();
  });

  test('a vault caches decrypted secrets but not failures', async () => {
    let calls = 0;
    let fails = true;
    const counting = createVault({
      ...cipher,
      decrypt: (...args) => {
        calls += 1;
        return fails ? Promise.reject(new Error('no')) : cipher.decrypt(...args);
      },
    });
    const encrypted = await vault.seal('a-secret', 'id');
    await expect(counting.open(encrypted, 'id')).rejects.toThrow('no');
    fails = false;
    for (let at = 0; at < 3; at++) expect(await counting.open(encrypted, 'id')).toBe('a-secret');
    expect(calls).toBe(2);
  });
});
