import { useEffect, useRef } from 'react';

const beep = (): void => {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = 880;
  volume.gain.setValueAtTime(0.3, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.8);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.8);
  tone.onended = () => void audio.close();
};

/** Beeps when there is one among these that was not there before; not for those that are there at first. */
export const useSoundFor = (ids: readonly string[] | undefined, isOn: boolean): void => {
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (!ids) return;
    if (isOn && known.current && ids.some((id) => !known.current?.has(id))) beep();
    known.current = new Set(ids);
  }, [ids, isOn]);
};
