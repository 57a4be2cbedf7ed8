import type { ConfigName } from '../config/names.ts';
import type { Decoded } from '../message.ts';
import type { RegionKind } from '../region.ts';
import type { Mounting, Room } from '../room.ts';
import type { Limits } from '../room-limits.ts';
import type { SensorRecord } from '../sensor.ts';

/** Configurations as they are stored, by name; what was never put is missing. */
export type StoredConfigs = Partial<Record<ConfigName, object>>;

/** All that differs from maker to maker. Rules and events know nothing of it: they see what was decoded. */
export type Maker = {
  /** Hardware ids as people write them: 12 hex digits, once colons are left out. */
  hardwareId: RegExp;
  /** The id of a new sensor; `random` are 9 random bytes. */
  sensorIdOf: (hardwareId: string, random: Uint8Array) => string;
  /** The sensor id tells the hardware id: lists of sensors need not keep it. */
  isIdOfHardware: boolean;
  /** Decodes a message. Never fails: what nobody understands is `unknown`. */
  decode: (message: unknown) => Decoded;
  /** How far its sensors see, by how they are mounted. A mounting that is missing is not supported. */
  mountings: Partial<Record<Mounting, Limits>>;
  /** How many regions its sensors know, in all and of a kind; of a kind that is missing, none. */
  regions: { all: number; kinds: Partial<Record<RegionKind, number>> };
  /** What of a room its devices are told besides what all are. */
  roomOf: (room: Room) => object;
  /** The configurations that its devices are told at `now` (ms), less what their firmware does not understand. */
  configsOf: (sensor: SensorRecord, stored: StoredConfigs, now: number) => object;
  /** Its sensors learn their room for a while; the configuration `basic` tells until when. */
  hasLearningMode: boolean;
  /** Gets the feedback of its customers where a sensor is to be optimized. */
  getsFeedback: boolean;
};
