/** A queue did not take what it was to carry. Nothing was done, or it will be done once more: the call may be made again. */
export class QueueUnavailable extends Error {
  override name = 'QueueUnavailable';
}
