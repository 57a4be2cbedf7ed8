import type { Stage } from '../settings/settings.ts';

/** Returns the name of the rule that receives device messages, or '' in a stage without MQTT. AWS IoT allows no hyphens in it. */
export const ruleNameOf = ({ name, mqtt }: Stage): string =>
  mqtt ? `sensor_cloud_${name.replaceAll('-', '_')}_messages` : '';
