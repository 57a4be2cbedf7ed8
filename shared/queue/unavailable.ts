/**
 * A queue did not accept a message. The request can be retried, because either it changed nothing, or repeating it does
 * no harm.
 */
export class QueueUnavailable extends Error {
  override name = 'QueueUnavailable';
}
