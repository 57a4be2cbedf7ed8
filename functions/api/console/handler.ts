import { publish } from '#shared/api/http/publication.ts';
import { publishedHeaders } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { webConsole } from './contract.ts';
import { depthOf } from './page.ts';

// Loaded on the first request.
const load = async () => (await import('./library.ts')).library;

/** Whether a file name contains a content hash. */
const isHashed = (name: string): boolean => /\.[A-Z0-9]{8}\.\w+$/.test(name);

const publishPage = async (event: Parameters<typeof publish>[0]) => {
  const library = await load();
  return publish(event, library[`page ${depthOf(event.path)}`] ?? library['page 0']);
};

export const handler = serve(webConsole, {
  getConsole: async ({ event }) => publishPage(event),
  getConsolePage: async ({ event, params, fail }) => {
    if (!params.page.includes('.')) return publishPage(event);
    const file = (await load())[params.page] ?? fail('path_unknown');
    const caching = isHashed(params.page) ? publishedHeaders.immutable : {};
    return publish(event, file, { 'Content-Type': file.type, ...caching });
  },
});
