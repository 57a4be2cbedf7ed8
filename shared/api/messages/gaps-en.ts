import type { GapKind } from '#shared/domain/watch/gap.ts';

/** What is wrong, and what to do about it. */
type GapText = readonly [what: string, todo: string];

export const gaps: Record<GapKind, GapText> = {
  no_sensors: ['There are no sensors.', 'Link a sensor.'],
  sensor_offline: ['Sensors are offline and report nothing.', 'Check their power and their network.'],
  no_rule: [
    'No rule notifies anybody of a fall.',
    'Create a rule for detected falls, or include these sensors in an existing one.',
  ],
  hours_without_rule: [
    'During these hours, no rule notifies anybody of a fall.',
    'Extend the schedule of a rule, or create a rule for these hours.',
  ],
  silent_mode: [
    'Silent mode is on: falls are recorded, but nobody is notified.',
    'Ask a system admin to turn it off in the configuration of the sensor, under “Critical”. If it is already off there, the configuration has to be saved again.',
  ],
  fall_detection_off: ['Fall detection is off.', 'Turn it on in the configuration of the sensor.'],
  unknown_messages: [
    'Most messages of the last 24 hours were not understood.',
    'Check the firmware of the sensor. Its events show the messages.',
  ],
  nobody_on_duty: [
    'Falls are reported to the people on duty, but nobody on duty can be notified.',
    'Go on duty with a confirmed channel that the rule uses, or add another recipient to the rule.',
  ],
  unreachable_recipient: [
    'A recipient of a fall rule cannot be reached.',
    'Check the channels of the person, or the webhook, or choose another recipient for the rule.',
  ],
  webhook_failing: ['The receiver of a webhook is failing.', 'Check the receiver, or add another recipient.'],
  webhook_off: ['A webhook that reports falls is disabled.', 'Enable it, or choose another recipient for the rule.'],
  raw_only: [
    'Falls are sent only to a webhook in the Raw format, which does not show if a fall became an alarm only because time passed.',
    'Choose another format for the webhook, or add another recipient to the rule.',
  ],
  no_rule_for_silence: [
    'Nobody is notified if a sensor goes offline.',
    'Create a rule for offline sensors, or check the recipients of the existing one.',
  ],
  loopback_target: [
    'A webhook points to the machine that runs this service, where it could reach programs that are not meant to be reachable.',
    'Give its receiver another address, or ask the operator to allow this one with ALLOWED_TARGET_RANGES.',
  ],
  unnotified: ['Nobody was notified of an alarm.', 'Check on the person now. Then check the recipients of the rule.'],
};
