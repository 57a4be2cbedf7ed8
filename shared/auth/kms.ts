import { requestHandlerOptions, withFreshSockets } from '../aws/transport.ts';
import { DecryptCommand, EncryptCommand, KMSClient, type KMSClientConfig } from './sdk.ts';
import type { Cipher } from './vault.ts';

/**
 * Returns a cipher that encrypts at most 4 KB with a key that never leaves KMS.
 * https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html
 */
export const kmsCipher = (config: KMSClientConfig, KeyId: string): Cipher => {
  const client = withFreshSockets(
    new KMSClient({ maxAttempts: 2, requestHandler: requestHandlerOptions(), ...config }),
  );
  const contextOf = (id: string) => ({ EncryptionContext: { id } });
  return {
    encrypt: async (Plaintext, id) => {
      const { CiphertextBlob } = await client.send(new EncryptCommand({ KeyId, Plaintext, ...contextOf(id) }));
      if (!CiphertextBlob) throw new Error('KMS returned no ciphertext');
      return CiphertextBlob;
    },
    decrypt: async (CiphertextBlob, id) => {
      const { Plaintext } = await client.send(new DecryptCommand({ KeyId, CiphertextBlob, ...contextOf(id) }));
      if (!Plaintext) throw new Error('KMS returned no plaintext');
      return Plaintext;
    },
  };
};
