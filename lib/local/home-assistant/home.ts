import { currentWatch } from '#shared/api/current-watch.ts';
import { watchUses } from '#shared/api/operation.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import { type Language, languageOf, languages } from '#shared/domain/identity/language.ts';
import type { Room } from '#shared/domain/sensor/room.ts';
import type { ListedSensor } from '#shared/domain/sensor/sensor-row.ts';
import type { SensorState } from '#shared/domain/sensor/sensor-state.ts';
import type { Gap } from '#shared/domain/watch/gap.ts';
import type { Deps } from '#shared/runtime/deps.ts';

export const homeUses = [
  ...watchUses,
  'users.list',
  'sensors.list',
  'sensorGroups.list',
  'states.glance',
  'rooms.get',
] as const;
export type HomeDeps = Deps<(typeof homeUses)[number]>;

/** What is known about a sensor. `room` is null until it is set, and `state` is null until the first message. */
export type KnownSensor = {
  sensor: ListedSensor;
  area: string | null;
  room: Room | null;
  state: SensorState | null;
};
/** A customer's home. `gaps` is null while the watch is unknown. */
export type KnownHome = { language: Language; sensors: Map<string, KnownSensor>; gaps: readonly Gap[] | null };

/** Returns the most common language among a customer's users, because a customer has no language. English on a tie. */
const commonLanguage = (locales: readonly string[]): Language => {
  const counts = languages.map((language) => locales.filter((locale) => languageOf(locale) === language).length);
  return languages[counts.indexOf(Math.max(...counts))] ?? languages[0];
};

/**
 * Returns the customer with this id or, without an id, the only customer. Null if there is none, or if there are
 * several.
 */
export const customerToShow = async ({ store }: Deps<'customers.list'>, customerId: number | null) => {
  const customers = await store.customers.list();
  const found = customerId === null ? customers : customers.filter(({ id }) => id === customerId);
  const [only, ...others] = found;
  return { customer: others.length === 0 ? (only ?? null) : null, total: customers.length };
};

/** Returns the newest sensor states. */
export const readStates = async (
  { store }: Pick<HomeDeps, 'store'>,
  customerId: number,
  sensorIds: readonly string[],
): Promise<[string, SensorState | null][]> => {
  const states = await store.states.glance(sensorIds.map((sensorId) => ({ customerId, sensorId })));
  return sensorIds.map((sensorId, at) => [sensorId, states[at] ?? null]);
};

/**
 * Reads a customer's home. Rooms are read once, and again if they are in `changedRooms`. The watch stays unchanged if
 * it cannot be computed.
 */
export const readHome = async (
  deps: HomeDeps,
  customerId: number,
  { before, changedRooms }: { before: KnownHome | null; changedRooms: ReadonlySet<string> },
): Promise<KnownHome> => {
  const { store, log } = deps;
  const [listed, groups, users, watch] = await Promise.all([
    store.sensors.list(customerId),
    store.sensorGroups.list(customerId),
    store.users.list(customerId),
    currentWatch(deps, customerId, { waits: false }).catch((error: unknown) => {
      log('warn', 'the watch could not be computed for Home Assistant', { customerId }, error);
      return null;
    }),
  ]);
  const areas = new Map(
    groups.flatMap(({ name, sensorIds }) => sensorIds.map((sensorId) => [sensorId, name] as const)),
  );
  const sensorIds = listed.map(({ id }) => id);
  const states = new Map(await readStates(deps, customerId, sensorIds));
  const rooms = new Map(sensorIds.map((sensorId) => [sensorId, before?.sensors.get(sensorId)?.room ?? null]));
  const unread = sensorIds.filter((sensorId) => !before?.sensors.has(sensorId) || changedRooms.has(sensorId));
  await inBatches(unread, async (sensorId) => {
    rooms.set(sensorId, await store.rooms.get(customerId, sensorId));
  });
  const sensors = listed.map((sensor): [string, KnownSensor] => [
    sensor.id,
    {
      sensor,
      area: areas.get(sensor.id) ?? null,
      room: rooms.get(sensor.id) ?? null,
      state: states.get(sensor.id) ?? null,
    },
  ]);
  return {
    language: commonLanguage(users.map(({ locale }) => locale)),
    sensors: new Map(sensors),
    gaps: watch?.watch.gaps ?? before?.gaps ?? null,
  };
};
