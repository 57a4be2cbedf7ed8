/** An end that is no bug: its message is a whole sentence for whoever runs the tool, and no stack trace follows. */
export class Refusal extends Error {
  override name = 'Refusal';
}
