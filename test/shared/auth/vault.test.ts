import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { cipherOf, createVault } from '#shared/auth/vault.ts';

const cipher = cipherOf(randomBytes(32), randomBytes);
const vault = createVault(cipher);

describe('a vault', () => {
  test('gives back what was sealed, and shows nothing of it until then', async () => {
    const sealed = await vault.seal('a-secret-of-16-or-more', 'id');
    expect(sealed).not.toContain('a-secret');
    expect(sealed).not.toBe(await vault.seal('a-secret-of-16-or-more', 'id'));
    expect(await vault.open(sealed, 'id')).toBe('a-secret-of-16-or-more');
  });

  test('opens nothing that it has not sealed', async () => {
    await expect(vault.open('ybndrfg8ejkmcpqxot1uwisza3', 'id')).rejects.toThrow('not sealed');
  });

  test('opens nothing for another context or by another key, nor what was changed', async () => {
    const sealed = await vault.seal('a-secret', 'id');
    const broken = `${sealed.slice(0, -6)}AAAAA=`;
    await expect(vault.open(sealed, 'other')).rejects.toThrow();
    await expect(vault.open(broken, 'id')).rejects.toThrow();
    await expect(createVault(cipherOf(randomBytes(32), randomBytes)).open(sealed, 'id')).rejects.toThrow();
  });

  test('opens a secret once, and again when that went wrong', async () => {
    let calls = 0;
    let fails = true;
    const counting = createVault({
      ...cipher,
      decrypt: (...given) => {
        calls += 1;
        return fails ? Promise.reject(new Error('no')) : cipher.decrypt(...given);
      },
    });
    const sealed = await vault.seal('a-secret', 'id');
    await expect(counting.open(sealed, 'id')).rejects.toThrow('no');
    fails = false;
    for (let at = 0; at < 3; at++) expect(await counting.open(sealed, 'id')).toBe('a-secret');
    expect(calls).toBe(2);
  });
});
