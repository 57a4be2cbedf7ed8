/** The table is down or throttling, or other changes kept coming first. The caller should retry later. */
export class TableUnavailable extends Error {
  override name = 'TableUnavailable';
}
