import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Random } from '#lib/local/random.ts';
import { oneOf } from './chance.ts';

/**
 * Misbehaves in response to a request. Returns whether the status indicated that the receiver accepted the request.
 * `elsewhere` is an address that must not be called.
 */
type Responder = (response: ServerResponse, chance: Random, elsewhere: string) => boolean;

const DRIP_MS = 10;
const BLOCK = Buffer.alloc(16_384, 'endless ');
const REDIRECTS = [301, 302, 303, 307, 308] as const;
const small = gzipSync(Buffer.alloc(1_000_000));
let bomb: Buffer | undefined;
/** Returns 100 kB of gzip data, created once, that decompresses to 100 MB. */
const bombOf = (): Buffer => {
  bomb ??= Buffer.concat(Array.from({ length: 100 }, () => small));
  return bomb;
};

/** Writes a byte at intervals until the connection is closed. */
const drip = ({ socket }: ServerResponse, byte: string): void => {
  const timer = setInterval(() => socket?.write(byte), DRIP_MS);
  socket?.once('close', () => clearInterval(timer));
};
/** Sends the headers with a successful or failing status. Returns whether it is successful. */
const begin = (response: ServerResponse, chance: Random, headers = {}): boolean => {
  const status = oneOf(chance, [200, 202, 400, 503]);
  response.writeHead(status, headers);
  return status < 300;
};
const send = (response: ServerResponse, status: number, headers = {}): boolean => {
  response.writeHead(status, headers).end(status === 204 || status === 304 ? undefined : 'trouble');
  return status >= 200 && status < 300;
};
const never = (): false => false;

export const responses = {
  hangs: never,
  failure: (response, chance) => send(response, oneOf(chance, [500, 503, 429, 404]), { 'Retry-After': '1' }),
  anyStatus: (response, chance) => send(response, 200 + Math.floor(chance() * 400), { 'Retry-After': '120' }),
  redirect: (response, chance, elsewhere) => send(response, oneOf(chance, REDIRECTS), { Location: elsewhere }),

  slowHeaders: (response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ');
    drip(response, 's');
    return true;
  },
  slowBody: (response, chance) => {
    const isAccepted = begin(response, chance);
    response.flushHeaders();
    const timer = setInterval(() => response.write('b'), DRIP_MS);
    response.once('close', () => clearInterval(timer));
    return isAccepted;
  },
  endlessBody: (response, chance) => {
    const isAccepted = begin(response, chance);
    const pour = (): void => {
      while (!response.destroyed && response.write(BLOCK));
    };
    response.on('drain', pour);
    pour();
    return isAccepted;
  },
  gzipBomb: (response, chance) => {
    const isAccepted = begin(response, chance, { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' });
    response.end(bombOf());
    return isAccepted;
  },
  nonsense: ({ socket }) => {
    socket?.end('SSH-2.0-receiver\r\n');
    return false;
  },

  cutBefore: ({ socket }) => {
    socket?.resetAndDestroy();
    return false;
  },
  cutInHeaders: ({ socket }) => {
    socket?.write('HTTP/1.1 200 O', () => socket.resetAndDestroy());
    return false;
  },
  cutInBody: (response, chance) => {
    const isAccepted = begin(response, chance, { 'Content-Length': 1_000 });
    response.write('half of it', () => response.socket?.destroy());
    return isAccepted;
  },
} as const satisfies Record<string, Responder>;
export type Misbehaviour = keyof typeof responses;
