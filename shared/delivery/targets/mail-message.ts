import MailComposer from 'nodemailer/lib/mail-composer';

/** A plain-text email. `id` is unique, and becomes the first part of the Message-ID. */
export type MailMessage = { from: string; to: string; subject: string; text: string; id: string; date: number };

/**
 * Returns an email as sent, in ASCII, with lines and encoded words as required by RFC 5322 and 2047. `Auto-Submitted`
 * prevents out-of-office replies (RFC 3834).
 */
export const composeMail = ({ from, to, subject, text, id, date }: MailMessage): Promise<Buffer> => {
  const mail = new MailComposer({
    // As objects, because strings would be parsed as address lists.
    from: { name: '', address: from },
    to: { name: '', address: to },
    subject,
    text,
    messageId: `<${id}@${from.split('@').at(1) ?? 'localhost'}>`,
    date: new Date(date),
    textEncoding: 'base64',
    newline: '\r\n',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  // Quoted-printable text can be read as is, in `outbox` or on a mail server. Encoded words are in Base64.
  mail.addHeader('Content-Transfer-Encoding', 'quoted-printable');
  mail.addHeader('Auto-Submitted', 'auto-generated');
  return mail.build();
};
