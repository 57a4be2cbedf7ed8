import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { play, vibrate } from './player.ts';
import { createSchedule, type Sounding } from './schedule.ts';

/** The lowest volume. Turning the sound off completely takes a second tap. */
export const MIN_VOLUME = 0.2;
/** How often (ms) the schedule is checked for sounds to play. */
const TICK_MS = 250;

type Setting = { isOn: boolean; volume: number };
const KEY = 'alarm sound';
const DEFAULT: Setting = { isOn: true, volume: 1 };

/** Whether alarm sounds are turned on in this browser. The browser may still block them. */
export const isSoundOn = (): boolean => (JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? DEFAULT).isOn;

/** This browser's sound setting. Sound is on unless it was turned off. */
export const useSoundSetting = () => {
  const [setting, set] = useLocalStorage<Setting>({
    key: KEY,
    defaultValue: DEFAULT,
    getInitialValueInEffect: false,
  });
  return { ...setting, change: (part: Partial<Setting>) => set({ ...setting, ...part }) };
};

/**
 * Returns the audio output while sound is on. Browsers block it until the user has tapped the page or pressed a key.
 */
const useAudio = (isOn: boolean) => {
  const audio = useRef<AudioContext>(null);
  const [isBlocked, setBlocked] = useState(isOn);
  useEffect(() => {
    if (!isOn) return;
    const context = new AudioContext();
    audio.current = context;
    const update = () => setBlocked(context.state !== 'running');
    // On click rather than when the finger goes down: the notice about the sound then disappears and the page moves up,
    // so the tap would miss its button. Capturing, because a component may stop the event.
    const resume = () => void context.resume();
    context.addEventListener('statechange', update);
    document.addEventListener('click', resume, true);
    document.addEventListener('keydown', resume);
    update();
    return () => {
      document.removeEventListener('click', resume, true);
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
 * Plays the sounds for the current situation. `isBlocked` means that the browser does not play any until the user
 * taps the page.
 */
export const useSound = (sounding: Sounding): { isBlocked: boolean } => {
  const { isOn, volume } = useSoundSetting();
  const { audio, isBlocked } = useAudio(isOn);
  const latest = useRef({ sounding, volume });
  latest.current = { sounding, volume };
  useEffect(() => {
    if (!isOn || isBlocked) return;
    // Alarms that are already open sound as soon as the browser allows it.
    const soundsAt = createSchedule();
    const tick = () => {
      const { sounding, volume } = latest.current;
      for (const sound of soundsAt(sounding, performance.now())) {
        if (audio.current) play(audio.current, sound, volume);
        if (sound !== 'suspicion') vibrate();
      }
    };
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [isOn, isBlocked, audio]);
  return { isBlocked };
};
