import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type Answer, read } from '../fixtures/client.ts';

type Raw = {
  method: string;
  path?: string;
  /** A flat list of names and values is sent unchanged, even if a name occurs in several spellings. */
  headers?: Record<string, string | string[]> | readonly string[];
  body?: Uint8Array | string;
};

/** Sends bytes and repeated headers unchanged, unlike fetch. */
export const sendRaw = async (url: string, { body, ...options }: Raw): Promise<Answer> => {
  const outgoing = request(url, options);
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const received = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) received.append(name, value);
  return { status: incoming.statusCode ?? 0, headers: received, ...read(received, Buffer.concat(chunks)) };
};
