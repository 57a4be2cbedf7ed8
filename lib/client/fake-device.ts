import type { Messages, MessagesAccepted, Registration } from '#openapi';
import { type ClientOptions, createClient } from './client.ts';
import { type DeviceMessages, deviceMessagesOf, type FallState, type Maker } from './device-messages.ts';
import { ok } from './problem.ts';

type Connection = Pick<ClientOptions, 'baseUrl' | 'fetch' | 'longestWait' | 'pause'> & {
  /** The device clock (ms since the Unix epoch); the system clock by default. */
  now?: () => number;
};
export type KnownDevice = Connection & { manufacturer: Maker; sensorId: string; deviceToken: string };
/** A device to register. `hardwareId` is the MAC address, 12 hexadecimal digits; for maker A, colons are allowed. */
export type NewFakeDevice = Connection & {
  provisioningKey: string;
  manufacturer: Maker;
  hardwareId: string;
  firmwareVersion?: number;
};

/** A simulated sensor for integration tests. It sends the same messages as real sensors from that maker. */
export class FakeDevice {
  readonly sensorId: string;
  /** The device token. Store it to use the device again later. */
  readonly deviceToken: string;
  readonly #messages: DeviceMessages;
  readonly #now: () => number;
  readonly #client: ReturnType<typeof createClient>;
  #fallSince: number | null = null;

  constructor({ manufacturer, sensorId, deviceToken, now = Date.now, ...connection }: KnownDevice) {
    this.sensorId = sensorId;
    this.deviceToken = deviceToken;
    this.#messages = deviceMessagesOf[manufacturer];
    this.#now = now;
    this.#client = createClient({ ...connection, token: deviceToken });
  }

  /**
   * Registers a device with a provisioning key. To link the sensor to a customer, pass the `pairingCode` to POST
   * `/sensors/link` as `code`. Throws a Problem if the key is wrong or the sensor is already linked.
   */
  static async register(options: NewFakeDevice): Promise<FakeDevice & { pairingCode: string }> {
    const { provisioningKey, hardwareId, firmwareVersion = 42, now, ...device } = options;
    const { manufacturer, ...connection } = device;
    const client = createClient({ ...connection, token: provisioningKey });
    const body = { manufacturer, hardwareId, firmwareVersion };
    const { sensorId, deviceToken, pairingCode }: Registration = await ok(client.POST('/devices/register', { body }));
    return Object.assign(new FakeDevice({ ...device, sensorId, deviceToken, ...(now && { now }) }), { pairingCode });
  }

  /** Sends one raw message, or a batch of up to 100. Throws a Problem if they are rejected. */
  send(body: Messages): Promise<MessagesAccepted> {
    return ok(
      this.#client.POST('/devices/{sensorId}/messages', { params: { path: { sensorId: this.sensorId } }, body }),
    );
  }

  /** Reports the fall state. After `over`, the next report starts a new fall. */
  fall(state: FallState = 'alarm'): Promise<MessagesAccepted> {
    const now = this.#now();
    const since = this.#fallSince ?? now;
    this.#fallSince = state === 'over' ? null : since;
    return this.send(this.#messages.fall(state, since, now));
  }

  /** Reports the number of people in the room. Maker A only reports whether anyone is there. */
  presence(people: number): Promise<MessagesAccepted> {
    return this.send(this.#messages.presence(people, this.#now()));
  }

  /** Reports that someone left the bed. */
  bedExit(): Promise<MessagesAccepted> {
    return this.send(this.#messages.bedExit(this.#now()));
  }
}
