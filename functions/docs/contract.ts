import { group, type Operation } from '../../shared/api/operation.ts';
import { Bytes } from '../../shared/domain/values.ts';

/** The page gets everything from here, runs no script that is not a file of ours, and is shown in no frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const part = {
  method: 'GET',
  auth: 'anyone',
  success: 200,
  response: Bytes,
  uses: [],
} as const satisfies Partial<Operation>;

export const docs = group({
  name: 'docs',
  operations: {
    getDocs: {
      ...part,
      path: '/docs',
      summary: 'Get this description as a page to read and to try',
      media: ['text/html; charset=utf-8'],
      responseHeaders: {
        'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        'Referrer-Policy': 'no-referrer',
      },
    },
    getDocsScript: {
      ...part,
      path: '/docs/swagger-ui.js',
      summary: 'Get the script of that page',
      media: ['text/javascript; charset=utf-8'],
    },
    getDocsStyle: {
      ...part,
      path: '/docs/swagger-ui.css',
      summary: 'Get the style of that page',
      media: ['text/css; charset=utf-8'],
    },
  },
});
