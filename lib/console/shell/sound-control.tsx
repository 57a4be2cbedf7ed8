import { SpeakerWaveIcon, SpeakerXMarkIcon } from '@heroicons/react/24/outline';
import { Popover, Slider, Stack, Switch, Text } from '@mantine/core';
import { createContext, use } from 'react';
import { MIN_VOLUME, useSoundSetting } from '../sound/use-sound.ts';
import { useTexts } from '../texts/texts.tsx';

/** Whether the browser blocks the sound until the user taps the page. */
export const SoundBlocked = createContext(false);

/** Shows whether alarms sound, and sets the volume. Turning them off takes a second tap. */
export const SoundControl = () => {
  const { sound: texts } = useTexts();
  const isBlocked = use(SoundBlocked);
  const { isOn, volume, change } = useSoundSetting();
  // Any tap on the page unblocks the sound, so the button itself has nothing to do.
  if (isBlocked && isOn)
    return (
      <button type="button" className="quiet gap blocked">
        <SpeakerXMarkIcon className="icon" />
        {texts.blocked}
      </button>
    );
  const Icon = isOn ? SpeakerWaveIcon : SpeakerXMarkIcon;
  const text = isOn ? texts.on : texts.off;
  return (
    <Popover position="bottom-end" withinPortal={false} trapFocus>
      <Popover.Target>
        <button type="button" className={isOn ? 'quiet' : 'quiet gap'} aria-label={text}>
          <Icon className="icon" />
          <span className={isOn ? 'not-phone' : undefined}>{text}</span>
        </button>
      </Popover.Target>
      <Popover.Dropdown className="sound">
        <Stack>
          <Switch
            label={texts.label}
            checked={isOn}
            onChange={({ currentTarget }) => change({ isOn: currentTarget.checked })}
          />
          {!isOn && <Text size="sm">{texts.offHint}</Text>}
          {isOn && (
            <div>
              <Text size="sm">{texts.volume}</Text>
              <Slider
                thumbLabel={texts.volume}
                min={MIN_VOLUME * 100}
                max={100}
                step={10}
                value={volume * 100}
                label={null}
                onChange={(value) => change({ volume: value / 100 })}
              />
            </div>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
};
