import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '#shared/api/errors.ts';
import { mayReadDetails } from '#shared/api/http/address.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { judgeHealth, unknownHost } from '#shared/domain/service-health.ts';
import type { Clock } from './clock.ts';
import { eventOf } from './http/host-pages.ts';
import type { RequestHandler } from './http/http-server.ts';
import { multiValues, sentHeaders, targetOf } from './http/server.ts';
import { hasRoom, isFullDisk } from './no-space.ts';

const CHECK_EVERY_MS = 5_000;
/** The size (bytes) of the file written to detect an exhausted user quota. */
const PROBE_BYTES = 64 * 1_024;

/**
 * Whether the disk has space for the data in a folder. True after any other error, which the caller will get when it
 * opens the data.
 */
const isWritable = (dataDir: string): boolean => {
  const probe = join(dataDir, 'start-probe');
  try {
    mkdirSync(dataDir, { recursive: true });
    if (!hasRoom(dataDir)) return false;
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES));
    rmSync(probe);
    return true;
  } catch (error) {
    rmSync(probe, { force: true });
    return !isFullDisk(error);
  }
};

type Waiting = {
  clock: Clock;
  /** Called once if the disk is full. */
  onFull: () => void;
  canWrite?: (dataDir: string) => boolean;
};

/**
 * Opens a host's data once the disk has space for it. If the host exited instead, it would be restarted over and over,
 * and could not report what is wrong.
 */
export const openOnceRoom = async <T>(
  dataDir: string,
  open: () => T,
  { clock, onFull, canWrite = isWritable }: Waiting,
): Promise<T> => {
  for (let tries = 0; ; tries++) {
    try {
      if (dataDir === ':memory:' || canWrite(dataDir)) return open();
    } catch (error) {
      if (!isFullDisk(error)) throw error;
    }
    if (tries === 0) onFull();
    await new Promise<void>((resolve) => void clock.after(CHECK_EVERY_MS, resolve));
  }
};

/**
 * Responds to requests while a host waits for space: GET /health returns the reason, and everything else is
 * unavailable.
 */
export const fullDiskPages =
  (settings: Parameters<typeof mayReadDetails>[1], { now }: Pick<Clock, 'now'>): RequestHandler =>
  async (request) => {
    const path = `${BASE_PATH}/health`;
    if (request.method !== 'GET' || targetOf(request.url).pathname !== path)
      throw new ApiError('unavailable', { waitSeconds: 5 });
    const event = eventOf(path, multiValues(sentHeaders(request)), request.socket.remoteAddress ?? '');
    const health = judgeHealth(null, { sweep: null, canary: null }, { ...unknownHost, disk: 'FULL' }, now());
    const body = JSON.stringify(mayReadDetails(event, settings) ? health : { status: health.status });
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'Retry-After': '5' };
    return (response) => void response.writeHead(503, headers).end(body);
  };

/** The line printed by a host waiting for space. */
export const FULL_DISK_LINE =
  'warning: the disk of DATA_DIR is full. Make room: the host then starts by itself. Until then it accepts nothing, and GET /health says disk: FULL.';

/** Returns a line about what to do when changes could not be stored. */
export const lostLine = (error: Error): string =>
  isFullDisk(error)
    ? 'the disk of DATA_DIR is full, so the host has to be restarted; nothing that it acknowledged is lost: make room, and start it again'
    : 'the disk of DATA_DIR could not be written, so the host has to be restarted; nothing that it acknowledged is lost: check the disk, and start it again';
