import * as z from 'zod';
import { pageHeaders } from '#shared/api/http/page-headers.ts';
import { defaults, group } from '#shared/api/operation.ts';
import { Bytes } from '#shared/domain/values.ts';

const FileName = z
  .string()
  .regex(/^swagger-ui\.[0-9a-f]{16}\.(js|css)$/)
  .describe('Name of the file in the page');

const part = defaults({
  method: 'GET',
  auth: 'anyone',
  success: 200,
  alsoSuccess: 304,
  response: Bytes,
  uses: [],
});

export const docs = group({
  name: 'docs',
  about: 'The page that shows the API document',
  isPage: true,
  operations: {
    getDocs: {
      ...part,
      path: '/docs',
      published: 'revalidated',
      summary: 'Get this description as a page to read it and to try the operations',
      media: ['text/html; charset=utf-8'],
      responseHeaders: pageHeaders(),
    },
    getDocsFile: {
      ...part,
      path: '/docs/{file}',
      summary: 'Get a file of that page; its name changes with its content',
      params: z.object({ file: FileName }),
      published: 'immutable',
      media: ['text/javascript; charset=utf-8', 'text/css; charset=utf-8'],
      errors: ['path_unknown'],
    },
  },
});
