import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PACKAGE = '@dynoxide/linux-x64';
const ATTEMPTS = 3;
const READY_MS = 10_000;
const TERM_MS = 2_000;

/**
 * Turns into the engine, and leaves a watcher that reads a pipe to which this process never writes. The kernel closes it
 * when this process ends, SIGKILL included, and then the watcher kills the engine. Needs nothing but a shell.
 */
const GUARD = `
exec 2>&1 3<&0
echo $$ >"$0"
(read -r line <&3; kill -KILL $$) >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-
`;

export type TableEngineOptions = {
  /** A folder, made when it is missing, for one host at a time; ':memory:' keeps nothing. */
  dataDir: string;
  /** Hears when the engine ends without `stop`, and what it said last. */
  onExit: (error: Error) => void;
};

export type TableEngine = {
  endpoint: string;
  /** Resolves when the engine is gone: asked to end, and killed after 2 seconds. */
  stop(): Promise<void>;
};

/**
 * Starts the embedded table engine and resolves when it listens. It dies with this process, however this process ends.
 * Rejects when there is no engine for this platform, when another host uses `dataDir`, and after 10 seconds.
 */
export const startTableEngine = async ({ dataDir, onExit }: TableEngineOptions): Promise<TableEngine> => {
  const binary = findBinary();
  const dataFiles = dataDir === ':memory:' ? undefined : await claim(dataDir);
  try {
    if (dataFiles) await endLeftover(dataFiles);
    const { child, endpoint, exited } = await launchOnFreePort(binary, dataFiles);
    let stopping = false;
    const gone = exited.then((lastWords) => {
      dataFiles?.lock.close();
      if (!stopping) onExit(new Error(`the table engine ended by itself: ${lastWords}`));
    });
    const stop = (): Promise<void> => {
      stopping = true;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), TERM_MS);
      return gone.finally(() => clearTimeout(timer));
    };
    return { endpoint, stop };
  } catch (error) {
    dataFiles?.lock.close();
    throw error;
  }
};

const findBinary = (): string => {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)), 'dynoxide');
  } catch (cause) {
    const remedy = 'set AWS_ENDPOINT_URL_DYNAMODB to the endpoint of a DynamoDB-compatible engine';
    throw new Error(`${PACKAGE} is not installed on this ${process.platform}-${process.arch}: ${remedy}`, { cause });
  }
};

/** Where the table of a data folder is kept. */
export const tableFileOf = (folder: string): string => join(folder, 'table.db');

/** Where the number of the engine's process is kept that works, or worked, on a data folder. */
export const pidFileOf = (folder: string): string => join(folder, 'engine.pid');

type DataFiles = { database: string; pidFile: string; lock: Server };

const claim = async (dataDir: string): Promise<DataFiles> => {
  await mkdir(dataDir, { recursive: true });
  const folder = await realpath(dataDir);
  return { database: tableFileOf(folder), pidFile: pidFileOf(folder), lock: await lock(folder) };
};

/**
 * The engine would let two processes share a database, so the lock is ours: an abstract socket named by the folder's
 * inode. The kernel frees it with the process, so it is never stale. It doesn't reach across network namespaces.
 */
const lock = async (folder: string): Promise<Server> => {
  const { dev, ino } = await stat(folder);
  const server = createServer().unref().listen(`\0sensor-cloud/${dev}/${ino}`);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new Error(`another host uses ${folder}: stop it, or choose another data folder`, { cause });
  }
  return server;
};

/** Whoever holds the lock is alone, so an engine that is still there lost its host a moment ago, or its watcher too. */
const endLeftover = async ({ database, pidFile }: DataFiles): Promise<void> => {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  const isOurs = async () =>
    pid > 0 && (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').includes(database);
  if (await isOurs()) process.kill(pid, 'SIGKILL');
  for (let waits = 0; await isOurs(); waits += 1) {
    if (waits > 1_000) throw new Error(`process ${pid} uses ${database} and cannot be killed`);
    await sleep(2);
  }
};

const launchOnFreePort = async (binary: string, dataFiles: DataFiles | undefined) => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(binary, await freePort(), dataFiles);
    } catch (error) {
      const taken = error instanceof Error && /in use/i.test(error.message);
      if (!taken || attempt === ATTEMPTS) throw error;
    }
  }
};

/** Free a moment ago: the engine doesn't tell which port it got, so it can't choose. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const launch = async (binary: string, port: number, dataFiles: DataFiles | undefined) => {
  const endpoint = `http://127.0.0.1:${port}`;
  const args = [binary, 'serve', '--host', '127.0.0.1', '--port', `${port}`];
  if (dataFiles) args.push('--db-path', dataFiles.database);
  // Detached, so that Ctrl-C reaches only the host, which then stops things in order.
  const child = spawn('sh', ['-c', GUARD, dataFiles?.pidFile ?? '/dev/null', ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  let output = '';
  // It says so after listen(2), and only our own child can say it: an answer from the port could be someone else's.
  const listening = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output = `${output}${text}`.slice(-2_000);
      if (output.includes(`listening on ${endpoint}`)) resolve();
    });
  });
  // Not 'exit': what it said last may still be on its way.
  const exited = once(child, 'close').then(([code, signal]) => `${output.trim()} (${code ?? signal})`);
  const late = sleep(READY_MS, undefined, { ref: false });
  const lastWords = await Promise.race([
    listening,
    exited,
    late.then(() => `not ready after ${READY_MS} ms: ${output}`),
  ]);
  if (lastWords === undefined) return { child, endpoint, exited };
  child.kill('SIGKILL');
  throw new Error(`the table engine did not start: ${lastWords}`);
};
