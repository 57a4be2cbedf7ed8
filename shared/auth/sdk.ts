/** The parts of the AWS SDK used for KMS. They are bundled once for all functions (lib/aws/functions/sdk.ts). */
export { DecryptCommand, EncryptCommand, KMSClient, type KMSClientConfig } from '@aws-sdk/client-kms';
