import { useEffect, useRef, useState } from 'react';

const play = (audio: AudioContext): void => {
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = 880;
  volume.gain.setValueAtTime(0.3, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.8);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.8);
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
 * Beeps when a key appears that was not there before; the first keys do not beep. `isBlocked` says that the browser
 * plays no sound until the user has used the page.
 */
export const useSoundFor = (keys: readonly string[] | undefined, isOn: boolean): { isBlocked: boolean } => {
  const known = useRef<ReadonlySet<string> | null>(null);
  const { audio, isBlocked } = useAudio(isOn);
  useEffect(() => {
    if (!keys) return;
    if (audio.current && known.current && keys.some((key) => !known.current?.has(key))) play(audio.current);
    known.current = new Set(keys);
  }, [keys, audio]);
  return { isBlocked };
};
