import type { Readable } from 'node:stream';

/** The storage for exported files, by name. */
export type ExportStorage = {
  /** Stores a file as it streams in. Once complete, it replaces any file with the same name. */
  save: (file: string, content: Readable) => Promise<void>;
  /** Returns a URL from which a file can be downloaded without a login for five minutes. */
  urlOf: (file: string) => Promise<string>;
  /** Deletes a file if it exists. */
  remove: (file: string) => Promise<void>;
};

/** How long (s) a file URL is valid. */
export const URL_SECONDS = 300;

const missing = async (): Promise<never> => {
  throw new Error('this host has no storage for exports');
};
export const noExportStorage: ExportStorage = { save: missing, urlOf: missing, remove: missing };
