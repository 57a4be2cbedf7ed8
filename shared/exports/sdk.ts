/** The parts of the AWS SDK used for S3. They are bundled once for all functions (lib/aws/functions/sdk.ts). */
export { DeleteObjectCommand, GetObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
export { Upload } from '@aws-sdk/lib-storage';
export { getSignedUrl } from '@aws-sdk/s3-request-presigner';
