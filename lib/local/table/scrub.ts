import type { DatabaseSync } from 'node:sqlite';
import { timeOfUlid } from '#shared/domain/ids.ts';
import { items } from '#shared/store/table.ts';

/** So long (ms) after its beginning an erasure may still remove something. */
const LONGEST = 3_600_000;
const MINUTE = 60_000;

/**
 * Writes a file anew if something was erased from it since it was written anew last: in the free parts of its pages there
 * may be traces. Nobody is served meanwhile, so it is done when a host starts and when it stops; it takes about a second
 * for each 200 MB.
 * https://www.sqlite.org/lang_vacuum.html
 */
export const scrub = (database: DatabaseSync, now: number): void => {
  const newest = database.prepare('SELECT max(sk) AS id FROM items WHERE pk = ?').get(items.erasure.pk({}))?.id;
  if (typeof newest !== 'string') return;
  const scrubbed = Number(database.prepare('PRAGMA user_version').get()?.user_version) * MINUTE;
  if (timeOfUlid(newest) + LONGEST < scrubbed) return;
  // The version of the file is the minute (since 1970) of its last writing.
  database.exec(`PRAGMA user_version = ${Math.floor(now / MINUTE)}; VACUUM;`);
};
