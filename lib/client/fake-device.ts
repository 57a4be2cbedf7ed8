import type { Messages, MessagesAccepted, Registration } from '#openapi';
import { type ClientOptions, createClient } from './client.ts';
import { type FallState, type Maker, type Words, wordsOf } from './device-messages.ts';
import { ok } from './problem.ts';

type Reached = Pick<ClientOptions, 'baseUrl' | 'fetch' | 'longestWait' | 'pause'> & {
  /** The clock of the device (ms since the Unix epoch); that of this machine without it. */
  now?: () => number;
};
/** A device that is registered. */
export type KnownDevice = Reached & { manufacturer: Maker; sensorId: string; deviceToken: string };
/** A device that is not. `hardwareId` is its MAC address of 12 hexadecimal digits; that of maker A may have colons. */
export type NewFakeDevice = Reached & {
  provisioningKey: string;
  manufacturer: Maker;
  hardwareId: string;
  firmwareVersion?: number;
};

/** A sensor that is none, for tests of integrations. Its messages are those that sensors of its maker send. */
export class FakeDevice {
  readonly sensorId: string;
  /** The token of the device, to be kept for the next time. */
  readonly deviceToken: string;
  readonly #words: Words;
  readonly #now: () => number;
  readonly #client: ReturnType<typeof createClient>;
  #fallSince: number | null = null;

  constructor({ manufacturer, sensorId, deviceToken, now = Date.now, ...reached }: KnownDevice) {
    this.sensorId = sensorId;
    this.deviceToken = deviceToken;
    this.#words = wordsOf[manufacturer];
    this.#now = now;
    this.#client = createClient({ ...reached, token: deviceToken });
  }

  /**
   * Registers a device with a provisioning key. Give the `pairingCode` to POST `/sensors/link` as its `code`, so that
   * the sensor belongs to a customer. Throws a Problem where the key is wrong, or the sensor is linked already.
   */
  static async register(given: NewFakeDevice): Promise<FakeDevice & { pairingCode: string }> {
    const { provisioningKey, hardwareId, firmwareVersion = 42, now, ...device } = given;
    const { manufacturer, ...reached } = device;
    const client = createClient({ ...reached, token: provisioningKey });
    const body = { manufacturer, hardwareId, firmwareVersion };
    const { sensorId, deviceToken, pairingCode }: Registration = await ok(client.POST('/devices/register', { body }));
    return Object.assign(new FakeDevice({ ...device, sensorId, deviceToken, ...(now && { now }) }), { pairingCode });
  }

  /** Sends messages as they are: one, or up to 100. Throws a Problem where they are refused. */
  send(body: Messages): Promise<MessagesAccepted> {
    return ok(
      this.#client.POST('/devices/{sensorId}/messages', { params: { path: { sensorId: this.sensorId } }, body }),
    );
  }

  /** Says how far a fall is. The states until `over` are those of one fall; after it, a new one begins. */
  fall(state: FallState = 'alarm'): Promise<MessagesAccepted> {
    const now = this.#now();
    const since = this.#fallSince ?? now;
    this.#fallSince = state === 'over' ? null : since;
    return this.send(this.#words.fall(state, since, now));
  }

  /** Says how many people are in the room. Maker A only tells whether there is anybody. */
  presence(people: number): Promise<MessagesAccepted> {
    return this.send(this.#words.presence(people, this.#now()));
  }

  /** Says that somebody left the bed. */
  bedExit(): Promise<MessagesAccepted> {
    return this.send(this.#words.bedExit(this.#now()));
  }
}
