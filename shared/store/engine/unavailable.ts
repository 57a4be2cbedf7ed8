/** The table is down, throttles, or a transaction kept conflicting with others: try again later. */
export class TableUnavailable extends Error {
  override name = 'TableUnavailable';
}
