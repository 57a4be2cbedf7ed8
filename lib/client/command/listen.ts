import type { Client } from '../client.ts';
import { feed } from '../feed.ts';
import { statusOf } from '../problem.ts';
import { type CommandIo, command, flag, type OptionValues, text, UsageError } from './command.ts';
import { customerOf } from './customer.ts';
import { forward, serviceErrorText } from './forward.ts';
import { existingWebhook, ownWebhook, secretOf } from './listen-webhook.ts';
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

const targetOf = (url: string | undefined): URL | null =>
  url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? new URL(url) : null;

type ListenOptions = OptionValues<typeof options>;

const check = (values: ListenOptions): string | null => {
  if (!values['print-secret'] && !targetOf(values['forward-to']))
    return '--forward-to must be a URL, such as http://localhost:3000/hook';
  if (values.webhook !== undefined && (values.bot ?? values.customer) !== undefined)
    return '--webhook cannot be combined with --customer or --bot';
  return formats.some((format) => format === values.format) ? null : `--format must be one of ${formats.join(', ')}`;
};

/** Opens the webhook to listen on. A webhook created without --bot and --keep is deleted at the end. */
const openWebhook = async (client: Client, io: CommandIo, secret: string, values: ListenOptions) => {
  if (values.webhook) {
    const { id } = await existingWebhook(client, values.webhook);
    return { id, isTemporary: false };
  }
  const botId = values.bot === undefined ? null : readNumber('bot', values.bot, [1, Number.MAX_SAFE_INTEGER], 0);
  const { id } = await ownWebhook(client, io, secret, {
    profile: values.profile,
    format: formats.find((known) => known === values.format) ?? 'full',
    botId,
    customerId: await customerOf(client, values.customer),
  });
  return { id, isTemporary: botId === null && !values.keep };
};

/** Forwards webhook messages until the command is stopped. Messages that were not accepted are fetched again. */
const forwardAll = async (
  client: Client,
  id: string,
  target: URL,
  { io, isJson }: { io: CommandIo; isJson: boolean },
) => {
  const onTrouble = (error: unknown, seconds: number) => io.err(`${serviceErrorText(error)}, retrying in ${seconds} s`);
  while (!io.signal.aborted)
    for await (const message of feed(client, id, { ...io, onTrouble }))
      if (!(await forward(target, message, isJson, io))) break;
};

export const listen = command({
  about: 'forward webhook deliveries, with real signatures, to a server on this machine',
  help: `sensor-cloud listen --forward-to http://localhost:3000/hook
Receives your customer's events, and posts them with the headers and body a webhook would get. A delivery without a 2xx
response is retried after 1 to 30 s, and holds back later ones. Press Ctrl-C to stop.
  --forward-to URL             URL to post to
  --print-secret               print the signing secret and exit
  --format full                body format: full, custom1 or raw
  --customer ID                customer to listen to; required for system admins
  --bot ID                     receive what rules send to this bot, through a webhook kept for rules to refer to
  --webhook ID                 use this webhook; its url must be null
  --keep                       keep the webhook, so that events between two runs are not missed`,
  options,
  check,
  run: async (values, io) => {
    const { client, profile } = await connect(values, io);
    const secret = await secretOf(io, values.profile, profile);
    if (values['print-secret']) return io.out(values.json ? JSON.stringify({ secret }) : secret);
    const target = targetOf(values['forward-to']);
    if (!target) throw new UsageError('--forward-to must be a URL');
    const { id, isTemporary } = await openWebhook(client, io, secret, values);
    io.err(`Listening on webhook ${id} and forwarding to ${target}. Press Ctrl-C to stop.`);
    try {
      await forwardAll(client, id, target, { io, isJson: values.json });
    } catch (error) {
      throw statusOf(error) === 409 ? new Error(`the webhook ${id} is disabled`) : error;
    } finally {
      if (isTemporary)
        await client.DELETE('/webhooks/{webhookId}', { params: { path: { webhookId: id } } }).catch(() => {});
    }
  },
});
