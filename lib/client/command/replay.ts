import { ok } from '../problem.ts';
import { command, text } from './command.ts';
import { connect } from './profiles.ts';
import { readNumber, readTime, timeHelp } from './times.ts';

const states = ['failed', 'held', 'delivered'] as const;
const statesOf = (given: readonly string[] | undefined) => states.filter((state) => given?.includes(state));

export const replay = command({
  about: 'sends deliveries of a webhook again',
  help: `sensor-cloud replay --webhook ID --since TIME
  --webhook ID                 the webhook
  --since TIME                 from this time on: ${timeHelp}
  --until TIME                 up to this time; without it, now
  --state STATE                failed, held or delivered, repeatable; without it, failed and held
  --rate 10                    how many in a second, 1 to 100
  --delivery ID                this one alone, instead of the times`,
  options: { webhook: text, delivery: text, since: text, until: text, state: { ...text, multiple: true }, rate: text },
  check: ({ webhook, delivery, since, state = [] }) => {
    if (webhook === undefined) return '--webhook is needed';
    if ((delivery === undefined) === (since === undefined)) return 'either --since or --delivery is needed';
    return statesOf(state).length < new Set(state).size ? `--state is one of ${states.join(', ')}` : null;
  },
  run: async ({ webhook: webhookId = '', delivery: deliveryId, since = '', ...given }, io) => {
    const { client } = await connect(given, io);
    if (deliveryId !== undefined) {
      const params = { path: { webhookId, deliveryId } };
      const again = await ok(client.POST('/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', { params }));
      io.out(given.json ? JSON.stringify(again) : `It is sent again as ${again.deliveryId}.`);
      return;
    }
    const body = {
      since: readTime(since, io.now()),
      until: given.until ? readTime(given.until, io.now()) : io.now(),
      states: given.state ? statesOf(given.state) : [...states.slice(0, 2)],
      ratePerSecond: readNumber('rate', given.rate, [1, 100], 10),
    };
    const begun = await ok(client.POST('/webhooks/{webhookId}/replays', { params: { path: { webhookId } }, body }));
    io.out(given.json ? JSON.stringify(begun) : `The replay ${begun.id} has begun: ${begun.total} deliveries.`);
  },
});
