/** Everything that is used of KMS in the AWS SDK. It is bundled once for all functions (lib/aws/functions/sdk.ts). */
export { DecryptCommand, EncryptCommand, KMSClient, type KMSClientConfig } from '@aws-sdk/client-kms';
