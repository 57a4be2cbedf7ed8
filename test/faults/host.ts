import type { Queue } from '#lib/local/queue/queue.ts';
import type { Vault } from '#shared/auth/vault.ts';
import type { QueueMessage } from '#shared/queue/encode.ts';
import { isFifo } from '#shared/queue/names.ts';
import type { Queues } from '#shared/queue/sqs-queues.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Settings } from '#shared/runtime/env.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import type { Chaos } from './chaos.ts';
import type { Lives } from './lives.ts';
import { ofOtherVersion, otherItem, poisons } from './versions.ts';

type Table = Runtime['table'];

/** Whether a call writes a delivery for the event caused by this message. */
const isDelivery = (args: unknown[], uuid: string): boolean => {
  const text = JSON.stringify(args);
  return text.includes(uuid) && text.includes('"sk":"DELIVERY#');
};

const flaky = ({ rates, strikes }: Chaos, table: Table): Table => {
  const wrapped =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const { failing, poisoned, undeliverable } = rates();
      if (failing && JSON.stringify(args).includes(failing)) throw new TableUnavailable('of that sensor');
      if (poisoned && JSON.stringify(args).includes(poisoned)) throw new Error('a message that always fails');
      if (undeliverable && isDelivery(args, undeliverable)) throw new Error('a decision that always fails');
      if (strikes(rates().refusal)) throw new TableUnavailable('throttled');
      const result = await call(...args);
      if (strikes(rates().lostResponse)) throw new TableUnavailable('the response was lost');
      return result;
    };
  const calls = Object.entries(table).map(([name, call]) => [name, wrapped(call as never)]);
  return Object.fromEntries(calls) as Table;
};

/** Returns a table that writes some items as another version would. */
const ofVersions = (chaos: Chaos, table: Table): Table => ({
  ...table,
  write: (...writes) =>
    table.write(
      ...writes.map((write) =>
        'put' in write && chaos.strikes(chaos.rates().otherVersion) ? { ...write, put: otherItem(write.put) } : write,
      ),
    ),
});

const unreliable =
  ({ rates, strikes, chance }: Chaos, send: Queues['send']): Queues['send'] =>
  async (queue, messages) => {
    const { unsent, lostSend, lateMessage, doubleMessage, poison, otherVersion } = rates();
    let copies = 0;
    /** Copies a message. A FIFO queue drops a known deduplication id, so the copy gets a new one. */
    const copyOf = (message: QueueMessage): QueueMessage =>
      isFifo(queue) ? { ...message, deduplicationId: `${message.deduplicationId} ${++copies} ${chance()}` } : message;
    for (const message of messages) {
      if (strikes(unsent)) throw new Error('the queue accepted nothing');
      if (strikes(poison))
        await send(queue, [copyOf({ ...message, body: poisons[Math.floor(chance() * poisons.length)] ?? '' })]);
      const late = !isFifo(queue) && strikes(lateMessage) ? Math.ceil(chance() * 60) : 0;
      const body = strikes(otherVersion) ? ofOtherVersion(message.body, chance()) : message.body;
      await send(queue, [{ ...message, body, delaySeconds: Math.min(900, message.delaySeconds + late) }]);
      if (strikes(doubleMessage))
        await send(queue, [copyOf({ ...message, body, delaySeconds: Math.min(900, message.delaySeconds + 2 * late) })]);
      if (strikes(lostSend)) throw new Error('the response of the queue was lost');
    }
  };

const keyless = ({ rates, strikes }: Chaos, vault: Vault): Vault => ({
  ...vault,
  open: async (...args) => {
    if (strikes(rates().keys)) throw new Error('the key service is unavailable');
    return vault.open(...args);
  },
});

/** Loses some message deletions, without an error. */
export const forgetful = ({ rates, strikes }: Chaos, queues: readonly Queue[]): void => {
  for (const queue of queues) {
    const { remove } = queue;
    queue.remove = (handle) => (strikes(rates().lostDeletion) ? undefined : remove(handle));
  }
};

/** Creates a host with the faults in `chaos`. `settings` are read each time they are used. */
export const failingHost =
  (chaos: Chaos, lives: Lives, webhookClient: Runtime['webhookClient'], settings: () => Partial<Settings>) =>
  (runtime: Runtime): Runtime =>
    lives.wrap({
      ...runtime,
      webhookClient,
      settings: new Proxy(runtime.settings, {
        get: (defaults, name) => ({ ...defaults, ...settings() })[name as keyof Settings],
      }),
      table: flaky(chaos, ofVersions(chaos, runtime.table)),
      queues: { ...runtime.queues, send: unreliable(chaos, runtime.queues.send) },
      vault: async () => keyless(chaos, await runtime.vault()),
      now: () => runtime.now() + chaos.skew(),
      failpoint: (name) => {
        const { crashes, crash } = chaos.rates();
        if (crashes?.includes(name) && chaos.strikes(crash)) lives.die(name);
      },
    });
