import { publish } from '#shared/api/http/publication.ts';
import { serve } from '#shared/api/serve.ts';
import { docs } from './contract.ts';

// Loaded on the first request.
const load = async () => (await import('./library.ts')).library;

export const handler = serve(docs, {
  getDocs: async ({ event }) => publish(event, (await load()).page),
  getDocsFile: async ({ event, params, fail }) => {
    const found = (await load())[params.file] ?? fail('path_unknown');
    return publish(event, found, { 'Content-Type': found.type });
  },
});
