// Imported into a host (node --import) by power-cuts.ts. Simulates a disk that keeps only what was synced. A power cut
// leaves the files as they were before the last completed sync. Files in `folder`, a parameter in this module's URL,
// cause faults.
import fs, {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileOf, PLANTED } from './disk-faults.ts';

const parameter = (name: string): string => new URL(import.meta.url).searchParams.get(name) ?? '';
const [folder, data] = [parameter('folder'), parameter('data')];
const has = (name: Parameters<typeof fileOf>[1]): boolean => existsSync(fileOf(folder, name));

/** Copies the host's files. The database changes only at checkpoints, so most copies share it. */
let copies = 0;
let database = { path: '', changed: 0n };
const copyFiles = (): string => {
  copies += 1;
  const copy = join(folder, `copy-${process.pid}-${copies}`);
  mkdirSync(copy);
  const { mtimeNs } = statSync(join(data, 'cloud.sqlite'), { bigint: true });
  const path = join(copy, 'cloud.sqlite');
  if (mtimeNs === database.changed) linkSync(database.path, path);
  else copyFileSync(join(data, 'cloud.sqlite'), path);
  database = { path, changed: mtimeNs };
  copyFileSync(join(data, 'cloud.sqlite-wal'), join(copy, 'cloud.sqlite-wal'));
  rmSync(join(folder, `copy-${process.pid}-${copies - 3}`), { recursive: true, force: true });
  return copy;
};

const handle = await open('/dev/null', 'r');
const prototype = Object.getPrototypeOf(handle) as Pick<typeof handle, 'datasync'>;
await handle.close();
const { datasync } = prototype;
prototype.datasync = async function (this: typeof handle) {
  const copy = copyFiles();
  await sleep(Number(parameter('delayMs')));
  if (has('failing')) {
    rmSync(fileOf(folder, 'failing'));
    throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
  }
  await datasync.call(this);
  writeFileSync(`${fileOf(folder, 'kept')}.new`, copy);
  renameSync(`${fileOf(folder, 'kept')}.new`, fileOf(folder, 'kept'));
};

const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string): StatementSync {
  const statement = prepare.call(this, sql);
  if (sql !== 'COMMIT') return statement;
  const run = statement.run.bind(statement);
  statement.run = () => {
    if (!has('uncommittable')) return run();
    rmSync(fileOf(folder, 'uncommittable'));
    // SQLite also rolls back when the journal cannot grow.
    this.exec('ROLLBACK');
    throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  };
  return statement;
};

// The journal is short, because every sync copies it.
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
  exec.call(this, sql.replace(/wal_autocheckpoint = \d+/, 'wal_autocheckpoint = 500'));
};

const { statfsSync } = fs;
const statfs = fs.promises.statfs;
const spaceOf = <T extends object>(found: T): T => (has('full') ? { ...found, bavail: 0 } : found);
Object.assign(fs, { statfsSync: (path: string) => spaceOf(statfsSync(path)) });
Object.assign(fs.promises, { statfs: async (path: string) => spaceOf(await statfs(path)) });
syncBuiltinESMExports();

const planted = PLANTED[parameter('planted')];
if (planted)
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(planted.file)) return loaded;
      const source = String(loaded.source);
      if (!source.includes(planted.remove)) throw new Error(`${planted.file} has no ${planted.remove}`);
      return { ...loaded, source: source.replace(planted.remove, '') };
    },
  });
