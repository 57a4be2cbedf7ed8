import type { IncomingMessage } from 'node:http';
import { ApiError } from '#shared/api/errors.ts';
import { bodyLimits } from '#shared/api/middleware/input.ts';

/** The time (ms) within which a body must arrive. */
const TIMEOUT_MS = 20_000;
/** The total bytes of unfinished bodies held in memory. */
const MAX_HELD_BYTES = 64 * 1_024 * 1_024;

type Body = { parts: Buffer[]; size: number; reject: () => void };

/**
 * Reads request bodies within limits that apply before the caller is authenticated. A body may be up to 256 KiB, or up
 * to 1 MiB if `mayBeLarge` resolves to true. Reading stops just above the limit, so the operation notices the excess. A
 * body that takes longer than 20 s is rejected with 408. If all unfinished bodies together exceed 64 MiB, the oldest
 * one is rejected with 408, so slow senders only displace each other.
 */
export const createBodies = ({ timeout = TIMEOUT_MS, maxHeld = MAX_HELD_BYTES } = {}) => {
  const open = new Set<Body>();
  let held = 0;

  const forget = (body: Body): void => {
    if (open.delete(body)) held -= body.size;
    body.parts = [];
  };
  const add = (body: Body, part: Buffer): void => {
    body.parts.push(part);
    body.size += part.length;
    held += part.length;
    for (const oldest of open) {
      if (held <= maxHeld) return;
      oldest.reject();
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
    /** Returns the total bytes of unfinished bodies. */
    held: () => held,
    read: async (request: IncomingMessage, mayBeLarge: () => Promise<boolean>): Promise<Buffer> => {
      const late = Promise.withResolvers<never>();
      const reject = () => {
        forget(body);
        late.reject(new ApiError('body_too_slow'));
      };
      const body: Body = { parts: [], size: 0, reject };
      open.add(body);
      const timer = setTimeout(reject, timeout);
      try {
        return await Promise.race([collect(request, body, mayBeLarge), late.promise]);
      } finally {
        clearTimeout(timer);
        forget(body);
      }
    },
  };
};
export type Bodies = ReturnType<typeof createBodies>;

/** Discards the rest of a request for at most 20 s, so the sender can read an early response. */
export const discardRest = (request: IncomingMessage): void => {
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), TIMEOUT_MS).unref();
  request.once('close', () => clearTimeout(timer));
  request.resume();
};
