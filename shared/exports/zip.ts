import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { DataJob } from '../domain/identity/data-job.ts';

/** The line format version. It is incremented whenever readers have to change. */
const FORMAT = 1;

/**
 * Returns a ZIP file stream with these lines in `data.jsonl`, followed by `manifest.json`. The manifest comes last
 * because `counts` is not complete until then.
 */
export const zipStream = (
  lines: AsyncIterable<string>,
  { id, subject, createDate, customerId, reason }: DataJob,
  counts: Readonly<Record<string, number>>,
): Readable => {
  const zip = new ZipFile();
  const out = new PassThrough();
  const fail = (error: unknown) => void out.destroy(error as Error);
  // The same job with the same lines yields the same bytes.
  const mtime = new Date(createDate);
  zip.addReadStream(Readable.from(lines).on('error', fail), 'data.jsonl', { mtime });
  zip.addReadStreamLazy('manifest.json', { mtime }, (callback) => {
    const manifest = {
      format: FORMAT,
      id,
      customerId,
      subject,
      reason,
      createDate,
      files: [{ name: 'data.jsonl', counts }],
    };
    callback(null, Readable.from([`${JSON.stringify(manifest, null, 2)}\n`]));
  });
  zip.on('error', fail);
  zip.outputStream.on('error', fail);
  zip.outputStream.pipe(out);
  zip.end();
  return out;
};
