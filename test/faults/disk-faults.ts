import { join } from 'node:path';

/**
 * Files on a simulated disk. `kept` names the folder with what a power cut would leave. The others cause faults while
 * they exist: `failing`, the next sync fails; `full`, the disk has no space; `uncommittable`, the next commit fails
 * because the disk is full.
 */
type DiskFile = 'kept' | 'failing' | 'full' | 'uncommittable';
export const fileOf = (folder: string, name: DiskFile): string => join(folder, name);

/** Bugs that a simulation must find. Each is planted by removing code from one of the host's files. */
export const PLANTED: Readonly<Record<string, { file: string; remove: string }>> = {
  'early-202': { file: '/lib/local/http/http-server.ts', remove: 'if (!(await isKept())) throw notKept();' },
};
