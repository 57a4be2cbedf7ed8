/** An expected failure, not a bug. The message is a sentence for the tool's user, printed without a stack trace. */
export class UserError extends Error {
  override name = 'Refusal';
}
