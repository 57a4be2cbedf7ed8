import { useEffect, useRef, useState } from 'react';

/** The maximum number of tones, and the time (s) between two of them. There is one tone per open alarm. */
const MAX_TONES = 5;
const INTERVAL = 0.5;

const play = (audio: AudioContext, count: number): void => {
  for (let at = 0; at < Math.min(count, MAX_TONES); at++) {
    const start = audio.currentTime + at * INTERVAL;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = 880;
    volume.gain.setValueAtTime(0.3, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + INTERVAL);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + INTERVAL);
  }
};

/** Returns the audio output while sound is on, and whether the browser blocks it until the user interacts with the page. */
const useAudio = (isOn: boolean) => {
  const audio = useRef<AudioContext>(null);
  const [isBlocked, setBlocked] = useState(false);
  useEffect(() => {
    if (!isOn) return;
    const context = new AudioContext();
    audio.current = context;
    const update = () => setBlocked(context.state === 'suspended');
    const resume = () => void context.resume();
    context.addEventListener('statechange', update);
    document.addEventListener('pointerdown', resume);
    document.addEventListener('keydown', resume);
    update();
    return () => {
      document.removeEventListener('pointerdown', resume);
      document.removeEventListener('keydown', resume);
      context.removeEventListener('statechange', update);
      audio.current = null;
      setBlocked(false);
      void context.close();
    };
  }, [isOn]);
  return { audio, isBlocked };
};

/**
 * Beeps once for each open alarm when there is a new one, except when the page opens. An alarm is new if none of its keys
 * was there before. `isBlocked` means that the browser plays no sound until the user interacts with the page.
 */
export const useSoundFor = (alarms: readonly string[][] | undefined, isOn: boolean): { isBlocked: boolean } => {
  const known = useRef<ReadonlySet<string> | null>(null);
  const { audio, isBlocked } = useAudio(isOn);
  useEffect(() => {
    if (!alarms) return;
    const isNew = alarms.some((keys) => !keys.some((key) => known.current?.has(key)));
    if (audio.current && known.current && isNew) play(audio.current, alarms.length);
    known.current = new Set(alarms.flat());
  }, [alarms, audio]);
  return { isBlocked };
};
