import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../shared/api/errors.ts';
import { bodyLimits } from '../../shared/api/middleware/input.ts';

/** A body must be here within so many ms. */
const TIMEOUT = 20_000;
/** Bytes of bodies under way that are held in all. */
const MOST_HELD = 64 * 1_024 * 1_024;

type Body = { parts: Buffer[]; size: number; giveUp: () => void };

/**
 * Reads bodies within bounds that hold before anybody is known: 256 KiB of each, 1 MiB when `mayBeLarge` says so, and a
 * little more, so that the operation sees that it is too much; 20 s for each (408); 64 MiB for all that are under way:
 * beyond that the one that has taken longest is refused (408), so slow senders push out each other and nobody else.
 */
export const createBodies = ({ timeout = TIMEOUT, mostHeld = MOST_HELD } = {}) => {
  const open = new Set<Body>();
  let held = 0;

  const leave = (body: Body): void => {
    if (open.delete(body)) held -= body.size;
    body.parts = [];
  };
  const add = (body: Body, part: Buffer): void => {
    body.parts.push(part);
    body.size += part.length;
    held += part.length;
    for (const oldest of open) {
      if (held <= mostHeld) return;
      oldest.giveUp();
    }
  };
  const collect = async (request: IncomingMessage, body: Body, mayBeLarge: () => Promise<boolean>): Promise<Buffer> => {
    let limit: number = bodyLimits.json;
    for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (!open.has(body)) break;
      add(body, part);
      if (body.size > limit && limit < bodyLimits.messages && (await mayBeLarge())) limit = bodyLimits.messages;
      if (body.size > limit) break;
    }
    return Buffer.concat(body.parts);
  };

  return {
    /** Bytes of bodies under way. */
    held: () => held,
    read: async (request: IncomingMessage, mayBeLarge: () => Promise<boolean>): Promise<Buffer> => {
      const late = Promise.withResolvers<never>();
      const giveUp = () => {
        leave(body);
        late.reject(new ApiError('body_too_slow'));
      };
      const body: Body = { parts: [], size: 0, giveUp };
      open.add(body);
      const timer = setTimeout(giveUp, timeout);
      try {
        return await Promise.race([collect(request, body, mayBeLarge), late.promise]);
      } finally {
        clearTimeout(timer);
        leave(body);
      }
    },
  };
};
export type Bodies = ReturnType<typeof createBodies>;

/** Drops what still comes of a request that was answered, so that its sender gets to hear the answer: for 20 s. */
export const dropRest = (request: IncomingMessage): void => {
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), TIMEOUT).unref();
  request.once('close', () => clearTimeout(timer));
  request.resume();
};
