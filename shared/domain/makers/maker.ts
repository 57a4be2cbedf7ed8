import type { ConfigName } from '../config/names.ts';
import type { RegionKind } from '../sensor/region.ts';
import type { Mounting, Room } from '../sensor/room.ts';
import type { Limits } from '../sensor/room-limits.ts';
import type { SensorRecord } from '../sensor/sensor.ts';

/** The stored sensor configurations by name. A configuration is missing before its first PUT. */
export type StoredConfigs = Partial<Record<ConfigName, object>>;

/**
 * The differences between makers, except for messages (decoders.ts) and device configurations. Rules and events do not
 * depend on the maker, because they use decoded messages.
 */
export type Maker = {
  /** Matches hardware ids as people write them: 12 hex digits, possibly with colons. */
  hardwareId: RegExp;
  /** Returns an id for a new sensor. `random` has 9 random bytes. */
  sensorIdOf: (hardwareId: string, random: Uint8Array) => string;
  /** The hardware id can be derived from the sensor id, so sensor lists need not store it. */
  isIdOfHardware: boolean;
  /** The sensor range by mounting. Mountings not listed are unsupported. */
  mountings: Partial<Record<Mounting, Limits>>;
  /** The number of supported regions, in total and by kind. Kinds not listed are unsupported. */
  regions: { all: number; kinds: Partial<Record<RegionKind, number>> };
  /** The sensors have a learning phase; the `basic` configuration stores when it ends. */
  hasLearningMode: boolean;
  /** Feedback about sensors that may be optimized is forwarded to the maker. */
  acceptsFeedback: boolean;
};

/**
 * Builds the configuration for a maker's devices. Separate from `Maker`, because only functions that respond to devices
 * load it.
 */
export type DeviceConfigParts = {
  /** Returns the room fields that only this maker's devices get. */
  roomOf: (room: Room) => object;
  /** Returns the configurations at `now` (ms), excluding fields the device firmware does not support. */
  configsOf: (sensor: SensorRecord, stored: StoredConfigs, now: number) => object;
};
