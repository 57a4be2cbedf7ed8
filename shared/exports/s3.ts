import { requestHandlerOptions, withFreshSockets } from '../aws/transport.ts';
import { type ExportStorage, URL_SECONDS } from './exports.ts';
import { DeleteObjectCommand, GetObjectCommand, getSignedUrl, S3Client, type S3ClientConfig, Upload } from './sdk.ts';

/** Timeouts (ms) that allow for 5 MB parts. */
const TIMEOUTS = { connect: 1_000, answer: 30_000 };

/** Stores exports as objects in a bucket, whose lifecycle rule also deletes them. */
export const s3ExportStorage = async (config: S3ClientConfig, Bucket: string): Promise<ExportStorage> => {
  const client = withFreshSockets(
    new S3Client({ maxAttempts: 3, requestHandler: requestHandlerOptions(TIMEOUTS), ...config }),
  );
  return {
    save: async (Key, Body) => {
      const params = { Bucket, Key, Body, ContentType: 'application/zip' };
      await new Upload({ client, params, queueSize: 2 }).done();
    },
    urlOf: (Key) => {
      const ResponseContentDisposition = `attachment; filename="${Key}"`;
      const command = new GetObjectCommand({ Bucket, Key, ResponseContentDisposition });
      return getSignedUrl(client, command, { expiresIn: URL_SECONDS });
    },
    remove: async (Key) => {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
  };
};
