import type { DeviceMessage, MakerAMessage, MakerBMessage } from '#openapi';

export type Maker = 'maker_a' | 'maker_b';
/** The state of a fall: `suspected`, `alarm` (the person does not get up) or `over`. */
export type FallState = 'suspected' | 'alarm' | 'over';

/** Creates messages in the form that one maker's devices send. Times are ms since the Unix epoch. */
export type DeviceMessages = {
  fall: (state: FallState, start: number, now: number) => DeviceMessage;
  presence: (people: number, now: number) => DeviceMessage;
  bedExit: (now: number) => DeviceMessage;
};

const statuses = { suspected: 'fall_detected', alarm: 'calling', over: 'finished' } as const;
/** Maker B poses for a suspected fall, a fall, and standing. */
const poses = { suspected: 2, alarm: 5, over: 3 } as const;

const makerA: DeviceMessages = {
  fall: (state, timestamp, statusUpdateTimestamp): MakerAMessage => ({
    type: 5,
    payload: {
      status: statuses[state],
      timestamp,
      statusUpdateTimestamp,
      fallLocX_cm: 60,
      fallLocY_cm: 180,
      fallLocZ_cm: 15,
    },
  }),
  presence: (people, timestamp): MakerAMessage => ({ type: 4, payload: { presenceDetected: people > 0, timestamp } }),
  bedExit: (timestamp): MakerAMessage => ({ type: 10, payload: { timestamp } }),
};

const makerB: DeviceMessages = {
  fall: (state, _, timestamp): MakerBMessage => ({
    cmd: 'event',
    type: 2,
    timestamp,
    data: [{ 'track-id': 1, pose: poses[state] }],
  }),
  presence: (people, timestamp): MakerBMessage => ({
    cmd: 'event',
    type: 3,
    timestamp,
    data: { 'number-people': people },
  }),
  // Leaving area 0, which is the bed (area_type 2).
  bedExit: (timestamp): MakerBMessage => ({
    cmd: 'event',
    type: 1,
    timestamp,
    data: [{ 'track-id': 1, event: 4, area_type: 2, area_id: 0 }],
  }),
};

export const deviceMessagesOf: Readonly<Record<Maker, DeviceMessages>> = { maker_a: makerA, maker_b: makerB };
