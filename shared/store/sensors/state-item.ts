import type { Decision } from '#shared/domain/event/decision.ts';
import type { JudgedRun } from '#shared/domain/event/noted-call.ts';
import type { Fall, FallPhase, FallPosture, SensorState, Track } from '#shared/domain/sensor/sensor-state.ts';

/**
 * The position of the last judged message in the order of its sensor, when (ms) the newest one was received, and the last
 * calls of which all was judged.
 */
export type JudgedPosition = { position: string; receiveDate: number; run?: JudgedRun };

/**
 * The state of a sensor with its last decision, which is kept until the next one so that it can be applied again after a
 * crash. `judged`: how far its messages were judged, see functions/workers/process/inputs.ts. `ttl` (s): the sensor has
 * left, and its state expires then.
 */
export type StateItem = SensorState & {
  decision: Decision | null;
  judged?: JudgedPosition;
  duePk?: string;
  dueAt?: string;
  listPk?: string;
  listSk?: string;
  ttl?: number;
};

/** A codec of words that are stored as one letter each. Unknown letters are skipped. */
const letterCodec = <W extends string>(letters: Readonly<Record<W, string>>) => {
  const words = Object.keys(letters) as W[];
  return {
    encode: (list: readonly W[]): string => list.map((word) => letters[word]).join(''),
    decode: (stored: string): W[] => [...stored].flatMap((letter) => words.filter((word) => letters[word] === letter)),
  };
};

// Letters keep the state small: it is read and written with each message. Other versions read them, so they never change.
const phases = letterCodec<FallPhase>({ detected: 'd', confirmed: 'c', calling: 'a', finished: 'f', canceled: 'x' });
const postures = letterCodec<FallPosture>({ suspected: 'd', fallen: 'a', sitting_suspected: 'e', sitting: 'b' });

type PhaseDates = NonNullable<Fall['phaseDates']>;
const encodeDates = (dates: PhaseDates): Record<string, number> =>
  Object.fromEntries(Object.entries(dates).map(([phase, date]) => [phases.encode([phase as FallPhase]), date]));
const decodeDates = (stored: Record<string, number>): PhaseDates =>
  Object.fromEntries(
    Object.entries(stored).flatMap(([letter, date]) => phases.decode(letter).map((phase) => [phase, date])),
  );

/** A fall as it is stored: `seen` are its phases, `markedAt` their dates. */
type StoredFall = Omit<Fall, 'phases' | 'phaseDates'> & { seen: string; markedAt?: Record<string, number> };

const encodeFall = ({ phases: reached, phaseDates, ...fall }: Fall): StoredFall => ({
  ...fall,
  seen: phases.encode(reached),
  ...(phaseDates && { markedAt: encodeDates(phaseDates) }),
});
const decodeFall = ({ seen, markedAt, ...fall }: StoredFall): Fall => ({
  ...fall,
  phases: phases.decode(seen),
  ...(markedAt && { phaseDates: decodeDates(markedAt) }),
});

/** A track as it is stored: `seen` are the postures of its open fall, `told` is the time up to which its falls were alarmed. */
type StoredTrack = Omit<Track, 'fallPostures' | 'alarmedUpTo'> & { seen?: string; told?: number };

const encodeTrack = ({ fallPostures, alarmedUpTo, ...track }: Track): StoredTrack => ({
  ...track,
  ...(fallPostures && { seen: postures.encode(fallPostures) }),
  ...(alarmedUpTo !== undefined && { told: alarmedUpTo }),
});
const decodeTrack = ({ seen, told, ...track }: StoredTrack): Track => ({
  ...track,
  ...(seen && { fallPostures: postures.decode(seen) }),
  ...(told !== undefined && { alarmedUpTo: told }),
});

/** A state as it is stored. All versions that work on one table have this form in common. */
export type StoredState = Omit<StateItem, 'falls' | 'tracks'> & { falls: StoredFall[]; tracks?: StoredTrack[] };

export const encodeState = ({ falls, tracks, ...state }: StateItem): StoredState => ({
  ...state,
  falls: falls.map(encodeFall),
  ...(tracks && { tracks: tracks.map(encodeTrack) }),
});
export const decodeState = ({ falls, tracks, ...state }: StoredState): StateItem => ({
  ...state,
  falls: falls.map(decodeFall),
  ...(tracks && { tracks: tracks.map(decodeTrack) }),
});
