import type { DeviceMessage, MakerAFallMessage, MakerBMessage } from '#openapi';
import type { Moment, Occurrence } from './day.ts';

export type Maker = 'maker_a' | 'maker_b';
/** Returns the maker for a sensor number: A for even numbers, B for odd ones. */
export const makerOf = (sensor: number): Maker => (sensor % 2 === 0 ? 'maker_a' : 'maker_b');

/** Who is in the room, and where the resident is. */
export type RoomState = { isPresent: boolean; isInBed: boolean; hasVisitor: boolean };
/** A message sent `after` ms after a moment. `stamp` converts ms after that moment to device time. */
type SentMessage = { after: number; message: (stamp: (after: number) => number) => DeviceMessage };

const SECOND = 1_000;
/** How long (ms) a visitor takes to walk through the door. */
export const AT_DOOR = 5 * SECOND;

export const asleep: RoomState = { isPresent: true, isInBed: true, hasVisitor: false };
const moved: Partial<Record<Occurrence, Partial<RoomState>>> = {
  leave_room: { isPresent: false, isInBed: false },
  enter_room: { isPresent: true },
  leave_bed: { isInBed: false },
  enter_bed: { isInBed: true },
  visitor_enters: { hasVisitor: true },
  visitor_leaves: { hasVisitor: false },
};
export const roomStateAfter = (where: RoomState, { what }: Pick<Moment, 'what'>): RoomState => ({
  ...where,
  ...moved[what],
});

const target = (xPosCm: number, zPosCm: number) => ({ xPosCm, yPosCm: 150, zPosCm });

const targetsOf = ({ isPresent, isInBed, hasVisitor }: RoomState, isAtDoor: boolean) => {
  const resident = isInBed ? target(-75, 50) : target(40, 120);
  const visitor = target(isAtDoor ? 25 : 90, 130);
  return [...(isPresent ? [resident] : []), ...(hasVisitor || isAtDoor ? [visitor] : [])];
};

/** A maker A presence message. Region 0 in the room is the bed, region 1 the door. */
const presence = (where: RoomState, isAtDoor = false, after = 0): SentMessage => ({
  after,
  message: (stamp) => ({
    type: 4,
    payload: {
      presenceDetected: where.isPresent || where.hasVisitor,
      presenceRegionMap: { 0: where.isInBed ? 1 : 0, 1: isAtDoor ? 1 : 0 },
      trackerTargets: targetsOf(where, isAtDoor),
      timestamp: stamp(after),
    },
  }),
});

type FallStatus = MakerAFallMessage['payload']['status'];
const fallOfA = (status: FallStatus, seconds: number): SentMessage => ({
  after: seconds * SECOND,
  message: (stamp) => ({
    type: 5,
    payload: {
      status,
      timestamp: stamp(0),
      statusUpdateTimestamp: stamp(seconds * SECOND),
      fallLocX_cm: 60,
      fallLocY_cm: 180,
      fallLocZ_cm: 15,
      isSimulated: false,
      isLearning: false,
      isSilent: false,
    },
  }),
});

const ofMakerA = (what: Occurrence, where: RoomState): SentMessage[] => {
  switch (what) {
    case 'fall':
      return [
        fallOfA('fall_detected', 0),
        fallOfA('fall_confirmed', 52),
        fallOfA('calling', 92),
        fallOfA('finished', 122),
      ];
    case 'cut_fall':
      return [fallOfA('fall_detected', 0)];
    case 'near_fall':
      return [fallOfA('fall_detected', 0), fallOfA('fall_exit', 20)];
    case 'visitor_enters':
    case 'visitor_leaves':
      return [presence(where, true), presence(where, false, AT_DOOR)];
    case 'silent':
    case 'bad_night':
      return [];
    default:
      return [presence(where)];
  }
};

const sent = (message: MakerBMessage, after = 0): SentMessage => ({
  after,
  message: (stamp) => ({ ...message, timestamp: stamp(after) }),
});
const pose = (value: number, seconds: number) =>
  sent({ cmd: 'event', type: 2, data: [{ 'track-id': 1, pose: value }] }, seconds * SECOND);
const BED = { area_type: 2, area_id: 0 };
const DOOR = { area_type: 4, area_id: 1 };
const move = (track: number, event: 1 | 2 | 3 | 4, area = { area_type: 0, area_id: 0 }, after = 0) =>
  sent({ cmd: 'event', type: 1, data: [{ 'track-id': track, event, ...area }] }, after);
const vital = (alarmType: number, respirationRate: number, heartRate: number) =>
  sent({ cmd: 'stat', data: { respirationRate, heartRate, alarmType } });
const online = sent({ cmd: 'event', type: 5, data: { status: 0 } });

const ofMakerB = (what: Occurrence, { isPresent, isInBed, hasVisitor }: RoomState): SentMessage[] => {
  const count = Number(isPresent) + Number(hasVisitor);
  const people = (after = 0) => sent({ cmd: 'event', type: 3, data: { 'number-people': count } }, after);
  const messages: Record<Occurrence, SentMessage[]> = {
    begin: [people(), ...(isInBed ? [move(1, 3, BED, SECOND)] : [])],
    leave_room: [move(1, 2)],
    enter_room: [move(1, 1)],
    leave_bed: [move(1, 4, BED)],
    enter_bed: [move(1, 3, BED)],
    visitor_enters: [move(2, 1), move(2, 3, DOOR, SECOND), move(2, 4, DOOR, SECOND + AT_DOOR)],
    visitor_leaves: [move(2, 3, DOOR), move(2, 4, DOOR, AT_DOOR), move(2, 2, undefined, SECOND + AT_DOOR)],
    report: [isInBed ? vital(0, 14, 62) : people()],
    fall: [pose(2, 0), pose(5, 60), pose(3, 180)],
    cut_fall: [pose(2, 0), pose(5, 60)],
    near_fall: [pose(2, 0), pose(3, 20)],
    bad_night: [vital(14, 22, 118)],
    silent: [],
    back: [online, people(SECOND)],
  };
  return messages[what];
};

/** Returns the messages a sensor sends for an occurrence. `where` is the room state after it. */
export const messagesAbout = (maker: Maker, what: Occurrence, where: RoomState): SentMessage[] =>
  maker === 'maker_a' ? ofMakerA(what, where) : ofMakerB(what, where);
