import * as z from 'zod';
import { pageHeaders } from '#shared/api/http/page-headers.ts';
import { defaults, group } from '#shared/api/operation.ts';
import { Bytes } from '#shared/domain/values.ts';

/** Up to six names separated by slashes. Only the last may contain dots, which mark it as a file name. */
const Page = z
  .string()
  .regex(/^(?:[\w-]{1,64}\/){0,5}[\w.-]{1,64}\/?$/)
  .describe('Page path or file name, as referenced by the page');

const part = defaults({
  method: 'GET',
  auth: 'anyone',
  success: 200,
  alsoSuccess: 304,
  response: Bytes,
  published: 'revalidated',
  // Trusted Types: text never becomes markup or code, except for the service worker URL
  // (lib/console/push/subscribe.ts).
  responseHeaders: pageHeaders(
    ...["font-src 'self'", "manifest-src 'self'", "worker-src 'self'"],
    ...["require-trusted-types-for 'script'", 'trusted-types push-worker'],
  ),
  uses: [],
});

const HTML = 'text/html; charset=utf-8';
const FILES = [
  HTML,
  'text/javascript; charset=utf-8',
  'text/css; charset=utf-8',
  'application/manifest+json; charset=utf-8',
  'image/svg+xml',
  'image/png',
  'font/woff2',
] as const;

export const webConsole = group({
  name: 'console',
  about: 'The web console',
  isPage: true,
  operations: {
    getConsole: {
      ...part,
      path: '/console',
      summary: 'Get the console',
      description: 'Returns the web console, an HTML page.',
      media: [HTML],
    },
    getConsolePage: {
      ...part,
      path: '/console/{page}',
      greedy: true,
      summary: 'Get a console page or file',
      description: 'Files with a hash in the name never change, so caches may keep them forever.',
      params: z.object({ page: Page }),
      media: FILES,
      errors: ['path_unknown'],
    },
  },
});
