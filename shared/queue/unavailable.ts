/**
 * A queue did not take a message. The call may be repeated: either it changed nothing, or the repetition does the same
 * again without harm.
 */
export class QueueUnavailable extends Error {
  override name = 'QueueUnavailable';
}
