/** The table is down or throttling, or other changes kept getting there first. The caller should retry later. */
export class TableUnavailable extends Error {
  override name = 'TableUnavailable';
}
