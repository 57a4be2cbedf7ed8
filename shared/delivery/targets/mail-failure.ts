/**
 * The error for an email that a mail server did not accept. `reason` is a stable word, and `answer` is the server
 * response without the address. `isFinal`: the recipient or the email was refused, so retries would not help.
 */
export class MailFailure extends Error {
  override readonly name = 'MailFailure';
  readonly reason: string;
  readonly answer: string;
  readonly isFinal: boolean;

  constructor(reason: string, answer: string, isFinal: boolean) {
    super(answer === '' ? reason : `${reason}: ${answer}`);
    this.reason = reason;
    this.answer = answer;
    this.isFinal = isFinal;
  }
}
