import * as z from 'zod';
import { pageHeaders } from '#shared/api/http/page-headers.ts';
import { defaults, group } from '#shared/api/operation.ts';
import { Bytes } from '#shared/domain/values.ts';

const FileName = z
  .string()
  .regex(/^swagger-ui\.[0-9a-f]{16}\.(js|css)$/)
  .describe('File name, as referenced by the page');

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
  about: 'The API reference as a page',
  isPage: true,
  operations: {
    getDocs: {
      ...part,
      path: '/docs',
      published: 'revalidated',
      summary: 'Get the API reference as a page',
      description: 'The page shows the OpenAPI document and can call the operations.',
      media: ['text/html; charset=utf-8'],
      responseHeaders: pageHeaders(),
    },
    getDocsFile: {
      ...part,
      path: '/docs/{file}',
      summary: 'Get an API reference file',
      description: 'The file name changes with the content.',
      params: z.object({ file: FileName }),
      published: 'immutable',
      media: ['text/javascript; charset=utf-8', 'text/css; charset=utf-8'],
      errors: ['path_unknown'],
    },
  },
});
