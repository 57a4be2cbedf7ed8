import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PACKAGE = '@dynoxide/linux-x64';
const ATTEMPTS = 3;
const READY_MS = 10_000;
const TERM_MS = 2_000;

/**
 * Turns its shell into the engine, and leaves a watcher that reads a pipe to which this process never writes. The
 * kernel closes the pipe when this process ends, even by SIGKILL, and then the watcher kills the engine. This needs
 * nothing but a shell.
 */
const GUARD = `
exec 2>&1 3<&0
echo $$ >"$0"
(read -r line <&3; kill -KILL $$) >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-
`;

export type TableEngineOptions = {
  /** The folder for the table, created when missing, for one host at a time; ':memory:' stores nothing on disk. */
  dataDir: string;
  /** Is called when the engine ends without `stop`, with its last output. */
  onExit: (error: Error) => void;
};

export type TableEngine = {
  endpoint: string;
  /** Asks the engine to end, and kills it after 2 seconds. Resolves when it has ended. */
  stop(): Promise<void>;
};

/**
 * Starts the embedded table engine and resolves when it listens. It ends with this process, however this process
 * ends. Rejects when there is no engine for this platform, when another host uses `dataDir`, and after 10 seconds.
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

/** The file of the table in a data folder. */
export const tableFileOf = (folder: string): string => join(folder, 'table.db');

/** The file with the process id of the engine that works, or worked, on a data folder. */
export const pidFileOf = (folder: string): string => join(folder, 'engine.pid');

type DataFiles = { database: string; pidFile: string; lock: Server };

const claim = async (dataDir: string): Promise<DataFiles> => {
  await mkdir(dataDir, { recursive: true });
  const folder = await realpath(dataDir);
  // The engine would let everybody on this machine read what it keeps.
  await writeFile(tableFileOf(folder), '', { flag: 'a', mode: 0o600 });
  return { database: tableFileOf(folder), pidFile: pidFileOf(folder), lock: await lock(folder) };
};

/**
 * Locks a data folder, because the engine would let two processes share a database. The lock is an abstract socket
 * named by the folder's inode. The kernel frees it with the process, so it is never stale. It doesn't reach across
 * network namespaces.
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

/**
 * Ends an engine that is left over from a host that has just died. The caller holds the lock, so no host uses this
 * engine.
 */
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

/**
 * Finds a port that is free at this moment. The engine can't choose one itself, because it doesn't tell which port it
 * got.
 */
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
  // The engine is detached, so that Ctrl-C reaches only the host, which then stops things in order.
  const child = spawn('sh', ['-c', GUARD, dataFiles?.pidFile ?? '/dev/null', ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
    // In memory no thread waits for a disk, and a second one costs 7 % of the time of the tests.
    ...(!dataFiles && { env: { TOKIO_WORKER_THREADS: '1' } }),
  });
  let output = '';
  // The engine prints this line after listen(2). It is safer than a connection test: another process could answer at
  // the port.
  const listening = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output = `${output}${text}`.slice(-2_000);
      if (output.includes(`listening on ${endpoint}`)) resolve();
    });
  });
  // The event is not 'exit', because the last output may arrive after that.
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
