import { gunzipSync } from 'node:zlib';
import { type APIGatewayProxyEvent, header } from '../../shared/api/exchange.ts';
import { Reply } from '../../shared/api/operation.ts';
import { serve } from '../../shared/api/serve.ts';
import { docs } from './contract.ts';
import { page } from './page.ts';

const takesGzip = (event: APIGatewayProxyEvent): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(header(event, 'accept-encoding') ?? '');

const part = async (event: APIGatewayProxyEvent, name: 'script' | 'style') => {
  // Loaded for these calls only.
  const { library } = await import('./library.ts');
  const packed = library[name];
  return takesGzip(event)
    ? new Reply(packed, { headers: { 'Content-Encoding': 'gzip' } })
    : new Reply(gunzipSync(packed), {});
};

export const handler = serve(docs, {
  getDocs: async () => Buffer.from(page),
  getDocsScript: async ({ event }) => part(event, 'script'),
  getDocsStyle: async ({ event }) => part(event, 'style'),
});
