import { pathToFileURL } from 'node:url';

// node load.ts FILE KIND - loads a bundle in a fresh process, until it is ready to serve; prints the milliseconds.
const [file = '', kind = ''] = process.argv.slice(2);
type Loaded = { handler?: (event: unknown, context: unknown) => Promise<unknown>; ready?: () => unknown };

/** Enough to make the handler build its table client and all else that it keeps, and nothing that goes out. */
const probes: Record<string, unknown> = {
  // Asks what may be called: 204 or 404, after all that needs no table.
  api: { httpMethod: 'OPTIONS', resource: '/', headers: {}, multiValueHeaders: {}, requestContext: {} },
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
