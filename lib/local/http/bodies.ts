import type { IncomingMessage } from 'node:http';
import { ApiError } from '#shared/api/errors.ts';
import { bodyLimits } from '#shared/api/middleware/input.ts';

/** A body must arrive within so many ms. */
const TIMEOUT = 20_000;
/** Bytes of unfinished bodies that are held in memory in all. */
const MOST_HELD = 64 * 1_024 * 1_024;

type Body = { parts: Buffer[]; size: number; giveUp: () => void };

/**
 * Reads request bodies within limits that hold before the caller is authenticated. A body may have 256 KiB, or 1 MiB
 * when `mayBeLarge` resolves to true; reading stops just above the limit, so that the operation sees that the body is
 * too large. A body that takes longer than 20 s is refused (408). When all unfinished bodies have more than 64 MiB,
 * the oldest one is refused (408), so slow senders displace only each other.
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
    /** Bytes of unfinished bodies. */
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

/** Discards the rest of a request that was answered, for at most 20 s, so that its sender can read the answer. */
export const dropRest = (request: IncomingMessage): void => {
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), TIMEOUT).unref();
  request.once('close', () => clearTimeout(timer));
  request.resume();
};
