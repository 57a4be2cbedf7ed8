import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run mail -- --to ADDRESS   sends a test email through the mail server set for npm start, and explains the response
  --to ADDRESS                 recipient
Reads SMTP_URL, SMTP_USER, SMTP_PASSWORD_FILE, SMTP_CA and MAIL_SENDER, as npm start does.
Exit code: 0 if the mail server accepted the email; 1 if not, or if a setting is wrong; 2 for invalid options.`;
const options = { to: { type: 'string' } } as const;
const { to = '' } = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  /^[^\s@<>]+@[^\s@<>]+$/.test(values.to ?? '') ? null : '--to ADDRESS is required and must be an email address',
);

const [{ randomBytes }, { sendTestMail }, { runTool }] = await Promise.all([
  import('node:crypto'),
  import('../../lib/tools/mail.ts'),
  import('../../lib/tools/run.ts'),
]);
process.exitCode = await runTool(
  () => sendTestMail(to, process.env, { now: Date.now, random: randomBytes, print: console.log }),
  console.error,
);
