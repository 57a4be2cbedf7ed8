import { DeleteObjectsCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { hasName, withFallback } from './calls.ts';

/** Returns the bucket calls. */
export const bucketCalls = (client: S3Client) => ({
  /** Deletes all objects in an unversioned bucket and returns the number deleted. A missing bucket has none. */
  emptyBucket: async (Bucket: string): Promise<number> => {
    const empty = async () => {
      let count = 0;
      // A page has at most 1,000 objects, which is also the maximum one call can delete.
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
        if (Contents.length === 0) continue;
        const Objects = Contents.map(({ Key = '' }) => ({ Key }));
        const { Errors = [] } = await client.send(
          new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
        );
        const [error] = Errors;
        if (error) throw new Error(`${Bucket}/${error.Key} could not be deleted: ${error.Code} ${error.Message}`);
        count += Objects.length;
      }
      return count;
    };
    return withFallback(empty(), hasName('NoSuchBucket'), 0);
  },
});
