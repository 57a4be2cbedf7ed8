import { By, type Recipient } from '#shared/domain/rule/recipient.ts';

/** The users and bot webhooks a file can refer to, by name. The value is null for a name shared by several webhooks. */
export type Directory = {
  users: ReadonlyMap<string, number>;
  webhooks: ReadonlyMap<string, { botId: number; webhookId: string } | null>;
  usernameKey: (username: string) => string;
};

/** Returns the recipient named by a string such as `anna:email`, or null. */
const recipientOf = (text: string, { users, webhooks, usernameKey }: Directory): Recipient | null => {
  const at = text.lastIndexOf(':');
  const name = text.slice(0, at).trim();
  const kind = text.slice(at + 1).trim();
  // A webhook name may contain a colon.
  if (text.startsWith('webhook:')) return webhooks.get(text.slice('webhook:'.length).trim()) ?? null;
  const { data: by } = By.safeParse(kind);
  if (at < 0 || by === undefined) return null;
  if (name === 'onDuty') return { onDuty: true, by };
  const userId = users.get(usernameKey(name));
  return userId === undefined ? null : { userId, by };
};

/** Returns the recipients named in a cell, or the first unknown part. */
export const recipientsIn = (cell: string, directory: Directory): { recipients: Recipient[] } | { unknown: string } => {
  const parts = cell
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const recipients: Recipient[] = [];
  for (const part of parts) {
    const recipient = recipientOf(part, directory);
    if (!recipient) return { unknown: part };
    recipients.push(recipient);
  }
  return { recipients };
};

type Step = { afterSeconds: number; recipients: Recipient[] };

/** Returns the steps described by a cell such as `60 onDuty:sms | 180 anna:email`, or the first invalid part. */
export const stepsIn = (cell: string, directory: Directory): { steps: Step[] } | { unknown: string } => {
  const steps: Step[] = [];
  for (const part of cell.split('|')) {
    const [, seconds = '', names = ''] = /^\s*(\d{1,6})\s+(.+)$/s.exec(part) ?? [];
    const found = seconds === '' ? { unknown: part.trim() } : recipientsIn(names, directory);
    if ('unknown' in found) return found;
    steps.push({ afterSeconds: Number(seconds), recipients: found.recipients });
  }
  return { steps };
};
