import type { Readable } from 'node:stream';

/** The storage of exported files, by their names. */
export type ExportStorage = {
  /** Stores a file as it streams in. Once complete, it replaces a file of the same name. */
  save: (file: string, content: Readable) => Promise<void>;
  /** Returns an address from which a file can be downloaded for five minutes, without a login. */
  urlOf: (file: string) => Promise<string>;
  /** Deletes a file if it exists. */
  remove: (file: string) => Promise<void>;
};

/** How long the address of a file is valid. */
export const URL_SECONDS = 300;

const missing = async (): Promise<never> => {
  throw new Error('this host has no storage for exports');
};
export const noExportStorage: ExportStorage = { save: missing, urlOf: missing, remove: missing };
