/** The table is down, throttles, or a transaction kept meeting others: nothing was decided, try again later. */
export class TableUnavailable extends Error {
  override name = 'TableUnavailable';
}
