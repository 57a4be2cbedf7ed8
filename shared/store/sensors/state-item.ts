import type { Decision } from '#shared/domain/event/decision.ts';
import type { ProcessedRun } from '#shared/domain/event/recorded-call.ts';
import type { Fall, FallPhase, FallPosture, SensorState, Track } from '#shared/domain/sensor/sensor-state.ts';

/**
 * The position of the last processed message in sensor order, when (ms) the newest one was received, and the last calls
 * that were processed completely.
 */
export type ProcessedPosition = { position: string; receiveDate: number; run?: ProcessedRun };

/**
 * A sensor state with the last decision, which is kept until the next one for applying it again after a crash.
 * `judged`: how far the sensor messages have been processed (functions/workers/process/inputs.ts). `ttl`: when (s) the
 * state of a former sensor expires.
 */
export type StateItem = SensorState & {
  decision: Decision | null;
  judged?: ProcessedPosition;
  duePk?: string;
  dueAt?: string;
  listPk?: string;
  listSk?: string;
  ttl?: number;
};

/** Creates a codec that stores each word as one character. Unknown characters are skipped. */
const wordCodec = <W extends string>(characters: Readonly<Record<W, string>>) => {
  const words = Object.keys(characters) as W[];
  return {
    encode: (list: readonly W[]): string => list.map((word) => characters[word]).join(''),
    decode: (stored: string): W[] =>
      [...stored].flatMap((character) => words.filter((word) => characters[word] === character)),
  };
};

// This keeps the state small, which matters because every message reads and writes it. The characters never change,
// because other code versions read them.
const phases = wordCodec<FallPhase>({ detected: 'd', confirmed: 'c', calling: 'a', finished: 'f', canceled: 'x' });
const postures = wordCodec<FallPosture>({ suspected: 'd', fallen: 'a', sitting_suspected: 'e', sitting: 'b' });

type PhaseDates = NonNullable<Fall['phaseDates']>;
const encodeDates = (dates: PhaseDates): Record<string, number> =>
  Object.fromEntries(Object.entries(dates).map(([phase, date]) => [phases.encode([phase as FallPhase]), date]));
const decodeDates = (stored: Record<string, number>): PhaseDates =>
  Object.fromEntries(
    Object.entries(stored).flatMap(([character, date]) => phases.decode(character).map((phase) => [phase, date])),
  );

/** A fall as stored. `seen`: the phases; `markedAt`: their dates. */
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

/**
 * A track as stored. `seen`: the postures in the open fall; `told`: the time up to which falls on the track raised
 * alarms.
 */
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

/** A state as stored. All code versions that share a table use this form. */
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
