import type { ConfigName } from '../config/names.ts';
import type { RegionKind } from '../sensor/region.ts';
import type { Mounting, Room } from '../sensor/room.ts';
import type { Limits } from '../sensor/room-limits.ts';
import type { SensorRecord } from '../sensor/sensor.ts';

/** The stored configurations of a sensor by name. A configuration without a PUT is missing. */
export type StoredConfigs = Partial<Record<ConfigName, object>>;

/**
 * The differences between makers, except for messages (decoders.ts) and device configurations. Rules and events do not
 * depend on the maker: they use decoded messages.
 */
export type Maker = {
  /** Matches hardware ids as people write them: 12 hex digits, possibly with colons. */
  hardwareId: RegExp;
  /** Returns the id of a new sensor. `random` has 9 random bytes. */
  sensorIdOf: (hardwareId: string, random: Uint8Array) => string;
  /** The hardware id can be derived from the sensor id, so lists of sensors need not store it. */
  isIdOfHardware: boolean;
  /** The range of its sensors by mounting. A missing mounting is not supported. */
  mountings: Partial<Record<Mounting, Limits>>;
  /** The number of regions that its sensors support, in total and by kind. A missing kind is not supported. */
  regions: { all: number; kinds: Partial<Record<RegionKind, number>> };
  /** Its sensors have a learning phase; the configuration `basic` contains its end. */
  hasLearningMode: boolean;
  /** Feedback about sensors that may be optimized is forwarded to the maker. */
  acceptsFeedback: boolean;
};

/**
 * Builds the configuration of a maker's devices. Separate from `Maker`, because only functions that answer devices load
 * it.
 */
export type DeviceConfigParts = {
  /** Returns the fields of a room that only the devices of this maker get. */
  roomOf: (room: Room) => object;
  /** Returns the configurations at `now` (ms), without fields that the device's firmware does not support. */
  configsOf: (sensor: SensorRecord, stored: StoredConfigs, now: number) => object;
};
