import type { Queue } from '#lib/local/queue/queue.ts';
import type { Vault } from '#shared/auth/vault.ts';
import type { Outgoing } from '#shared/queue/encode.ts';
import { isFifo } from '#shared/queue/names.ts';
import type { Queues } from '#shared/queue/send.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Settings } from '#shared/runtime/env.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import type { Chaos } from './chaos.ts';
import type { Lives } from './lives.ts';
import { ofOtherVersion, otherItem, poisons } from './versions.ts';

type Table = Runtime['table'];

/** Does a call write a delivery of the event that this message made? */
const isDelivery = (given: unknown[], uuid: string): boolean => {
  const text = JSON.stringify(given);
  return text.includes(uuid) && text.includes('"sk":"DELIVERY#');
};

const flaky = ({ rates, strikes }: Chaos, table: Table): Table => {
  const wrapped =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      const { failing, poisoned, undeliverable } = rates();
      if (failing && JSON.stringify(given).includes(failing)) throw new TableUnavailable('of that sensor');
      if (poisoned && JSON.stringify(given).includes(poisoned)) throw new Error('a message that always fails');
      if (undeliverable && isDelivery(given, undeliverable)) throw new Error('a decision that always fails');
      if (strikes(rates().refusal)) throw new TableUnavailable('throttled');
      const answer = await call(...given);
      if (strikes(rates().lostAnswer)) throw new TableUnavailable('the answer was lost');
      return answer;
    };
  const all = Object.entries(table).map(([name, call]) => [name, wrapped(call as never)]);
  return Object.fromEntries(all) as Table;
};

/** A table that writes some items in the form of another version. */
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
    /** A FIFO queue drops a message with a known deduplication id, so the copy needs another id. */
    const another = (message: Outgoing): Outgoing =>
      isFifo(queue) ? { ...message, deduplicationId: `${message.deduplicationId} ${++copies} ${chance()}` } : message;
    for (const message of messages) {
      if (strikes(unsent)) throw new Error('the queue took nothing');
      if (strikes(poison))
        await send(queue, [another({ ...message, body: poisons[Math.floor(chance() * poisons.length)] ?? '' })]);
      const late = !isFifo(queue) && strikes(lateMessage) ? Math.ceil(chance() * 60) : 0;
      const body = strikes(otherVersion) ? ofOtherVersion(message.body, chance()) : message.body;
      await send(queue, [{ ...message, body, delaySeconds: Math.min(900, message.delaySeconds + late) }]);
      if (strikes(doubleMessage))
        await send(queue, [
          another({ ...message, body, delaySeconds: Math.min(900, message.delaySeconds + 2 * late) }),
        ]);
      if (strikes(lostSend)) throw new Error('the answer of the queue was lost');
    }
  };

const keyless = ({ rates, strikes }: Chaos, vault: Vault): Vault => ({
  ...vault,
  open: async (...given) => {
    if (strikes(rates().keys)) throw new Error('the key service is away');
    return vault.open(...given);
  },
});

/** Loses some deletions of messages, without an error. */
export const forgetful = ({ rates, strikes }: Chaos, queues: readonly Queue[]): void => {
  for (const queue of queues) {
    const { remove } = queue;
    queue.remove = (handle) => (strikes(rates().lostDeletion) ? undefined : remove(handle));
  }
};

/** A host in which the faults of `chaos` happen; `settings` are read at each use. */
export const failingHost =
  (chaos: Chaos, lives: Lives, webhookClient: Runtime['webhookClient'], settings: () => Partial<Settings>) =>
  (runtime: Runtime): Runtime =>
    lives.wrap({
      ...runtime,
      webhookClient,
      settings: new Proxy(runtime.settings, {
        get: (all, name) => ({ ...all, ...settings() })[name as keyof Settings],
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
