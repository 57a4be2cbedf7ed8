import { once } from 'node:events';
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callerOf } from './functions.ts';
import { AnswerLost, type Behind, iot, s3, services, ses, sns } from './services.ts';

type Account = Behind & { names: readonly string[] };

/** A service that has addresses of its own, or whose calls have no target. */
const ownOf = (url: string, target: string, { bucket }: Account) => {
  if (url === '/v2/email/outbound-emails') return ses;
  if (url.startsWith('/topics/')) return iot;
  if (url.startsWith(`/${bucket}/`)) return s3;
  return target === '' ? sns : undefined;
};

const perform = async (incoming: IncomingMessage, behind: Account): Promise<unknown> => {
  const { headers, url = '', method = '' } = incoming;
  const [target = '', operation = ''] = String(headers['x-amz-target'] ?? '').split('.');
  const service = ownOf(url, target, behind) ?? services[target];
  if (!service) throw new Error(`there is no ${method} ${url} ${target} here`);
  const bytes = Buffer.concat(await incoming.toArray());
  // Whoever has a signed address calls as who signed it.
  const signed = `Credential=${new URL(url, 'http://any').searchParams.get('X-Amz-Credential') ?? ''}`;
  const caller = callerOf(headers.authorization ?? signed, behind.names);
  return service({ caller, operation, method, url, body: bytes.toString('utf8'), bytes, headers }, behind);
};

const answer = async (incoming: IncomingMessage, response: ServerResponse, behind: Account): Promise<void> => {
  const type = { 'content-type': 'application/x-amz-json-1.0' };
  try {
    const given = await perform(incoming, behind);
    if (given instanceof Buffer) return void response.writeHead(200, { 'content-type': 'application/zip' }).end(given);
    if (typeof given === 'string') return void response.writeHead(200, { 'content-type': 'text/xml' }).end(given);
    if (!(given instanceof IncomingMessage)) return void response.writeHead(200, type).end(JSON.stringify(given));
    response.writeHead(given.statusCode ?? 500, given.headers);
    given.pipe(response);
  } catch (error) {
    if (error instanceof AnswerLost) return void incoming.socket.destroy();
    const { name, message } = error as Error;
    const headers = { ...type, 'x-amzn-errortype': name };
    response.writeHead(400, headers).end(JSON.stringify({ __type: `com.amazonaws#${name}`, message }));
  }
};

/** Where the services of an account answer its functions; `open` tells what is behind it. */
export const startEndpoint = async () => {
  const opened = Promise.withResolvers<Account>();
  const server = createServer((incoming, response) => {
    void opened.promise.then((behind) => answer(incoming, response, behind));
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
