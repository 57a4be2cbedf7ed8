import { pathToFileURL } from 'node:url';

// Usage: node load.ts FILE KIND. Loads a bundle until it is ready to serve, and prints how many milliseconds that took.
const [file = '', kind = ''] = process.argv.slice(2);
type Loaded = { handler?: (event: unknown, context: unknown) => Promise<unknown>; ready?: () => unknown };

/** Events that make a handler create its table client and everything else it keeps, without sending requests. */
const probes: Record<string, unknown> = {
  // OPTIONS returns 204 or 404 without using the table.
  api: {
    httpMethod: 'OPTIONS',
    resource: '/',
    headers: {},
    multiValueHeaders: {},
    requestContext: { identity: { sourceIp: '203.0.113.7' } },
  },
  consumer: { Records: [] },
};
const context = { getRemainingTimeInMillis: () => 30_000, awsRequestId: 'bench' };

const start = performance.now();
const { handler, ready } = (await import(pathToFileURL(file).href)) as Loaded;
if (kind in probes) await handler?.(probes[kind], context);
if (kind === 'schedule') void handler?.({}, context).catch(() => {});
if (kind === 'stock') ready?.();
const took = performance.now() - start;
process.stdout.write(`\n${took}\n`, () => process.exit(0));
