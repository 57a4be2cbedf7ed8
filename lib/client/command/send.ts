import { randomBytes } from 'node:crypto';
import type { Client } from '../client.ts';
import type { Maker } from '../device-messages.ts';
import { FakeDevice } from '../fake-device.ts';
import { ok, statusOf } from '../problem.ts';
import { type CommandIo, command, type OptionValues, text, UsageError } from './command.ts';
import { customerOf, me } from './customer.ts';
import { connect, updateProfile } from './profiles.ts';
import { readNumber } from './times.ts';

const words = ['fall', 'presence', 'bed-exit'] as const;
const makers = ['maker_a', 'maker_b'] as const;
const options = {
  maker: { ...text, default: 'maker_a' },
  sensor: text,
  customer: text,
  people: text,
  'over-after': text,
  'device-url': text,
} as const;
type SendOptions = OptionValues<typeof options>;
type Connected = Awaited<ReturnType<typeof connect>>;

const makerOf = (name: string): Maker | undefined => makers.find((maker) => maker === name);

/** Returns the provisioning key from the environment, or creates one for this device as a system admin. */
const keyFor = async (client: Client, io: CommandIo, manufacturer: Maker): Promise<string> => {
  const { SENSOR_CLOUD_PROVISIONING_KEY: key } = io.env;
  if (key) return key;
  const { isAdmin } = await me(client);
  if (!isAdmin)
    throw new Error('Registering a test sensor requires a provisioning key in SENSOR_CLOUD_PROVISIONING_KEY.');
  const body = { name: 'test sensor', manufacturer, expires: io.now() + 600_000, maxDevices: 1 };
  return (await ok(client.POST('/provisioning-keys', { body }))).key;
};

/** Registers a test sensor and links it to the customer. */
const register = async (
  { client, url, connection }: Connected,
  io: CommandIo,
  values: SendOptions,
  baseUrl: string,
) => {
  const manufacturer = makerOf(values.maker) ?? 'maker_a';
  const { isAdmin } = await me(client);
  const customerId = await customerOf(client, values.customer);
  const provisioningKey = await keyFor(client, io, manufacturer);
  // A locally administered address, which no real device has.
  const hardwareId = `02${randomBytes(5).toString('hex').toUpperCase()}`;
  const device = await FakeDevice.register({
    ...connection,
    baseUrl,
    now: io.now,
    provisioningKey,
    manufacturer,
    hardwareId,
  });
  const code = device.pairingCode;
  await ok(client.POST('/sensors/link', { body: { manufacturer, code, ...(isAdmin && { customerId }) } }));
  const { sensorId, deviceToken } = device;
  const { devices } = (await connect(values, io)).profile;
  await updateProfile(io, values.profile, { devices: { ...devices, [manufacturer]: { url, sensorId, deviceToken } } });
  return device;
};

type Report = (device: FakeDevice) => Promise<unknown>;
const reportOf = (word: string, values: SendOptions): Report => {
  if (word === 'presence') return (device) => device.presence(readNumber('people', values.people, [0, 20], 1));
  return word === 'bed-exit' ? (device) => device.bedExit() : (device) => device.fall();
};

/** Sends a report as the sensor given in the options, the test sensor from an earlier run, or a new one. */
const reportAs = async (values: SendOptions, io: CommandIo, report: Report): Promise<FakeDevice> => {
  const connected = await connect(values, io);
  const { url, profile, connection } = connected;
  const manufacturer = makerOf(values.maker) ?? 'maker_a';
  const baseUrl = values['device-url'] ?? url;
  const existing = (sensorId: string, deviceToken: string) =>
    new FakeDevice({ ...connection, baseUrl, now: io.now, manufacturer, sensorId, deviceToken });
  if (values.sensor !== undefined) {
    const { SENSOR_CLOUD_DEVICE_TOKEN: token } = io.env;
    if (!token) throw new UsageError('--sensor requires the token of the sensor in SENSOR_CLOUD_DEVICE_TOKEN');
    const device = existing(values.sensor, token);
    await report(device);
    return device;
  }
  const known = profile.devices?.[manufacturer];
  if (known?.url === url) {
    const device = existing(known.sensorId, known.deviceToken);
    const isKnown = await report(device).then(
      () => true,
      (error: unknown) => {
        if (![401, 404].includes(statusOf(error))) throw error;
        return false;
      },
    );
    if (isKnown) return device;
  }
  const device = await register(connected, io, values, baseUrl);
  await report(device);
  return device;
};

export const send = command({
  about: 'send a message from a test sensor: a fall, presence or a bed exit',
  help: `sensor-cloud send [fall | presence | bed-exit]
Registers a test sensor for the customer the first time, and reuses it later. To register one, you have to be a system
admin or set SENSOR_CLOUD_PROVISIONING_KEY.
  --maker maker_a              the test sensor's maker: maker_a or maker_b
  --customer ID                the test sensor's customer; required for system admins the first time
  --people 1                   number of people present
  --over-after SECONDS         end the fall after this time
  --sensor ID                  use this sensor, with its token in SENSOR_CLOUD_DEVICE_TOKEN
  --device-url URL             device API URL; default: the service URL`,
  options,
  words,
  check: ({ maker }) => (makerOf(maker) ? null : `--maker must be one of ${makers.join(', ')}`),
  run: async (values, io, word) => {
    const over = readNumber('over-after', values['over-after'], [1, 86_400], 0);
    if (over > 0 && word !== 'fall') throw new UsageError('--over-after can only be used with fall');
    const device = await reportAs(values, io, reportOf(word, values));
    const print = (said: string): void =>
      io.out(values.json ? JSON.stringify({ sensorId: device.sensorId, said }) : `${device.sensorId} sent: ${said}`);
    print(word);
    if (over === 0) return;
    await io.pause(over, io.signal);
    await device.fall('over');
    print('over');
  },
});
