import type { Readable } from 'node:stream';

/** Where the results of exports are kept, by the names of their files. */
export type Exports = {
  /** Keeps a file as it comes. What was kept under that name before is replaced once the new one is whole. */
  save: (file: string, content: Readable) => Promise<void>;
  /** Gives an address where a file can be fetched for an hour, without a login. */
  urlOf: (file: string) => Promise<string>;
  /** Deletes a file, if it is there. */
  remove: (file: string) => Promise<void>;
};

/** How long (s) the address of a file is good. */
export const URL_SECONDS = 3_600;

const missing = async (): Promise<never> => {
  throw new Error('this host has no place for exports');
};
export const nowhere: Exports = { save: missing, urlOf: missing, remove: missing };
