import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { kmsCipher } from '#shared/auth/kms.ts';

describe('the KMS cipher', () => {
  it("encrypts and decrypts secrets with the stage's key, bound to the webhook id", async () => {
    const kms = mockClient(KMSClient);
    kms.on(EncryptCommand).resolves({ CiphertextBlob: new Uint8Array([1]) });
    kms.on(DecryptCommand).resolves({ Plaintext: new Uint8Array([2]) });
    const cipher = kmsCipher({ region: 'eu-central-1' }, 'arn:key');
    expect(await cipher.encrypt(new Uint8Array([2]), 'hook')).toEqual(new Uint8Array([1]));
    expect(await cipher.decrypt(new Uint8Array([1]), 'hook')).toEqual(new Uint8Array([2]));
    const inputs = kms.calls().map(({ args }) => args[0].input);
    for (const input of inputs) expect(input).toMatchObject({ KeyId: 'arn:key', EncryptionContext: { id: 'hook' } });
    kms.restore();
  });
});
