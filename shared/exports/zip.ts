import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { DataJob } from '../domain/identity/data-job.ts';

/** The form of the lines. It grows when what reads them has to change. */
const FORMAT = 1;

/**
 * A ZIP file as it is made, of `data.jsonl` with these lines and of `manifest.json`, which comes last: what is in the lines
 * is known by then.
 */
export const zipped = (
  lines: AsyncIterable<string>,
  { id, subject, createDate, customerId, reason }: DataJob,
  counts: Readonly<Record<string, number>>,
): Readable => {
  const zip = new ZipFile();
  const out = new PassThrough();
  const fail = (error: unknown) => void out.destroy(error as Error);
  // The same job gives the same bytes, as far as its lines are the same.
  const mtime = new Date(createDate);
  zip.addReadStream(Readable.from(lines).on('error', fail), 'data.jsonl', { mtime });
  zip.addReadStreamLazy('manifest.json', { mtime }, (give) => {
    const manifest = {
      format: FORMAT,
      id,
      customerId,
      subject,
      reason,
      createDate,
      files: [{ name: 'data.jsonl', counts }],
    };
    give(null, Readable.from([`${JSON.stringify(manifest, null, 2)}\n`]));
  });
  zip.on('error', fail);
  zip.outputStream.on('error', fail);
  zip.outputStream.pipe(out);
  zip.end();
  return out;
};
