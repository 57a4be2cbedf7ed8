import { randomBytes } from 'node:crypto';
import type { Client } from '../client.ts';
import type { Maker } from '../device-messages.ts';
import { FakeDevice } from '../fake-device.ts';
import { ok, statusOf } from '../problem.ts';
import { command, type Io, text, UsageError, type Values } from './command.ts';
import { customerOf, me } from './customer.ts';
import { connect, keepInProfile } from './profiles.ts';
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
type Given = Values<typeof options>;
type Connected = Awaited<ReturnType<typeof connect>>;

const makerOf = (given: string): Maker | undefined => makers.find((maker) => maker === given);

/** The key that registers a device: that of the environment, or one that a system admin makes for this device. */
const keyFor = async (client: Client, io: Io, manufacturer: Maker): Promise<string> => {
  const { SENSOR_CLOUD_PROVISIONING_KEY: key } = io.env;
  if (key) return key;
  const { isAdmin } = await me(client);
  if (!isAdmin) throw new Error('a new test sensor needs a provisioning key in SENSOR_CLOUD_PROVISIONING_KEY');
  const body = { name: 'test sensor', manufacturer, expires: io.now() + 600_000, maxDevices: 1 };
  return (await ok(client.POST('/provisioning-keys', { body }))).key;
};

/** Registers a sensor that is none, and links it to the customer. */
const register = async ({ client, url, reached }: Connected, io: Io, given: Given, baseUrl: string) => {
  const manufacturer = makerOf(given.maker) ?? 'maker_a';
  const { isAdmin } = await me(client);
  const customerId = await customerOf(client, given.customer);
  const provisioningKey = await keyFor(client, io, manufacturer);
  // A locally administered address, which no real device has.
  const hardwareId = `02${randomBytes(5).toString('hex').toUpperCase()}`;
  const device = await FakeDevice.register({
    ...reached,
    baseUrl,
    now: io.now,
    provisioningKey,
    manufacturer,
    hardwareId,
  });
  const code = device.pairingCode;
  await ok(client.POST('/sensors/link', { body: { manufacturer, code, ...(isAdmin && { customerId }) } }));
  const { sensorId, deviceToken } = device;
  const { devices } = (await connect(given, io)).profile;
  await keepInProfile(io, given.profile, { devices: { ...devices, [manufacturer]: { url, sensorId, deviceToken } } });
  return device;
};

type Say = (device: FakeDevice) => Promise<unknown>;
const saying = (word: string, given: Given): Say => {
  if (word === 'presence') return (device) => device.presence(readNumber('people', given.people, [0, 20], 1));
  return word === 'bed-exit' ? (device) => device.bedExit() : (device) => device.fall();
};

/** Says something with the sensor of the options, with the one that was registered before, or with a new one. */
const speak = async (given: Given, io: Io, say: Say): Promise<FakeDevice> => {
  const connected = await connect(given, io);
  const { url, profile, reached } = connected;
  const manufacturer = makerOf(given.maker) ?? 'maker_a';
  const baseUrl = given['device-url'] ?? url;
  const existing = (sensorId: string, deviceToken: string) =>
    new FakeDevice({ ...reached, baseUrl, now: io.now, manufacturer, sensorId, deviceToken });
  if (given.sensor !== undefined) {
    const { SENSOR_CLOUD_DEVICE_TOKEN: token } = io.env;
    if (!token) throw new UsageError('--sensor needs the token of the sensor in SENSOR_CLOUD_DEVICE_TOKEN');
    const device = existing(given.sensor, token);
    await say(device);
    return device;
  }
  const known = profile.devices?.[manufacturer];
  if (known?.url === url) {
    const device = existing(known.sensorId, known.deviceToken);
    const isKnown = await say(device).then(
      () => true,
      (error: unknown) => {
        if (![401, 404].includes(statusOf(error))) throw error;
        return false;
      },
    );
    if (isKnown) return device;
  }
  const device = await register(connected, io, given, baseUrl);
  await say(device);
  return device;
};

export const send = command({
  about: 'lets a test sensor say something: a fall, presence, that somebody left the bed',
  help: `sensor-cloud send [fall | presence | bed-exit]
Registers a test sensor of the customer for it, and takes the same one the next time. That needs a provisioning key in
SENSOR_CLOUD_PROVISIONING_KEY; system admins need none.
  --maker maker_a              or maker_b
  --customer ID                of this customer; system admins have to say it the first time
  --people 1                   how many people are present
  --over-after SECONDS         the person gets up after so long
  --sensor ID                  a sensor of yours instead, by its token in SENSOR_CLOUD_DEVICE_TOKEN
  --device-url URL             where devices call, if it is not where users do`,
  options,
  words,
  check: ({ maker }) => (makerOf(maker) ? null : `--maker is one of ${makers.join(', ')}`),
  run: async (given, io, word) => {
    const over = readNumber('over-after', given['over-after'], [1, 86_400], 0);
    if (over > 0 && word !== 'fall') throw new UsageError('--over-after is for a fall');
    const device = await speak(given, io, saying(word, given));
    const tell = (said: string): void =>
      io.out(given.json ? JSON.stringify({ sensorId: device.sensorId, said }) : `${device.sensorId} said: ${said}`);
    tell(word);
    if (over === 0) return;
    await io.pause(over, io.signal);
    await device.fall('over');
    tell('over');
  },
});
