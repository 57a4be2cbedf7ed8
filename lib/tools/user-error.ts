/**
 * An expected failure, not a bug. Its message is a sentence for the user of the tool, printed without a stack trace.
 */
export class UserError extends Error {
  override name = 'Refusal';
}
