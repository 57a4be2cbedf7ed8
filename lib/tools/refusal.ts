/**
 * An expected failure, not a bug: its message is a whole sentence for the user of the tool, and it is printed without
 * a stack trace.
 */
export class Refusal extends Error {
  override name = 'Refusal';
}
