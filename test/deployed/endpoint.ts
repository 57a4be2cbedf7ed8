import { once } from 'node:events';
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callerOf } from './functions.ts';
import { type Backend, iot, ResponseLost, s3, services, ses, sns } from './services.ts';

type Account = Backend & { names: readonly string[] };

/** Returns a service identified by its path, or by the lack of a target. */
const serviceByPath = (url: string, target: string, { bucket }: Account) => {
  if (url === '/v2/email/outbound-emails') return ses;
  if (url.startsWith('/topics/')) return iot;
  if (url.startsWith(`/${bucket}/`)) return s3;
  return target === '' ? sns : undefined;
};

const perform = async (incoming: IncomingMessage, backend: Account): Promise<unknown> => {
  const { headers, url = '', method = '' } = incoming;
  const [target = '', operation = ''] = String(headers['x-amz-target'] ?? '').split('.');
  const service = serviceByPath(url, target, backend) ?? services[target];
  if (!service) throw new Error(`${method} ${url} ${target} is not simulated`);
  const bytes = Buffer.concat(await incoming.toArray());
  // A request to a signed URL counts as a request from the signer.
  const signed = `Credential=${new URL(url, 'http://any').searchParams.get('X-Amz-Credential') ?? ''}`;
  const caller = callerOf(headers.authorization ?? signed, backend.names);
  return service({ caller, operation, method, url, body: bytes.toString('utf8'), bytes, headers }, backend);
};

const answer = async (incoming: IncomingMessage, response: ServerResponse, backend: Account): Promise<void> => {
  const type = { 'content-type': 'application/x-amz-json-1.0' };
  try {
    const result = await perform(incoming, backend);
    if (result instanceof Buffer)
      return void response.writeHead(200, { 'content-type': 'application/zip' }).end(result);
    if (typeof result === 'string') return void response.writeHead(200, { 'content-type': 'text/xml' }).end(result);
    if (!(result instanceof IncomingMessage)) return void response.writeHead(200, type).end(JSON.stringify(result));
    response.writeHead(result.statusCode ?? 500, result.headers);
    result.pipe(response);
  } catch (error) {
    if (error instanceof ResponseLost) return void incoming.socket.destroy();
    const { name, message } = error as Error;
    const headers = { ...type, 'x-amzn-errortype': name };
    response.writeHead(400, headers).end(JSON.stringify({ __type: `com.amazonaws#${name}`, message }));
  }
};

/** Starts the endpoint for an account's services. `open` connects the backend. */
export const startEndpoint = async () => {
  const opened = Promise.withResolvers<Account>();
  const server = createServer((incoming, response) => {
    void opened.promise.then((backend) => answer(incoming, response, backend));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: opened.resolve,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
