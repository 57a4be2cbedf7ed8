import { join } from 'node:path';

/**
 * Files that control a simulated disk. `kept` names the folder that holds what a power cut would leave behind. Each of
 * the other files causes a fault while it exists. With `failing`, the next sync fails. With `full`, the disk has no
 * space. With `uncommittable`, the next commit fails because the disk is full.
 */
type DiskFile = 'kept' | 'failing' | 'full' | 'uncommittable';
export const fileOf = (folder: string, name: DiskFile): string => join(folder, name);

/** Bugs that a simulation must find. Each is planted by removing code from one of the host's files. */
export const PLANTED: Readonly<Record<string, { file: string; remove: string }>> = {
  'early-202': { file: '/lib/local/http/http-server.ts', remove: 'if (!(await isKept())) throw notKept();' },
};
