/** A console file could not be loaded. Only reloading the page requests it again. */
export class FileNotLoaded extends Error {}

const RELOADED = 'reloaded';
/**
 * The minimum time (ms) between automatic reloads. If a file fails to load again within this time, there is no newer
 * console: the service is down.
 */
const RELOAD_INTERVAL_MS = 60_000;

/**
 * Waits for a console file. A newer console has other file names, so the page is reloaded when a file is missing.
 * Throws FileNotLoaded.
 */
export const loadFile = async <T>(file: Promise<T>): Promise<T> => {
  try {
    return await file;
  } catch (cause) {
    const last = Number(sessionStorage.getItem(RELOADED));
    if (Date.now() - last > RELOAD_INTERVAL_MS) {
      sessionStorage.setItem(RELOADED, String(Date.now()));
      location.reload();
    }
    throw new FileNotLoaded('a file of the console could not be loaded', { cause });
  }
};
