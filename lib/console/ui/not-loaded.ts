/** A file of the console could not be loaded. Only loading the page anew asks for it again. */
export class NotLoaded extends Error {}

const RELOADED = 'reloaded';
/**
 * The page is reloaded by itself at most once in so many ms. When a file cannot be loaded again so soon, the service is
 * down, and there is no newer console.
 */
const ONCE_IN = 60_000;

/**
 * Waits for a file of the console. The files of a newer console have other names, so when a file of the present page is
 * missing, the page is reloaded. Throws NotLoaded when that did not help.
 */
export const loaded = async <T>(file: Promise<T>): Promise<T> => {
  try {
    return await file;
  } catch (cause) {
    const last = Number(sessionStorage.getItem(RELOADED));
    if (Date.now() - last > ONCE_IN) {
      sessionStorage.setItem(RELOADED, String(Date.now()));
      location.reload();
    }
    throw new NotLoaded('a file of the console could not be loaded', { cause });
  }
};
