import { ok } from '../problem.ts';
import { command, text } from './command.ts';
import { connect } from './profiles.ts';
import { readNumber, readTime, timeHelp } from './times.ts';

const states = ['failed', 'held', 'delivered'] as const;
const statesOf = (names: readonly string[] | undefined) => states.filter((state) => names?.includes(state));

export const replay = command({
  about: "resend a webhook's deliveries",
  help: `sensor-cloud replay --webhook ID --since TIME
  --webhook ID                 the webhook (required)
  --since TIME                 deliveries since this time: ${timeHelp}
  --until TIME                 deliveries until this time; default: now
  --state STATE                failed, held or delivered; repeatable; default: failed and held
  --rate 10                    deliveries per second, 1 to 100
  --delivery ID                resend only this delivery, instead of --since`,
  options: { webhook: text, delivery: text, since: text, until: text, state: { ...text, multiple: true }, rate: text },
  check: ({ webhook, delivery, since, state = [] }) => {
    if (webhook === undefined) return '--webhook is required';
    if ((delivery === undefined) === (since === undefined)) return 'exactly one of --since and --delivery is required';
    return statesOf(state).length < new Set(state).size ? `--state must be one of ${states.join(', ')}` : null;
  },
  run: async ({ webhook: webhookId = '', delivery: deliveryId, since = '', ...values }, io) => {
    const { client } = await connect(values, io);
    if (deliveryId !== undefined) {
      const params = { path: { webhookId, deliveryId } };
      const resent = await ok(client.POST('/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', { params }));
      io.out(values.json ? JSON.stringify(resent) : `Resending as ${resent.deliveryId}.`);
      return;
    }
    const body = {
      since: readTime(since, io.now()),
      until: values.until ? readTime(values.until, io.now()) : io.now(),
      states: values.state ? statesOf(values.state) : [...states.slice(0, 2)],
      ratePerSecond: readNumber('rate', values.rate, [1, 100], 10),
    };
    const replay = await ok(client.POST('/webhooks/{webhookId}/replays', { params: { path: { webhookId } }, body }));
    io.out(values.json ? JSON.stringify(replay) : `Replay ${replay.id} started with ${replay.total} deliveries.`);
  },
});
