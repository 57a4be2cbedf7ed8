import type { Client } from '../client.ts';
import { feed } from '../feed.ts';
import { statusOf } from '../problem.ts';
import { command, flag, type Io, text, UsageError, type Values } from './command.ts';
import { customerOf } from './customer.ts';
import { forward, troubleText } from './forward.ts';
import { existingWebhook, ownWebhook, secretOf } from './listened-webhook.ts';
import { connect } from './profiles.ts';
import { readNumber } from './times.ts';

const formats = ['full', 'custom1', 'raw'] as const;
const options = {
  'forward-to': text,
  webhook: text,
  customer: text,
  bot: text,
  format: { ...text, default: 'full' },
  keep: flag,
  'print-secret': flag,
} as const;

const targetOf = (given: string | undefined): URL | null =>
  given !== undefined && URL.canParse(given) && /^https?:$/.test(new URL(given).protocol) ? new URL(given) : null;

type ListenOptions = Values<typeof options>;

const check = (given: ListenOptions): string | null => {
  if (!given['print-secret'] && !targetOf(given['forward-to']))
    return '--forward-to is a URL, such as http://localhost:3000/hook';
  if (given.webhook !== undefined && (given.bot ?? given.customer) !== undefined)
    return '--webhook is of a customer and bot already';
  return formats.some((format) => format === given.format) ? null : `--format is one of ${formats.join(', ')}`;
};

/** The webhook whose messages are forwarded. One that nobody named and no bot needs is deleted at the end. */
const openWebhook = async (client: Client, io: Io, secret: string, given: ListenOptions) => {
  if (given.webhook) {
    const { id } = await existingWebhook(client, given.webhook);
    return { id, isTemporary: false };
  }
  const botId = given.bot === undefined ? null : readNumber('bot', given.bot, [1, Number.MAX_SAFE_INTEGER], 0);
  const { id } = await ownWebhook(client, io, secret, {
    profile: given.profile,
    format: formats.find((known) => known === given.format) ?? 'full',
    botId,
    customerId: await customerOf(client, given.customer),
  });
  return { id, isTemporary: botId === null && !given.keep };
};

/** Forwards the messages of a webhook until the command is ended. Those that the target did not accept are fetched again. */
const forwardAll = async (client: Client, id: string, target: URL, { io, isJson }: { io: Io; isJson: boolean }) => {
  const onTrouble = (error: unknown, seconds: number) => io.err(`${troubleText(error)}: again in ${seconds} s`);
  while (!io.signal.aborted)
    for await (const message of feed(client, id, { ...io, onTrouble }))
      if (!(await forward(target, message, isJson, io))) break;
};

export const listen = command({
  about: 'forwards what webhooks get to a server on this machine, signed as in life',
  help: `sensor-cloud listen --forward-to http://localhost:3000/hook
Fetches what happens at your customer, and posts it with the headers and the body that a webhook would get. What is
not answered by 2xx is posted again after 1 to 30 s, and nothing else before it. Ctrl-C ends it.
  --forward-to URL             where it is posted
  --print-secret               prints the secret of the signatures, and ends
  --format full                or custom1, raw: what bodies are like
  --customer ID                of this customer; system admins have to say it
  --bot ID                     what rules tell this bot, by a webhook that stays, for rules to name
  --webhook ID                 of this webhook, whose url is null
  --keep                       the webhook stays, so that the next time nothing in between is missed`,
  options,
  check,
  run: async (given, io) => {
    const { client, profile } = await connect(given, io);
    const secret = await secretOf(io, given.profile, profile);
    if (given['print-secret']) return io.out(given.json ? JSON.stringify({ secret }) : secret);
    const target = targetOf(given['forward-to']);
    if (!target) throw new UsageError('--forward-to is a URL');
    const { id, isTemporary } = await openWebhook(client, io, secret, given);
    io.err(`Listening by the webhook ${id}, and posting to ${target}. Ctrl-C ends it.`);
    try {
      await forwardAll(client, id, target, { io, isJson: given.json });
    } catch (error) {
      throw statusOf(error) === 409 ? new Error(`the webhook ${id} is switched off`) : error;
    } finally {
      if (isTemporary)
        await client.DELETE('/webhooks/{webhookId}', { params: { path: { webhookId: id } } }).catch(() => {});
    }
  },
});
