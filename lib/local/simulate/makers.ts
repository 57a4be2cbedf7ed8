import type { Moment, What } from './day.ts';

/** Where the resident is, as far as the sensor knows. */
export type Where = { isPresent: boolean; isInBed: boolean };
/** A message, and how long after its moment the sensor says it, ms. `stamp` gives the device's clock after so long. */
export type Said = { after: number; message: (stamp: (after: number) => number) => object };

const SECOND = 1_000;

const moved: Partial<Record<What, Partial<Where>>> = {
  leave_room: { isPresent: false, isInBed: false },
  enter_room: { isPresent: true },
  leave_bed: { isInBed: false },
  enter_bed: { isInBed: true },
};
export const whereAfter = (where: Where, { what }: Moment): Where => ({ ...where, ...moved[what] });

/** The bed is the first region of the room, the door the second. */
const presence = ({ isPresent, isInBed }: Where): Said => ({
  after: 0,
  message: (stamp) => ({
    type: 4,
    payload: {
      presenceDetected: isPresent,
      presenceRegionMap: { 0: Number(isInBed), 1: 0 },
      trackerTargets: isPresent ? [{ xPosCm: isInBed ? -75 : 40, yPosCm: 150, zPosCm: isInBed ? 50 : 120 }] : [],
      timestamp: stamp(0),
    },
  }),
});

const fallOfA = (status: string, seconds: number): Said => ({
  after: seconds * SECOND,
  message: (stamp) => ({
    type: 5,
    payload: {
      ...{ status, timestamp: stamp(0), statusUpdateTimestamp: stamp(seconds * SECOND) },
      ...{ fallLocX_cm: 60, fallLocY_cm: 180, fallLocZ_cm: 15 },
      ...{ isSimulated: false, isLearning: false, isSilent: false },
    },
  }),
});

const ofMakerA = (what: What, where: Where): Said[] => {
  if (what === 'fall')
    return [
      fallOfA('fall_detected', 0),
      fallOfA('fall_confirmed', 52),
      fallOfA('calling', 92),
      fallOfA('finished', 122),
    ];
  if (what === 'near_fall') return [fallOfA('fall_detected', 0), fallOfA('fall_exit', 20)];
  return what === 'bad_night' ? [] : [presence(where)];
};

const event = (type: number, data: unknown, after = 0): Said => ({
  after,
  message: (stamp) => ({ cmd: 'event', type, data, timestamp: stamp(after) }),
});
const pose = (value: number, seconds: number) => event(2, [{ 'track-id': 1, pose: value }], seconds * SECOND);
const move = (what: number, area_type = 0) => event(1, [{ 'track-id': 1, event: what, area_type, area_id: 0 }]);
const vital = (alarmType: number, respirationRate: number, heartRate: number): Said => ({
  after: 0,
  message: (stamp) => ({ cmd: 'stat', data: { respirationRate, heartRate, alarmType }, timestamp: stamp(0) }),
});

const ofMakerB = (what: What, { isPresent, isInBed }: Where): Said[] => {
  const said: Record<What, Said[]> = {
    leave_room: [move(2)],
    enter_room: [move(1)],
    leave_bed: [move(4, 2)],
    enter_bed: [move(3, 2)],
    report: [isInBed ? vital(0, 14, 62) : event(3, { 'number-people': Number(isPresent) })],
    fall: [pose(2, 0), pose(5, 60), pose(3, 180)],
    near_fall: [pose(2, 0), pose(3, 20)],
    bad_night: [vital(14, 22, 118)],
  };
  return said[what];
};

/** What a sensor of that maker says of a moment, where the resident is after it. */
export const wordsOf = (maker: 'maker_a' | 'maker_b', { what }: Moment, where: Where): Said[] =>
  maker === 'maker_a' ? ofMakerA(what, where) : ofMakerB(what, where);
