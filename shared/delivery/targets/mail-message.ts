import MailComposer from 'nodemailer/lib/mail-composer';

/** A plain-text mail. `id` is unique, and becomes the first part of its Message-ID. */
export type MailMessage = { from: string; to: string; subject: string; text: string; id: string; date: number };

/**
 * Returns a mail as it is sent: lines and encoded words as RFC 5322 and 2047 require, in ASCII. `Auto-Submitted`
 * prevents out-of-office replies (RFC 3834).
 */
export const composeMail = ({ from, to, subject, text, id, date }: MailMessage): Promise<Buffer> => {
  const mail = new MailComposer({
    // As objects, because a text would be parsed as a list of addresses.
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
  // A text in quoted-printable can be read as it is, in `outbox` or at a mail server; encoded words are in Base64.
  mail.addHeader('Content-Transfer-Encoding', 'quoted-printable');
  mail.addHeader('Auto-Submitted', 'auto-generated');
  return mail.build();
};
