import type { Sound } from './schedule.ts';

/** A tone: the start and the duration (s), the frequency (Hz), and the frequency it falls to. */
type Tone = { at: number; seconds: number; hertz: number; to?: number };
type Pattern = { tones: readonly Tone[]; gain: number };

const pair = (at: number): Tone[] => [
  { at, seconds: 0.18, hertz: 880 },
  { at: at + 0.18, seconds: 0.18, hertz: 1_175 },
];
const alarm = [...pair(0), ...pair(0.5)];

/** The sound patterns, which can be heard two meters away. */
const patterns: Readonly<Record<Sound, Pattern>> = {
  alarm: { tones: alarm, gain: 0.4 },
  'loud alarm': { tones: alarm, gain: 0.8 },
  suspicion: { tones: [{ at: 0, seconds: 0.2, hertz: 660 }], gain: 0.2 },
  'not watched': { tones: [{ at: 0, seconds: 1, hertz: 330, to: 247 }], gain: 0.5 },
};

/** How long (s) a tone fades in and out, to avoid clicks. */
const FADE = 0.01;

const playTone = (audio: AudioContext, { at, seconds, hertz, to }: Tone, gain: number): void => {
  const start = audio.currentTime + at;
  const end = start + seconds;
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.setValueAtTime(hertz, start);
  if (to !== undefined) tone.frequency.linearRampToValueAtTime(to, end);
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(gain, start + FADE);
  volume.gain.setValueAtTime(gain, end - FADE);
  volume.gain.linearRampToValueAtTime(0, end);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(end);
};

/** Plays a sound at a volume between 0 and 1. */
export const play = (audio: AudioContext, sound: Sound, volume: number): void => {
  const { tones, gain } = patterns[sound];
  for (const tone of tones) playTone(audio, tone, gain * volume);
};

/** The alarm vibration: how long (ms) to vibrate and to pause. */
const VIBRATION = [400, 200, 400];

/** Vibrates, if the device can. Browsers refuse this until the user has touched the page. */
export const vibrate = (): void => {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(VIBRATION);
};
