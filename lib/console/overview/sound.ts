import { useEffect, useRef, useState } from 'react';

/** So many tones at most say how many alarms are open, so long (s) after each other. */
const MOST = 5;
const APART = 0.5;

const play = (audio: AudioContext, count: number): void => {
  for (let at = 0; at < Math.min(count, MOST); at++) {
    const start = audio.currentTime + at * APART;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = 880;
    volume.gain.setValueAtTime(0.3, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + APART);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + APART);
  }
};

/**
 * Gives the audio output while sound is switched on, and whether the browser blocks it until the user has used the
 * page.
 */
const useAudio = (isOn: boolean) => {
  const audio = useRef<AudioContext>(null);
  const [isBlocked, setBlocked] = useState(false);
  useEffect(() => {
    if (!isOn) return;
    const made = new AudioContext();
    audio.current = made;
    const look = () => setBlocked(made.state === 'suspended');
    const resume = () => void made.resume();
    made.addEventListener('statechange', look);
    document.addEventListener('pointerdown', resume);
    document.addEventListener('keydown', resume);
    look();
    return () => {
      document.removeEventListener('pointerdown', resume);
      document.removeEventListener('keydown', resume);
      made.removeEventListener('statechange', look);
      audio.current = null;
      setBlocked(false);
      void made.close();
    };
  }, [isOn]);
  return { audio, isBlocked };
};

/**
 * Beeps once for each open alarm when one is new; those that the page opens with do not beep. Each alarm has some keys: it
 * is new when none of them was there before. `isBlocked` says that the browser plays no sound until the user has used
 * the page.
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
